//! Corpora of decisions: positions that bots came to, and what a search over many worlds expects of every legal action.
//!
//! A corpus is a folder of shards of at most 64 deals, named by them, in the safetensors format, which NumPy reads. With `P` positions and
//! `A` actions, those of position `p` from `first[p]` to before `first[p + 1]`:
//!
//! | tensor | type, shape | |
//! |---|---|---|
//! | `deal` | i64 `[P]` | number of the deal |
//! | `owner` | u8 `[P, 52]` | seat that was dealt each card, in the numbering of actions: 0 N, 1 E, 2 S, 3 W |
//! | `dealer` | u8 `[P]` | seat of the dealer |
//! | `turn_up` | u8 `[P]` | the card turned up; 255: none |
//! | `history` | u8 `[P, H]` | actions up to the position; 255 after the last |
//! | `first` | i64 `[P + 1]` | where the actions of each position begin |
//! | `action` | u8 `[A]` | the legal actions |
//! | `points` | f32 `[A, 2]` | expected points of the deal for the seat to act, over two independent sets of worlds |
//! | `spread` | f32 `[A, 2]` | standard deviation of the points over the worlds |
//! | `features` | f32 `[P, N_FEATURES]` | only on request: what a network sees ([`troel_env::features`]) |
//!
//! The metadata has under `troel` a [`CorpusInfo`] as JSON. Shards of other deals, made with the same settings, may be put
//! into one folder.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use troel_agents::{BotError, Entry, Estimate, Pimc, decide};
use troel_env::rng::{Purpose, Stream};
use troel_env::{
    Action, BySeat, Card, CardSet, Deal, Deals, N_FEATURES, Observation, Phase, RuleSet, Scenario,
    Seat, Session, State,
};

use crate::driver::{self, Seating, Table};
use crate::duplicate::{MatchError, chunks};
use crate::series::{SERIES, is_gathered, series};
use crate::statistics::Sum;

/// Version of the format of shards.
const VERSION: u32 = 1;

/// Marks what is not there in tensors of bytes.
const NONE: u8 = 255;

/// Added to the seed for the two sets of worlds, so that they are others than those of a bot with the same seed.
const WORLD_SEEDS: [u64; 2] = [0x636f_7270_7573, 0x776f_726c_6473];

/// How a corpus is made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusInfo {
    /// Version of the format.
    pub version: u32,
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// The bot that played, in all four seats: its name, of a checkpoint a hash of its weights.
    pub player: String,
    /// Seed of the evaluation deals, of the choice of positions and of the worlds.
    pub seed: u64,
    /// Worlds in each of the two sets.
    pub worlds: usize,
    /// The most calls, and the most other decisions, taken from each deal.
    pub per_deal: usize,
    /// Whether features are stored.
    pub features: bool,
    /// The deals of the shard: the first, and one past the last.
    pub deals: (u64, u64),
}

/// A decision of a corpus.
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusDecision {
    /// Number of the deal.
    pub number: u64,
    /// What the seat to act knows.
    pub observation: Observation,
    /// The legal actions, and what two searches expect of each.
    pub estimates: Vec<(Action, [Estimate; 2])>,
    deal: Deal,
    history: Vec<Action>,
}

/// Why a corpus cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: std::io::Error,
    },
    /// A shard is damaged.
    #[error("{path}: {message}; remove it and make it anew with `troel corpus make`")]
    Damaged {
        /// The shard.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// A file that only looks like a shard.
    #[error(
        "{path} is no shard of a corpus, or one of another version of troel; use another folder"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A shard was made in another way than asked for, or than others.
    #[error("{path}: the shard is of another corpus ({what}); use another folder")]
    Differs {
        /// The shard.
        path: PathBuf,
        /// What differs: its value, and the one wanted.
        what: String,
    },
    /// Two shards have the same deals.
    #[error("{path}: deal {deal} is in another shard, too; remove one of them")]
    Twice {
        /// The second shard.
        path: PathBuf,
        /// The deal.
        deal: u64,
    },
    /// A folder without shards.
    #[error("{path} has no shards (*.safetensors); make some with `troel corpus make`")]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// The rules are neither built in nor given.
    #[error(
        "{path}: the corpus is of the rules {rules} (hash {hash}); give their file with --rules"
    )]
    Rules {
        /// The shard.
        path: PathBuf,
        /// Their name.
        rules: String,
        /// Their hash.
        hash: String,
    },
    /// A bot failed.
    #[error(transparent)]
    Bot(#[from] MatchError),
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> CorpusError {
    let path = path.to_path_buf();
    move |error| CorpusError::Io { path, error }
}

fn damaged(path: &Path, message: impl std::fmt::Display) -> CorpusError {
    CorpusError::Damaged { path: path.to_path_buf(), message: message.to_string() }
}

impl CorpusInfo {
    /// A corpus of `deals` that `player` plays.
    pub fn new(rules: &RuleSet, player: &Entry, deals: (u64, u64), seed: u64) -> CorpusInfo {
        CorpusInfo {
            version: VERSION,
            rules: rules.id().to_string(),
            rules_hash: rules.hash().to_string(),
            player: player.identity().to_string(),
            seed,
            worlds: 50,
            per_deal: 2,
            features: false,
            deals,
        }
    }

    /// Checks that a shard was made like this, whatever its deals.
    fn check(&self, path: &Path, found: &CorpusInfo) -> Result<(), CorpusError> {
        let pairs = [
            ("version", found.version.to_string(), self.version.to_string()),
            ("rules", found.rules_hash.clone(), self.rules_hash.clone()),
            ("player", found.player.clone(), self.player.clone()),
            ("seed", found.seed.to_string(), self.seed.to_string()),
            ("worlds", found.worlds.to_string(), self.worlds.to_string()),
            ("positions of a deal", found.per_deal.to_string(), self.per_deal.to_string()),
            ("features", found.features.to_string(), self.features.to_string()),
        ];
        match pairs.into_iter().find(|(_, found, wanted)| found != wanted) {
            None => Ok(()),
            Some((what, found, wanted)) => Err(CorpusError::Differs {
                path: path.to_path_buf(),
                what: format!("{what}: {found}, not {wanted}"),
            }),
        }
    }
}

/// Makes the shards of a corpus that are not in the folder yet. `progress` is told of deals done, those that were there
/// included.
///
/// # Errors
/// The bot that plays failed, a shard cannot be written, or the folder has shards that were made in another way.
pub fn make(
    folder: &Path,
    info: &CorpusInfo,
    rules: &'static RuleSet,
    player: &Entry,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<(), CorpusError> {
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    let mut there = Vec::new();
    for path in shards(folder)? {
        let found = Shard::open(&path)?.info;
        info.check(&path, &found)?;
        there.push(found.deals);
    }
    let wanted = info.deals.1.saturating_sub(info.deals.0);
    let missing: Vec<(u64, u64)> =
        chunks(info.deals).into_iter().flat_map(|chunk| without(chunk, &there)).collect();
    let to_make: u64 = missing.iter().map(|(from, to)| to - from).sum();
    progress((wanted - to_make) as f64);
    missing.into_par_iter().try_for_each(|deals| {
        let info = CorpusInfo { deals, ..info.clone() };
        let decisions = decisions(&info, rules, player, progress)?;
        let path = folder.join(format!("{:08}-{:08}.safetensors", deals.0, deals.1));
        write(&path, &info, &decisions)
    })
}

/// The parts of a range that none of the others covers.
fn without(range: (u64, u64), others: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut parts = vec![range];
    for &(from, to) in others {
        let cut = |(a, b): (u64, u64)| [(a, b.min(from)), (a.max(to), b)];
        parts = parts.into_iter().flat_map(cut).filter(|(a, b)| a < b).collect();
    }
    parts
}

/// Reads all shards of these folders; they may be of one corpus only. `rules` are needed where they are not built in.
///
/// # Errors
/// A folder has no shards, a shard cannot be read, is damaged or of another corpus than the first, or two have the
/// same deals.
pub fn read(
    folders: &[PathBuf],
    rules: Option<&'static RuleSet>,
) -> Result<(CorpusInfo, &'static RuleSet, Vec<CorpusDecision>), CorpusError> {
    let mut found: Option<(CorpusInfo, &'static RuleSet)> = None;
    let mut all: BTreeMap<u64, Vec<CorpusDecision>> = BTreeMap::new();
    for folder in folders {
        let paths = shards(folder)?;
        if paths.is_empty() {
            return Err(CorpusError::Nothing { path: folder.clone() });
        }
        for path in paths {
            let shard = Shard::open(&path)?;
            let rules = match &found {
                Some((info, rules)) => {
                    info.check(&path, &shard.info)?;
                    rules
                }
                None => {
                    let rules = rules.or_else(|| RuleSet::built_in(&shard.info.rules));
                    let fits = |rules: &&RuleSet| rules.hash() == shard.info.rules_hash;
                    let rules = rules.filter(fits).ok_or_else(|| CorpusError::Rules {
                        path: path.clone(),
                        rules: shard.info.rules.clone(),
                        hash: shard.info.rules_hash.clone(),
                    })?;
                    found = Some((shard.info.clone(), rules));
                    rules
                }
            };
            let mut by_deal: BTreeMap<u64, Vec<CorpusDecision>> = BTreeMap::new();
            for decision in shard.decisions(&path, rules)? {
                by_deal.entry(decision.number).or_default().push(decision);
            }
            if let Some(&deal) = by_deal.keys().find(|deal| all.contains_key(deal)) {
                return Err(CorpusError::Twice { path, deal });
            }
            all.append(&mut by_deal);
        }
    }
    let (info, rules) = found.ok_or_else(|| CorpusError::Nothing { path: PathBuf::new() })?;
    Ok((info, rules, all.into_values().flatten().collect()))
}

fn shards(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io(folder))? {
        let path = entry.map_err(io(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "safetensors") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Plays the deals, chooses positions and searches.
fn decisions(
    info: &CorpusInfo,
    rules: &'static RuleSet,
    player: &Entry,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<CorpusDecision>, MatchError> {
    let deals = Deals::for_evaluation(rules, info.seed);
    let dealt = series(&deals, Scenario::Any, info.deals.0, info.deals.1);
    let dealt = dealt.map_err(MatchError::between_deals)?;
    let open = |deal| Table { session: Session::of_deal(rules, deal), seating: Seating::all(0) };
    let mut tables: Vec<Table> = dealt.iter().map(open).collect();
    driver::run(&mut tables, &mut [player.seat(info.seed)], &mut ())
        .map_err(|stopped| MatchError::new(stopped, [player; 3]))?;
    let mut searches = WORLD_SEEDS.map(|seed| Pimc::new(info.worlds, info.seed.wrapping_add(seed)));
    let mut decisions = Vec::new();
    for ((number, deal), table) in (info.deals.0..).zip(&dealt).zip(&tables) {
        let history: Vec<Action> =
            table.session.state().history().iter().filter_map(|(_, action)| action).collect();
        for len in positions(info, rules, number, deal, &history) {
            let mut state = State::new(rules, deal);
            history[..len].iter().for_each(|&action| state.apply_unchecked(action));
            let observation = state.observe(state.turn(), BySeat::default());
            let estimates = estimates(&mut searches, &observation).map_err(|error| MatchError {
                name: "the search of a corpus".to_string(),
                error,
            })?;
            let (deal, history) = (*deal, history[..len].to_vec());
            decisions.push(CorpusDecision { number, observation, estimates, deal, history });
        }
        progress(1.0);
    }
    Ok(decisions)
}

/// Positions of a deal, as numbers of actions before them, in order: of calls and of other decisions at most so many each, drawn at
/// random.
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
            kinds[usize::from(!is_call(&state))].push(len);
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

fn is_call(state: &State) -> bool {
    matches!(state.phase(), Phase::Auction | Phase::Trump)
}

fn estimates(
    searches: &mut [Pimc; 2],
    observation: &Observation,
) -> Result<Vec<(Action, [Estimate; 2])>, BotError> {
    let actions: Vec<Action> = observation.legal_actions().into_iter().collect();
    let [first, second] = searches;
    let pairs = first
        .estimates(observation, &actions)?
        .into_iter()
        .zip(second.estimates(observation, &actions)?);
    Ok(actions.iter().copied().zip(pairs.map(|(a, b)| [a, b])).collect())
}

/// Writes a shard under a temporary name, then renames it.
fn write(path: &Path, info: &CorpusInfo, decisions: &[CorpusDecision]) -> Result<(), CorpusError> {
    let n = decisions.len();
    let longest = decisions.iter().map(|d| d.history.len()).max().unwrap_or(0);
    let bytes = |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let floats = |values: &[f32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let numbers: Vec<i64> = decisions.iter().map(|d| d.number as i64).collect();
    let owner = decisions.iter().flat_map(|d| {
        (0..52).map(|i| {
            let held = Seat::ALL.into_iter().find(|&s| d.deal.hands[s].0 >> i & 1 == 1);
            held.map_or(NONE, |seat| seat.index() as u8)
        })
    });
    let history = decisions.iter().flat_map(|d| {
        let actions = d.history.iter().map(|action| action.index() as u8);
        actions.chain(std::iter::repeat(NONE)).take(longest)
    });
    let (mut first, mut action, mut points, mut spread) = (vec![0], vec![], vec![], vec![]);
    for decision in decisions {
        for (a, pair) in &decision.estimates {
            action.push(a.index() as u8);
            points.extend(pair.map(|estimate| estimate.points));
            spread.extend(pair.map(|estimate| estimate.spread));
        }
        first.push(action.len() as i64);
    }
    let actions = action.len();
    let mut tensors = vec![
        ("deal", Dtype::I64, vec![n], bytes(&numbers)),
        ("owner", Dtype::U8, vec![n, 52], owner.collect()),
        (
            "dealer",
            Dtype::U8,
            vec![n],
            decisions.iter().map(|d| d.deal.dealer.index() as u8).collect(),
        ),
        (
            "turn_up",
            Dtype::U8,
            vec![n],
            decisions.iter().map(|d| d.deal.turn_up.map_or(NONE, |c| c.index() as u8)).collect(),
        ),
        ("history", Dtype::U8, vec![n, longest], history.collect()),
        ("first", Dtype::I64, vec![n + 1], bytes(&first)),
        ("action", Dtype::U8, vec![actions], action),
        ("points", Dtype::F32, vec![actions, 2], floats(&points)),
        ("spread", Dtype::F32, vec![actions, 2], floats(&spread)),
    ];
    if info.features {
        let mut features = vec![0.0; n * N_FEATURES];
        for (decision, row) in decisions.iter().zip(features.chunks_mut(N_FEATURES)) {
            decision.observation.encode(row);
        }
        tensors.push(("features", Dtype::F32, vec![n, N_FEATURES], floats(&features)));
    }
    let mut views = Vec::new();
    for (name, dtype, shape, data) in &tensors {
        let view = TensorView::new(*dtype, shape.clone(), data).map_err(|e| damaged(path, e))?;
        views.push((*name, view));
    }
    let info = serde_json::to_string(info).map_err(|e| damaged(path, e))?;
    let info = HashMap::from([("troel".to_string(), info)]);
    let bytes = safetensors::serialize(views, Some(info)).map_err(|e| damaged(path, e))?;
    let new = path.with_extension("new");
    let mut file = File::create(&new).map_err(io(&new))?;
    file.write_all(&bytes).and_then(|()| file.sync_all()).map_err(io(&new))?;
    std::fs::rename(&new, path).map_err(io(path))
}

/// The bytes of a shard, and its metadata.
struct Shard {
    info: CorpusInfo,
    data: Vec<u8>,
}

impl Shard {
    fn open(path: &Path) -> Result<Shard, CorpusError> {
        let data = std::fs::read(path).map_err(io(path))?;
        let (_, metadata) = SafeTensors::read_metadata(&data).map_err(|e| damaged(path, e))?;
        let info = metadata.metadata().as_ref().and_then(|all| all.get("troel"));
        let foreign = || CorpusError::Foreign { path: path.to_path_buf() };
        let info = info.ok_or_else(foreign)?;
        let info: CorpusInfo = serde_json::from_str(info).map_err(|_| foreign())?;
        if info.version != VERSION {
            return Err(foreign());
        }
        if info.deals.0 >= info.deals.1 {
            return Err(damaged(path, "it has no deals"));
        }
        Ok(Shard { info, data })
    }

    fn decisions(
        &self,
        path: &Path,
        rules: &'static RuleSet,
    ) -> Result<Vec<CorpusDecision>, CorpusError> {
        let tensors = SafeTensors::deserialize(&self.data).map_err(|e| damaged(path, e))?;
        let tensor = |name: &str, dtype: Dtype| {
            let view = tensors.tensor(name).map_err(|e| damaged(path, e))?;
            match view.dtype() == dtype {
                true => Ok(view),
                false => Err(damaged(path, format!("tensor {name} is not {dtype:?}"))),
            }
        };
        let (deal, first) = (tensor("deal", Dtype::I64)?, tensor("first", Dtype::I64)?);
        let (owner, history) = (tensor("owner", Dtype::U8)?, tensor("history", Dtype::U8)?);
        let (dealer, turn_up) = (tensor("dealer", Dtype::U8)?, tensor("turn_up", Dtype::U8)?);
        let action = tensor("action", Dtype::U8)?;
        let (points, spread) = (tensor("points", Dtype::F32)?, tensor("spread", Dtype::F32)?);
        let (numbers, first) = (integers(deal.data()), integers(first.data()));
        let (points, spread) = (floats(points.data()), floats(spread.data()));
        let width = history.shape().last().copied().unwrap_or(0);
        let (n, actions) = (numbers.len(), action.data().len());
        let lengths = [
            owner.data().len() == 52 * n,
            history.data().len() == width * n,
            dealer.data().len() == n,
            turn_up.data().len() == n,
            first.len() == n + 1,
            points.len() == 2 * actions,
            spread.len() == 2 * actions,
        ];
        if lengths.contains(&false) {
            return Err(damaged(path, "its tensors do not fit together"));
        }
        let broken = |p: usize| move || damaged(path, format!("position {p} makes no sense"));
        (0..n)
            .map(|p| {
                let deal = deal_of(
                    &owner.data()[52 * p..52 * p + 52],
                    dealer.data()[p],
                    turn_up.data()[p],
                );
                let deal = deal.filter(|deal| deal.check(rules).is_ok()).ok_or_else(broken(p))?;
                let history: Option<Vec<Action>> = history.data()[width * p..width * (p + 1)]
                    .iter()
                    .take_while(|&&action| action != NONE)
                    .map(|&action| Action::from_index(action.into()))
                    .collect();
                let history = history.ok_or_else(broken(p))?;
                let mut state = State::new(rules, &deal);
                for &action in &history {
                    state.apply(action).map_err(|_| broken(p)())?;
                }
                let observation = state.observe(state.turn(), BySeat::default());
                let range = usize::try_from(first[p])
                    .ok()
                    .zip(usize::try_from(first[p + 1]).ok())
                    .filter(|&(from, to)| from <= to && to <= actions)
                    .ok_or_else(broken(p))?;
                let estimates: Option<Vec<_>> = (range.0..range.1)
                    .map(|a| {
                        let pair = [0, 1].map(|set| Estimate {
                            points: points[2 * a + set],
                            spread: spread[2 * a + set],
                        });
                        let is_finite = pair.iter().all(|estimate| estimate.points.is_finite());
                        let action = Action::from_index(action.data()[a].into());
                        action.filter(|_| is_finite).map(|action| (action, pair))
                    })
                    .collect();
                let estimates = estimates.ok_or_else(broken(p))?;
                let legal = observation.legal_actions();
                let is_whole = legal.into_iter().eq(estimates.iter().map(|(action, _)| *action));
                let range = self.info.deals.0..self.info.deals.1;
                let number = u64::try_from(numbers[p]).ok();
                let number = number.filter(|number| is_whole && range.contains(number));
                let number = number.ok_or_else(broken(p))?;
                Ok(CorpusDecision { number, observation, estimates, deal, history })
            })
            .collect()
    }
}

fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks().0.iter().map(|&b| i64::from_le_bytes(b)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn deal_of(owner: &[u8], dealer: u8, turn_up: u8) -> Option<Deal> {
    let seat = |index: u8| (index < 4).then(|| Seat::from_index(index.into()));
    let mut hands = BySeat([CardSet::EMPTY; 4]);
    for (card, &owner) in owner.iter().enumerate() {
        hands[seat(owner)?].insert(Card::from_index(card)?);
    }
    let turn_up = match turn_up {
        NONE => None,
        card => Some(Card::from_index(card.into())?),
    };
    Some(Deal { dealer: seat(dealer)?, hands, turn_up })
}

/// What a bot's choices give away in the positions of a corpus, in points of the deal per decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GivenAway {
    /// In the auction and the choice of trumps.
    pub calls: Sum,
    /// In card play, discards, exchanges and answers.
    pub cards: Sum,
}

/// What the choices of some bots give away, and each bot's beyond the first's on the same positions.
///
/// The choice of one search is judged by the other, so that neither is judged by worlds that it chose by: of a choice
/// counts what the first search's best action is worth to the second, minus what the choice is worth to it; and the
/// same with the searches exchanged; the mean of both. It is below zero where a bot chooses better than the search. Intervals are
/// clustered by deal, by series of deals where these come from one deck.
///
/// # Errors
/// A bot failed.
pub fn judge(
    rules: &RuleSet,
    decisions: &[CorpusDecision],
    bots: &[Entry],
    seed: u64,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<[GivenAway; 2]>, MatchError> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    for bot in bots {
        let parts: Vec<Result<Vec<f64>, MatchError>> = decisions
            .par_chunks(64)
            .map(|decisions| {
                let failed = |error| MatchError { name: bot.name().to_string(), error };
                let observations: Vec<Observation> =
                    decisions.iter().map(|d| d.observation).collect();
                let chosen =
                    decide(bot.seat(seed).as_mut(), &observations, troel_agents::Detail::Action)
                        .map_err(failed)?;
                progress(decisions.len() as f64);
                Ok(decisions.iter().zip(chosen).map(|(d, c)| given_away(d, c.action)).collect())
            })
            .collect();
        let mut losses = Vec::with_capacity(decisions.len());
        for part in parts {
            losses.extend(part?);
        }
        all.push(losses);
    }
    // Deals from one deck follow from each other.
    let cluster = if is_gathered(rules, Scenario::Any) { SERIES } else { 1 };
    let sum = |values: &dyn Fn(usize) -> f64, of_calls: bool| {
        let mut clusters: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (p, decision) in decisions.iter().enumerate() {
            if is_call(decision.observation.state()) == of_calls {
                clusters.entry(decision.number / cluster).or_default().push(values(p));
            }
        }
        let mut sum = Sum::default();
        clusters.iter().for_each(|(&n, values)| sum.add_series(n, values.len() as u64, values));
        sum
    };
    let both = |values: &dyn Fn(usize) -> f64| GivenAway {
        calls: sum(values, true),
        cards: sum(values, false),
    };
    Ok(all.iter().map(|own| [both(&|p| own[p]), both(&|p| own[p] - all[0][p])]).collect())
}

/// What a choice gives away.
fn given_away(decision: &CorpusDecision, chosen: Action) -> f64 {
    let loss = |by: usize, judge: usize| {
        // The first of equals, whichever search it is.
        let better = |best: usize, i: usize| {
            let points = |i: usize| decision.estimates[i].1[by].points;
            if points(i) > points(best) { i } else { best }
        };
        let best = (0..decision.estimates.len()).fold(0, better);
        let points = |estimate: &(Action, [Estimate; 2])| f64::from(estimate.1[judge].points);
        let of_choice = decision.estimates.iter().find(|(action, _)| *action == chosen);
        of_choice.map_or(0.0, |choice| points(&decision.estimates[best]) - points(choice))
    };
    (loss(0, 1) + loss(1, 0)) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(rules: &'static RuleSet, player: &Entry) -> CorpusInfo {
        CorpusInfo { worlds: 4, features: true, ..CorpusInfo::new(rules, player, (10, 90), 3) }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_is_made_twice() {
        let folder = tempfile::tempdir().unwrap();
        for rules in ["luxembourg", "iwwa"].map(|name| RuleSet::built_in(name).unwrap()) {
            let path = folder.path().join(rules.id());
            let player = Entry::find("rules", rules).unwrap();
            let info = info(rules, &player);
            make(&path, &info, rules, &player, &|_| ()).unwrap();
            let (read_info, _, decisions) = read(std::slice::from_ref(&path), None).unwrap();
            assert_eq!(CorpusInfo { deals: info.deals, ..read_info }, info);
            let made: Vec<CorpusDecision> = chunks(info.deals)
                .into_iter()
                .flat_map(|deals| {
                    let info = CorpusInfo { deals, ..info.clone() };
                    super::decisions(&info, rules, &player, &|_| ()).unwrap()
                })
                .collect();
            assert_eq!(decisions, made);
            assert!((200..=320).contains(&decisions.len()), "{}", decisions.len());
            // A whole shard is kept, byte by byte; a missing one is made again.
            let shards = shards(&path).unwrap();
            assert_eq!(shards.len(), 2);
            assert!(shards[0].ends_with("00000010-00000064.safetensors"), "{shards:?}");
            let before: Vec<Vec<u8>> = shards.iter().map(|s| std::fs::read(s).unwrap()).collect();
            let changed = std::fs::metadata(&shards[0]).unwrap().modified().unwrap();
            std::fs::remove_file(&shards[1]).unwrap();
            make(&path, &info, rules, &player, &|_| ()).unwrap();
            let after: Vec<Vec<u8>> = shards.iter().map(|s| std::fs::read(s).unwrap()).collect();
            assert!(before == after);
            assert_eq!(std::fs::metadata(&shards[0]).unwrap().modified().unwrap(), changed);
            // More deals, made here and elsewhere, are put beside them; only those that are missing are made.
            let elsewhere = folder.path().join("elsewhere");
            let more = CorpusInfo { deals: (100, 128), ..info.clone() };
            make(&elsewhere, &more, rules, &player, &|_| ()).unwrap();
            let shard = "00000100-00000128.safetensors";
            std::fs::rename(elsewhere.join(shard), path.join(shard)).unwrap();
            let all = CorpusInfo { deals: (10, 128), ..info.clone() };
            make(&path, &all, rules, &player, &|_| ()).unwrap();
            let names: Vec<_> = super::shards(&path).unwrap();
            assert!(names[2].ends_with("00000090-00000100.safetensors"), "{names:?}");
            let (_, _, grown) = read(std::slice::from_ref(&path), None).unwrap();
            let once = folder.path().join("once");
            make(&once, &all, rules, &player, &|_| ()).unwrap();
            assert_eq!(grown, read(std::slice::from_ref(&once), None).unwrap().2);
            std::fs::remove_dir_all(once).unwrap();
            let other = CorpusInfo { worlds: 5, ..info.clone() };
            let refused = make(&path, &other, rules, &player, &|_| ()).unwrap_err().to_string();
            assert!(refused.contains("worlds: 4, not 5"), "{refused}");
        }
    }

    #[test]
    fn damaged_shards_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let rules = RuleSet::built_in("wiezen").unwrap();
        let player = Entry::find("rules", rules).unwrap();
        let info = CorpusInfo { deals: (0, 8), features: false, ..info(rules, &player) };
        make(folder.path(), &info, rules, &player, &|_| ()).unwrap();
        let path = folder.path().join("00000000-00000008.safetensors");
        let whole = std::fs::read(&path).unwrap();
        let read = || read(&[folder.path().to_path_buf()], None);
        assert!(read().is_ok());
        let mut stream = Stream::new(1, Purpose::Action, 0);
        for _ in 0..300 {
            let mut bytes = whole.clone();
            let at = stream.below(bytes.len() as u32) as usize;
            bytes[at] ^= 1 << stream.below(8);
            bytes.truncate(whole.len() - stream.below(3) as usize);
            std::fs::write(&path, &bytes).unwrap();
            // Never a panic, neither in making nor in judging; a number that is another may pass.
            if let Ok((_, _, decisions)) = read() {
                judge(rules, &decisions, std::slice::from_ref(&player), 1, &|_| ()).unwrap();
            }
            let _ = make(folder.path(), &info, rules, &player, &|_| ());
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        assert!(read().unwrap_err().to_string().contains("00000008.safetensors"));
        std::fs::write(&path, &whole).unwrap();
        std::fs::copy(&path, folder.path().join("copy.safetensors")).unwrap();
        assert!(read().unwrap_err().to_string().contains("in another shard"));
    }

    #[test]
    fn what_is_missing_is_what_no_shard_covers() {
        assert_eq!(without((0, 10), &[]), [(0, 10)]);
        assert_eq!(without((0, 10), &[(4, 6), (9, 20)]), [(0, 4), (6, 9)]);
        assert_eq!(without((5, 10), &[(0, 7), (7, 30)]), []);
        assert_eq!(without((5, 10), &[(0, 5), (10, 30)]), [(5, 10)]);
    }

    #[test]
    fn better_bots_give_away_less() {
        let folder = tempfile::tempdir().unwrap();
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let player = Entry::find("rules", rules).unwrap();
        let info = CorpusInfo { worlds: 20, ..info(rules, &player) };
        make(folder.path(), &info, rules, &player, &|_| ()).unwrap();
        let (_, _, decisions) = read(&[folder.path().to_path_buf()], None).unwrap();
        let bots = ["rules", "random", "rules"].map(|name| Entry::find(name, rules).unwrap());
        let found = judge(rules, &decisions, &bots, 1, &|_| ()).unwrap();
        let [rules, random, again] = found.try_into().unwrap();
        assert_eq!(again[1].calls.mean(), 0.0);
        assert_eq!(rules[0], again[0]);
        let [low, _] = random[1].calls.ci95();
        assert!(low > 0.5, "{random:?}");
        assert!(random[1].cards.mean() > 0.0, "{random:?}");
        assert!(rules[0].calls.mean() > -0.5 && rules[0].cards.mean() > -0.2, "{rules:?}");
        assert_eq!(rules[0].calls.n + rules[0].cards.n, decisions.len() as u64);
    }

    #[test]
    fn a_choice_is_judged_by_the_other_search() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let deal = Deals::for_evaluation(rules, 1).shuffled(0, Seat::North);
        let state = State::new(rules, &deal);
        let observation = state.observe(state.turn(), BySeat::default());
        let pair = |a: f32, b: f32| [a, b].map(|points| Estimate { points, spread: 0.0 });
        let actions: Vec<Action> = observation.legal_actions().into_iter().take(3).collect();
        let estimates = vec![
            (actions[0], pair(1.0, 2.0)),
            (actions[1], pair(3.0, 1.0)),
            (actions[2], pair(0.0, 0.0)),
        ];
        let decision =
            CorpusDecision { number: 0, observation, estimates, deal, history: Vec::new() };
        // The first search's best is the second action, worth 1 to the second; the second's is the first, worth 1 to
        // the first.
        assert_eq!(given_away(&decision, actions[0]), (1.0 - 2.0) / 2.0 + (1.0 - 1.0) / 2.0);
        assert_eq!(given_away(&decision, actions[2]), (1.0 - 0.0) / 2.0 + (1.0 - 0.0) / 2.0);
    }
}
