//! Duplicate comparisons.

use std::convert::Infallible;
use std::sync::Arc;

use pyo3::prelude::*;
use troel_agents::driver::{self, BotTable, Recorder, Seating};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, Record, Seat, Session};
use troel_eval::{
    DEALS_PER_CHUNK, DealRange, DuplicateBots, DuplicateConfig, DuplicateResult, EvalError, Lineup,
    Report, Sprt, play_duplicate, play_until,
};

use crate::agent::rules_for;
use crate::arguments::{scenario_of, seed, to_python, value_error};
use crate::evaluation_arguments::{match_pool, no_deals, range, scope_of, threads};
use crate::parallel::interruptible;
use crate::python_bot::{Raised, is_python, named_bot, raised_or_value_error};

/// Report of [`evaluate`], remark on its interval, and result of the sequential test in words.
type Evaluated<'py> = (Bound<'py, PyAny>, &'static str, Option<String>);

/// Plays a duplicate comparison. Returns the report of `troel eval --json`, the remark of the
/// program on the interval, and the verdict of a sequential test in words. `deals` is a range,
/// whose end is excluded. With `sprt`, two differences in points per deal, it ends when one of them
/// is accepted.
#[pyfunction]
#[pyo3(signature = (challenger, baseline, rules, deals, *, seed, scope, pairs, scenario, fixed, regret, sprt, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn evaluate<'py>(
    py: Python<'py>,
    challenger: &Bound<'py, PyAny>,
    baseline: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = seed)] seed: u64,
    scope: &str,
    pairs: bool,
    scenario: &str,
    fixed: &Bound<'py, PyAny>,
    regret: bool,
    sprt: Option<(f64, f64)>,
    #[pyo3(from_py_with = threads)] threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Evaluated<'py>> {
    let rules = rules_for(rules, &[challenger, baseline])?;
    if deals.is_empty() {
        return Err(no_deals(deals));
    }
    let scope = scope_of(scope)?;
    let raised = Raised::default();
    // One thread calls bots written in Python, chunk by chunk. They may keep a state, and may use
    // several threads themselves.
    let is_python = [challenger, baseline, fixed].into_iter().any(is_python);
    let [challenger, baseline, fixed] = [
        named_bot(challenger, rules, &raised)?,
        named_bot(baseline, rules, &raised)?,
        named_bot(fixed, rules, &raised)?,
    ];
    let sprt = sprt.map(|(low, high)| Sprt::new(low, high)).transpose().map_err(value_error)?;
    let config = DuplicateConfig {
        rules,
        deals,
        seed,
        scenario: scenario_of(scenario)?,
        scope,
        lineup: if pairs { Lineup::TwoVsTwo } else { Lineup::OneVsThree },
        regret,
    };
    let pool = Arc::new(match_pool(threads, is_python)?);
    let mut result = DuplicateResult::default();
    // Pieces end at the ends of chunks, so that no result depends on the size of a piece.
    let chunks = if is_python { 1 } else { 4 * pool.current_num_threads() as u64 };
    let piece = DEALS_PER_CHUNK * chunks;
    let bots = [challenger, baseline, fixed];
    let mut first = deals.first;
    while first < deals.end {
        let end = (first / piece * piece).saturating_add(piece).min(deals.end);
        let config = DuplicateConfig { deals: DealRange { first, end }, ..config };
        let (pool, bots, sprt, before) = (Arc::clone(&pool), bots.clone(), sprt, result.clone());
        let play = move || {
            let [challenger, baseline, fixed] = &bots;
            let bots = DuplicateBots { challenger, baseline, fixed };
            pool.install(|| play_piece(&config, bots, sprt.as_ref(), &before))
        };
        let played =
            interruptible(py, play)?.map_err(|error| raised_or_value_error(&raised, error))?;
        result.merge(&played);
        if let Some(progress) = progress {
            progress.call1((end - deals.first, deals.len()))?;
        }
        if sprt.is_some_and(|sprt| sprt.is_decided(&result.difference)) {
            break;
        }
        first = end;
    }
    let test = sprt.map(|sprt| sprt.describe(&result.difference));
    let mut report = Report::new(&config, scenario);
    let [challenger, baseline, fixed] = &bots;
    let bots = DuplicateBots { challenger, baseline, fixed };
    let note = report.add(scope, bots, result, sprt.as_ref()).note();
    Ok((to_python(py, &report)?, note, test))
}

/// Plays the deals of `config` after those of the result `before`. With a sequential test, it stops
/// once the test of all deals so far is decided.
fn play_piece(
    config: &DuplicateConfig,
    bots: DuplicateBots<'_>,
    sprt: Option<&Sprt>,
    before: &DuplicateResult,
) -> Result<DuplicateResult, EvalError> {
    let Some(sprt) = sprt else {
        return play_duplicate(config, bots, &|_| ());
    };
    play_until(config, bots, &|_| (), |piece| {
        let mut total = before.clone();
        total.merge(piece);
        sprt.is_decided(&total.difference)
    })
}

/// Full records of finished deals.
struct Records(Vec<Option<Record>>);

impl Recorder for Records {
    type Error = Infallible;

    fn deal_over(&mut self, at: usize, table: &BotTable) {
        self.0[at] = Some(Record::from_state(table.session.state(), &BySeat([0; 4])));
    }
}

/// Lets four bots, one for each seat, play deals, and returns their full records. `deals` is a
/// range as in [`evaluate`].
#[pyfunction]
#[pyo3(signature = (bots, rules, deals, *, seed, scenario))]
pub fn play<'py>(
    py: Python<'py>,
    bots: [Bound<'py, PyAny>; 4],
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: DealRange,
    #[pyo3(from_py_with = seed)] seed: u64,
    scenario: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let rules = rules_for(rules, &bots.each_ref())?;
    if deals.first > deals.end {
        return Err(no_deals(deals));
    }
    let scenario = scenario_of(scenario)?;
    let raised = Raised::default();
    let bots =
        bots.iter().map(|bot| named_bot(bot, rules, &raised)).collect::<PyResult<Vec<_>>>()?;
    let source = Deals::new(rules, seed).with_scenario(scenario);
    let mut records = Vec::new();
    let mut first = deals.first;
    while first < deals.end {
        let chunk = first / DEALS_PER_CHUNK;
        let end = (chunk * DEALS_PER_CHUNK).saturating_add(DEALS_PER_CHUNK).min(deals.end);
        let (source, bots) = (source.clone(), bots.clone());
        let play = move || {
            let mut draws = Stream::new(seed, Purpose::Action, chunk);
            let mut seated: Vec<_> = bots.iter().map(|bot| bot.instantiate(draws.bits())).collect();
            let table = |n| BotTable {
                session: Session::from_deal(rules, &source.shuffled(n, Seat::dealer(n))),
                seating: Seating::full(BySeat([0, 1, 2, 3])),
            };
            let mut tables: Vec<BotTable> = (first..end).map(table).collect();
            let mut records = Records(vec![None; tables.len()]);
            driver::run(&mut tables, &mut seated, &mut records).map(|()| records.0)
        };
        let played =
            interruptible(py, play)?.map_err(|error| raised_or_value_error(&raised, error))?;
        for record in played.into_iter().flatten() {
            records.push(to_python(py, &record)?);
        }
        first = end;
    }
    Ok(records)
}
