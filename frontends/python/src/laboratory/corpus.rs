//! Corpora of searched positions.

use std::path::PathBuf;

use pyo3::prelude::*;
use troel_eval::DealRange;
use troel_eval::corpus::{self, CorpusInfo, DealsDone, DecisionLosses};

use super::computation::Computation;
use crate::agent::rules_for;
use crate::arguments::{seed, to_python, value_error, whole};
use crate::evaluation_arguments::{no_deals, range, threads};
use crate::rule_sets::rule_set;

/// Returns the argument `worlds`.
fn world_count(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "worlds", 1..=100_000)? as usize)
}

/// Returns the argument `per_deal`.
fn positions_per_deal(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(whole(value, "per_deal", 1..=1000)? as usize)
}

/// Makes the shards of a corpus that its folder lacks. Returns the number of decisions in the
/// folder.
#[pyfunction]
#[pyo3(signature = (folder, player, rules, deals, *, worlds, per_deal, features, seed, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn make_corpus<'py>(
    py: Python<'py>,
    folder: PathBuf,
    player: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = world_count)] worlds: usize,
    #[pyo3(from_py_with = positions_per_deal)] per_deal: usize,
    features: bool,
    #[pyo3(from_py_with = seed)] seed: u64,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<usize> {
    let rules = rules_for(rules, &[player])?;
    if deals.is_empty() {
        return Err(no_deals(deals));
    }
    let mut computation = Computation::new(rules);
    let player = computation.bot(player)?;
    let info =
        CorpusInfo { worlds, per_deal, features, ..CorpusInfo::new(rules, &player, deals, seed) };
    computation.run(py, threads, progress, move |progress| {
        progress.plan(deals.len() as f64);
        corpus::make(&folder, &info, rules, &player, &|done| match done {
            DealsDone::Before(deals) => progress.add(deals as f64),
            DealsDone::Now => progress.add(1.0),
        })?;
        corpus::read(&folder, Some(rules)).map(|(_, _, decisions)| decisions.len())
    })
}

/// Measures the losses of bots in the decisions of a corpus. Returns the JSON of `troel corpus
/// judge` by bot, and its text.
#[pyfunction]
#[pyo3(signature = (folder, bots, rules, *, seed, threads, progress))]
pub fn judge_corpus<'py>(
    py: Python<'py>,
    folder: PathBuf,
    bots: Vec<Bound<'py, PyAny>>,
    rules: Option<&str>,
    #[pyo3(from_py_with = seed)] seed: u64,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Vec<Bound<'py, PyAny>>, String)> {
    let rules = rules.map(rule_set).transpose()?;
    let (info, rules, decisions) = corpus::read(&folder, rules).map_err(value_error)?;
    let mut computation = Computation::new(rules);
    let bots = computation.bots(&bots)?;
    let judged = bots.clone();
    let found = computation.run(py, threads, progress, move |progress| {
        progress.plan((judged.len() * decisions.len()) as f64);
        corpus::measure_losses(rules, &decisions, &judged, seed, &|_, n| progress.add(n))
    })?;
    let losses = bots.iter().zip(&found);
    let losses = losses.map(|(bot, losses)| to_python(py, &DecisionLosses::json(bot, losses)));
    Ok((losses.collect::<PyResult<_>>()?, DecisionLosses::table(&info, &bots, &found)))
}
