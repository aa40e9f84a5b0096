//! Shards of a corpus: how they are written and read.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use troel_agents::Estimate;
use troel_env::{Action, BySeat, Card, CardSet, Deal, N_FEATURES, RuleSet, Seat, State};

use super::types::{CorpusDecision, CorpusError, CorpusInfo, VERSION, damaged, io};

/// The longest shard that is read: 64 deals take a few megabytes.
const MAX_SHARD_BYTES: u64 = 1 << 30;

/// Marks absent values in tensors of bytes.
const NONE: u8 = 255;

/// Reads all shards of a folder; they may be of one corpus only. `rules` are needed where they are
/// not built in.
///
/// # Errors
/// The folder has no shards, a shard cannot be read, is damaged or of another corpus than the
/// first, or two have the same deals.
pub fn read(
    folder: &Path,
    rules: Option<&'static RuleSet>,
) -> Result<(CorpusInfo, &'static RuleSet, Vec<CorpusDecision>), CorpusError> {
    let paths = shards(folder)?;
    let first = paths.first().ok_or_else(|| CorpusError::Nothing { path: folder.to_path_buf() })?;
    let info = Shard::open(first)?.info;
    let rules = rules.or_else(|| RuleSet::built_in(&info.rules));
    let rules = rules.filter(|rules| rules.hash() == info.rules_hash);
    let rules = rules.ok_or_else(|| CorpusError::Rules {
        path: first.clone(),
        rules: info.rules.clone(),
        hash: info.rules_hash.clone(),
    })?;
    let mut all: BTreeMap<u64, Vec<CorpusDecision>> = BTreeMap::new();
    for path in paths {
        let shard = Shard::open(&path)?;
        info.check(&path, &shard.info)?;
        let mut by_deal: BTreeMap<u64, Vec<CorpusDecision>> = BTreeMap::new();
        for decision in shard.decisions(&path, rules)? {
            by_deal.entry(decision.number).or_default().push(decision);
        }
        if let Some(&deal) = by_deal.keys().find(|deal| all.contains_key(deal)) {
            return Err(CorpusError::Twice { path, deal });
        }
        all.append(&mut by_deal);
    }
    Ok((info, rules, all.into_values().flatten().collect()))
}

pub(super) fn shards(folder: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    let mut paths = Vec::new();
    let entries = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(paths),
        entries => entries.map_err(io(folder))?,
    };
    for entry in entries {
        let path = entry.map_err(io(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "safetensors") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Writes a shard, whole or not at all.
pub(super) fn write(
    path: &Path,
    info: &CorpusInfo,
    decisions: &[CorpusDecision],
) -> Result<(), CorpusError> {
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
    troel_files::replace(path, &bytes).map_err(io(path))
}

/// The bytes of a shard, and its metadata.
pub(super) struct Shard {
    pub(super) info: CorpusInfo,
    data: Vec<u8>,
}

impl Shard {
    pub(super) fn open(path: &Path) -> Result<Shard, CorpusError> {
        let data = troel_files::read(path, MAX_SHARD_BYTES).map_err(io(path))?;
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
            if view.dtype() == dtype {
                Ok(view)
            } else {
                Err(damaged(path, format!("tensor {name} is not {dtype:?}")))
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
