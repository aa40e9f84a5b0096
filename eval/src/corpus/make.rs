//! Makes corpora: plays deals, chooses positions and searches them.

use std::path::Path;

use rayon::prelude::*;
use troel_agents::{BotError, NamedBot, Pimc, PointsEstimate};
use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, BySeat, Deal, Deals, Observation, RuleSet, State};

use super::shard::{CorpusShard, shards, write};
use super::types::{CorpusDecision, CorpusError, CorpusInfo, io};
use crate::chunks::{chunks, self_play};
use crate::deal_range::DealRange;
use crate::error::EvalError;

/// Offsets of the seed for the two sets of worlds.
///
/// With them, the worlds differ from those of a bot with the same seed.
const WORLD_SEEDS: [u64; 2] = [0x636f_7270_7573, 0x776f_726c_6473];

/// Deals of a corpus that are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DealsDone {
    /// Number of deals that the folder already held.
    Before(u64),
    /// Another one was played and searched.
    Now,
}

/// Makes the shards of a corpus that are not in the folder yet. `progress` is called with the deals
/// that are done.
///
/// # Errors
/// The bot that plays failed, a shard cannot be written, or the folder has shards that were made
/// with other settings.
pub fn make(
    folder: &Path,
    info: &CorpusInfo,
    rules: &'static RuleSet,
    player: &NamedBot,
    progress: &(dyn Fn(DealsDone) + Sync),
) -> Result<(), CorpusError> {
    troel_files::create_folder(folder).map_err(io(folder))?;
    let mut present = Vec::new();
    for path in shards(folder)? {
        let found = CorpusShard::open(&path)?.info;
        info.check(&path, &found)?;
        present.push(found.deals);
    }
    let missing: Vec<DealRange> =
        chunks(info.deals).into_iter().flat_map(|chunk| without(chunk, &present)).collect();
    let to_make: u64 = missing.iter().map(|range| range.len()).sum();
    progress(DealsDone::Before(info.deals.len() - to_make));
    missing.into_par_iter().try_for_each(|deals| {
        let info = CorpusInfo { deals, ..info.clone() };
        let decisions = decisions(&info, rules, player, progress)?;
        let path = folder.join(format!("{:08}-{:08}.safetensors", deals.first, deals.end));
        write(&path, &info, &decisions)
    })
}

/// Returns the parts of a range that none of the others covers.
pub(super) fn without(range: DealRange, others: &[DealRange]) -> Vec<DealRange> {
    let mut parts = vec![range];
    for other in others {
        let cut = |part: DealRange| {
            let before = DealRange::new(part.first, part.end.min(other.first));
            let after = DealRange::new(part.first.max(other.end), part.end);
            [before, after]
        };
        parts = parts.into_iter().flat_map(cut).filter(|part| !part.is_empty()).collect();
    }
    parts
}

/// Plays the deals, chooses positions and searches.
pub(super) fn decisions(
    info: &CorpusInfo,
    rules: &'static RuleSet,
    player: &NamedBot,
    progress: &(dyn Fn(DealsDone) + Sync),
) -> Result<Vec<CorpusDecision>, EvalError> {
    let deals = Deals::for_evaluation(rules, info.seed);
    let tables = self_play(&deals, info.deals, player, info.seed, &mut ())?;
    let mut searches = WORLD_SEEDS.map(|seed| Pimc::new(info.worlds, info.seed.wrapping_add(seed)));
    let mut decisions = Vec::new();
    for (number, table) in info.deals.numbers().zip(&tables) {
        let end = table.session.state();
        let deal = end.deal();
        let history: Vec<Action> = end.history().iter().filter_map(|(_, action)| action).collect();
        for len in positions(info, rules, number, &deal, &history) {
            let mut state = State::new(rules, &deal);
            history[..len].iter().for_each(|&action| state.apply_unchecked(action));
            let obs = state.observe(state.turn(), BySeat::default());
            let estimates = estimates(&mut searches, &obs).map_err(EvalError::CorpusSearch)?;
            let history = history[..len].to_vec();
            decisions.push(CorpusDecision { number, observation: obs, estimates, deal, history });
        }
        progress(DealsDone::Now);
    }
    Ok(decisions)
}

/// Draws positions of a deal: at most `info.per_deal` calls, and as many other decisions. Returns
/// the number of actions before each, in order.
fn positions(
    info: &CorpusInfo,
    rules: &'static RuleSet,
    number: u64,
    deal: &Deal,
    history: &[Action],
) -> Vec<usize> {
    let mut state = State::new(rules, deal);
    let mut kinds = [Vec::new(), Vec::new()];
    for (len, &action) in history.iter().enumerate() {
        if state.legal_actions().len() > 1 {
            kinds[usize::from(!state.phase().is_bidding())].push(len);
        }
        state.apply_unchecked(action);
    }
    let mut stream = Stream::new(info.seed, Purpose::Position, number);
    let mut chosen: Vec<usize> = kinds
        .into_iter()
        .flat_map(|mut kind| {
            stream.shuffle(&mut kind);
            kind.truncate(info.per_deal);
            kind
        })
        .collect();
    chosen.sort_unstable();
    chosen
}

fn estimates(
    searches: &mut [Pimc; 2],
    obs: &Observation,
) -> Result<Vec<(Action, [PointsEstimate; 2])>, BotError> {
    let actions: Vec<Action> = obs.legal_actions().into_iter().collect();
    let [first, second] = searches;
    let pairs = first.estimates(obs, &actions)?.into_iter().zip(second.estimates(obs, &actions)?);
    Ok(actions.iter().copied().zip(pairs.map(|(a, b)| [a, b])).collect())
}
