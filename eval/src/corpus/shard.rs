//! Writing and reading of the shards of a corpus.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use troel_agents::PointsEstimate;
use troel_env::{Action, BySeat, Card, CardSet, Deal, N_CARDS, N_FEATURES, RuleSet, Seat, State};

use super::types::{CORPUS_FORMAT_VERSION, CorpusDecision, CorpusError, CorpusInfo, damaged, io};

/// The longest shard that is read: 64 deals take a few megabytes.
const MAX_SHARD_BYTES: u64 = 1 << 30;

/// Marks absent values in tensors of bytes.
const ABSENT: u8 = 255;

/// Reads all shards of a folder, which must be of one corpus. `rules` are needed if they are not
/// built in.
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
    let info = CorpusShard::open(first)?.info;
    let rules = rules.or_else(|| RuleSet::built_in(&info.rules));
    let rules = rules.filter(|rules| rules.hash() == info.rules_hash);
    let rules = rules.ok_or_else(|| CorpusError::Rules {
        path: first.clone(),
        rules: info.rules.clone(),
        hash: info.rules_hash.clone(),
    })?;
    let mut all: BTreeMap<u64, Vec<CorpusDecision>> = BTreeMap::new();
    for path in paths {
        let shard = CorpusShard::open(&path)?;
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
    let mut tensors = Vec::from(deal_tensors(decisions));
    tensors.extend(estimate_tensors(decisions));
    if info.features {
        let n = decisions.len();
        let mut features = vec![0.0; n * N_FEATURES];
        for (decision, row) in decisions.iter().zip(features.chunks_mut(N_FEATURES)) {
            decision.observation.encode(row);
        }
        tensors.push(Tensor::f32("features", vec![n, N_FEATURES], &features));
    }
    let mut views = Vec::new();
    for Tensor { name, dtype, shape, data } in &tensors {
        let view = TensorView::new(*dtype, shape.clone(), data).map_err(|e| damaged(path, e))?;
        views.push((*name, view));
    }
    let info = serde_json::to_string(info).map_err(|e| damaged(path, e))?;
    let info = HashMap::from([("troel".to_string(), info)]);
    let bytes = safetensors::serialize(views, Some(info)).map_err(|e| damaged(path, e))?;
    troel_files::replace(path, &bytes).map_err(io(path))
}

/// A tensor to write.
struct Tensor {
    name: &'static str,
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Tensor {
    fn u8(name: &'static str, shape: Vec<usize>, values: impl Iterator<Item = u8>) -> Tensor {
        Tensor { name, dtype: Dtype::U8, shape, data: values.collect() }
    }

    fn i64(name: &'static str, values: &[i64]) -> Tensor {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Tensor { name, dtype: Dtype::I64, shape: vec![values.len()], data }
    }

    fn f32(name: &'static str, shape: Vec<usize>, values: &[f32]) -> Tensor {
        let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Tensor { name, dtype: Dtype::F32, shape, data }
    }
}

/// Returns the tensors of the deals and their actions, a row for each decision.
fn deal_tensors(decisions: &[CorpusDecision]) -> [Tensor; 5] {
    let n = decisions.len();
    let longest = decisions.iter().map(|d| d.history.len()).max().unwrap_or(0);
    let numbers: Vec<i64> = decisions.iter().map(|d| d.number as i64).collect();
    let owner = decisions.iter().flat_map(|d| {
        (0..N_CARDS).map(|i| {
            let held = Seat::ALL.into_iter().find(|&s| d.deal.hands[s].0 >> i & 1 == 1);
            held.map_or(ABSENT, |seat| seat.index() as u8)
        })
    });
    let dealer = decisions.iter().map(|d| d.deal.dealer.index() as u8);
    let turn_up = decisions.iter().map(|d| d.deal.turn_up.map_or(ABSENT, |c| c.index() as u8));
    let history = decisions.iter().flat_map(|d| {
        let actions = d.history.iter().map(|action| action.index() as u8);
        actions.chain(std::iter::repeat(ABSENT)).take(longest)
    });
    [
        Tensor::i64("deal", &numbers),
        Tensor::u8("owner", vec![n, N_CARDS], owner),
        Tensor::u8("dealer", vec![n], dealer),
        Tensor::u8("turn_up", vec![n], turn_up),
        Tensor::u8("history", vec![n, longest], history),
    ]
}

/// Returns the tensors of the estimates, a row for each legal action. `first` has the first row of
/// each decision.
fn estimate_tensors(decisions: &[CorpusDecision]) -> [Tensor; 4] {
    let (mut first, mut actions, mut points, mut spread) = (vec![0], vec![], vec![], vec![]);
    for decision in decisions {
        for (action, pair) in &decision.estimates {
            actions.push(action.index() as u8);
            points.extend(pair.map(|estimate| estimate.points));
            spread.extend(pair.map(|estimate| estimate.spread));
        }
        first.push(actions.len() as i64);
    }
    let n = actions.len();
    [
        Tensor::i64("first", &first),
        Tensor::u8("action", vec![n], actions.into_iter()),
        Tensor::f32("points", vec![n, 2], &points),
        Tensor::f32("spread", vec![n, 2], &spread),
    ]
}

/// The bytes of a shard, and its metadata.
pub(super) struct CorpusShard {
    pub(super) info: CorpusInfo,
    data: Vec<u8>,
}

impl CorpusShard {
    pub(super) fn open(path: &Path) -> Result<CorpusShard, CorpusError> {
        let data = troel_files::read(path, MAX_SHARD_BYTES).map_err(io(path))?;
        let (_, metadata) = SafeTensors::read_metadata(&data).map_err(|e| damaged(path, e))?;
        let info = metadata.metadata().as_ref().and_then(|all| all.get("troel"));
        let foreign = || CorpusError::Foreign { path: path.to_path_buf() };
        let info = info.ok_or_else(foreign)?;
        let info: CorpusInfo = serde_json::from_str(info).map_err(|_| foreign())?;
        if info.version != CORPUS_FORMAT_VERSION {
            return Err(foreign());
        }
        if info.deals.is_empty() {
            return Err(damaged(path, "it has no deals"));
        }
        Ok(CorpusShard { info, data })
    }

    fn decisions(
        &self,
        path: &Path,
        rules: &'static RuleSet,
    ) -> Result<Vec<CorpusDecision>, CorpusError> {
        let columns = Columns::read(&self.data, path)?;
        let decision = |p: usize| {
            let decision = columns.decision(p, rules);
            decision
                .filter(|decision| self.info.deals.numbers().contains(&decision.number))
                .ok_or_else(|| damaged(path, format!("position {p} is not valid")))
        };
        (0..columns.numbers.len()).map(decision).collect()
    }
}

/// The tensors of a shard, whose lengths fit together.
struct Columns {
    numbers: Vec<i64>,
    owner: Vec<u8>,
    dealer: Vec<u8>,
    turn_up: Vec<u8>,
    history: Vec<u8>,
    /// Actions in a row of `history`.
    history_width: usize,
    first: Vec<i64>,
    action: Vec<u8>,
    points: Vec<f32>,
    spread: Vec<f32>,
}

impl Columns {
    fn read(data: &[u8], path: &Path) -> Result<Columns, CorpusError> {
        let tensors = SafeTensors::deserialize(data).map_err(|e| damaged(path, e))?;
        let tensor = |name: &str, dtype: Dtype| {
            let view = tensors.tensor(name).map_err(|e| damaged(path, e))?;
            if view.dtype() == dtype {
                Ok(view)
            } else {
                Err(damaged(path, format!("tensor {name} is not {dtype:?}")))
            }
        };
        let bytes = |name: &str| Ok::<_, CorpusError>(tensor(name, Dtype::U8)?.data().to_vec());
        let history = tensor("history", Dtype::U8)?;
        let columns = Columns {
            numbers: integers(tensor("deal", Dtype::I64)?.data()),
            owner: bytes("owner")?,
            dealer: bytes("dealer")?,
            turn_up: bytes("turn_up")?,
            history: history.data().to_vec(),
            history_width: history.shape().last().copied().unwrap_or(0),
            first: integers(tensor("first", Dtype::I64)?.data()),
            action: bytes("action")?,
            points: floats(tensor("points", Dtype::F32)?.data()),
            spread: floats(tensor("spread", Dtype::F32)?.data()),
        };
        let (n, actions) = (columns.numbers.len(), columns.action.len());
        let lengths = [
            columns.owner.len() == N_CARDS * n,
            columns.history.len() == columns.history_width * n,
            columns.dealer.len() == n,
            columns.turn_up.len() == n,
            columns.first.len() == n + 1,
            columns.points.len() == 2 * actions,
            columns.spread.len() == 2 * actions,
        ];
        if lengths.contains(&false) {
            return Err(damaged(path, "the lengths of its tensors do not match"));
        }
        Ok(columns)
    }

    /// Returns the decision at a position; `None` if its numbers are invalid.
    fn decision(&self, p: usize, rules: &'static RuleSet) -> Option<CorpusDecision> {
        let deal =
            deal_of(&self.owner[N_CARDS * p..N_CARDS * (p + 1)], self.dealer[p], self.turn_up[p])?;
        deal.check(rules).ok()?;
        let history = self.history[self.history_width * p..self.history_width * (p + 1)].iter();
        let history: Vec<Action> = history
            .take_while(|&&action| action != ABSENT)
            .map(|&action| Action::from_index(action.into()))
            .collect::<Option<_>>()?;
        let mut state = State::new(rules, &deal);
        history.iter().try_for_each(|&action| state.apply(action)).ok()?;
        let obs = state.observe(state.turn(), BySeat::default());
        let estimates = self.estimates(p)?;
        let is_whole =
            obs.legal_actions().into_iter().eq(estimates.iter().map(|(action, _)| *action));
        let number = u64::try_from(self.numbers[p]).ok()?;
        is_whole.then_some(CorpusDecision { number, observation: obs, estimates, deal, history })
    }

    /// Returns the actions of a position with their estimates; `None` if they are invalid.
    fn estimates(&self, p: usize) -> Option<Vec<(Action, [PointsEstimate; 2])>> {
        let [from, to] = [self.first[p], self.first[p + 1]].map(usize::try_from);
        let (from, to) = (from.ok()?, to.ok()?);
        if from > to || to > self.action.len() {
            return None;
        }
        let estimate = |a: usize| {
            let pair = [0, 1].map(|set| PointsEstimate {
                points: self.points[2 * a + set],
                spread: self.spread[2 * a + set],
            });
            let is_finite = pair.iter().all(|estimate| estimate.points.is_finite());
            let action = Action::from_index(self.action[a].into());
            action.filter(|_| is_finite).map(|action| (action, pair))
        };
        (from..to).map(estimate).collect()
    }
}

fn integers(bytes: &[u8]) -> Vec<i64> {
    bytes.as_chunks().0.iter().map(|&b| i64::from_le_bytes(b)).collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&b| f32::from_le_bytes(b)).collect()
}

fn deal_of(owner: &[u8], dealer: u8, turn_up: u8) -> Option<Deal> {
    let seat = |index: u8| Seat::ALL.get(usize::from(index)).copied();
    let mut hands = BySeat([CardSet::EMPTY; 4]);
    for (card, &owner) in owner.iter().enumerate() {
        hands[seat(owner)?].insert(Card::from_index(card)?);
    }
    let turn_up = match turn_up {
        ABSENT => None,
        card => Some(Card::from_index(card.into())?),
    };
    Some(Deal { dealer: seat(dealer)?, hands, turn_up })
}
