//! Duplicate matches.

use std::sync::Arc;

use pyo3::prelude::*;
use rayon::ThreadPool;
use troel_agents::NamedBot;
use troel_agents::driver::{self, BotTable, Recorder, Seating};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, Record, Seat, Session};
use troel_eval::series::MAX_DEALS;
use troel_eval::{
    DEALS_PER_CHUNK, DuplicateConfig, DuplicateResult, EvalError, Lineup, Report, Scope, Sprt,
    play_duplicate, play_until,
};

use crate::agent::{Raised, is_python, named_bot, raise, rules_for};
use crate::arguments::{bad, scenario_of, seed, to_python, whole};
use crate::parallel::interruptible;

/// Maximum number of threads.
const MAX_THREADS: usize = 1024;

/// Report of [`evaluate`], remark on its interval, and result of the sequential test in words.
type Evaluated<'py> = (Bound<'py, PyAny>, &'static str, Option<String>);

/// Returns the argument `threads`.
fn threads(value: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    if value.is_none() {
        Ok(None)
    } else {
        Ok(Some(whole(value, "threads", 1..=MAX_THREADS as u64)? as usize))
    }
}

/// Returns the argument `deals`: a range, whose end is excluded.
fn range(value: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    let (first, end): (Bound<'_, PyAny>, Bound<'_, PyAny>) = value.extract()?;
    Ok((whole(&first, "deals", 0..=MAX_DEALS)?, whole(&end, "deals", 0..=MAX_DEALS)?))
}

/// Returns a scope by its name.
fn scope_of(name: &str) -> PyResult<Scope> {
    let scopes = [Scope::Full, Scope::Bidding, Scope::Play];
    let found = scopes.into_iter().find(|scope| scope.name() == name);
    found.ok_or_else(|| bad(format!("scope={name:?}: use \"full\", \"bidding\" or \"play\"")))
}

/// Returns the threads of a match: one for bots written in Python, else one per core by default.
fn match_pool(threads: Option<usize>, is_python: bool) -> PyResult<ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = if is_python { 1 } else { threads.unwrap_or(cores).min(MAX_THREADS) };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(bad)
}

/// Plays a duplicate match. Returns the report of `troel eval --json`, the remark of the program on
/// the interval, and the verdict of a sequential test in words. `deals` is a range, whose end is
/// excluded. With `sprt`, two differences in points per deal, it ends when one of them is accepted.
#[pyfunction]
#[pyo3(signature = (challenger, baseline, rules, deals, *, seed, scope, pairs, scenario, fixed, regret, sprt, threads, progress))]
#[expect(clippy::too_many_arguments, reason = "they have names in Python")]
pub fn evaluate<'py>(
    py: Python<'py>,
    challenger: &Bound<'py, PyAny>,
    baseline: &Bound<'py, PyAny>,
    rules: Option<&str>,
    #[pyo3(from_py_with = range)] deals: (u64, u64),
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
    if deals.0 >= deals.1 {
        return Err(bad(format!("deals={deals:?} has none: the end must be above the start")));
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
    let sprt = sprt.map(|(low, high)| Sprt::new(low, high)).transpose().map_err(bad)?;
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
    let mut from = deals.0;
    while from < deals.1 {
        let to = (from / piece * piece).saturating_add(piece).min(deals.1);
        let config = DuplicateConfig { deals: (from, to), ..config };
        let (pool, bots, sprt, before) = (Arc::clone(&pool), bots.clone(), sprt, result.clone());
        let play =
            move || pool.install(|| play_piece(&config, bots.each_ref(), sprt.as_ref(), &before));
        let played = interruptible(py, play)?.map_err(|error| raise(&raised, error))?;
        result.merge(&played);
        if let Some(progress) = progress {
            progress.call1((to - deals.0, deals.1 - deals.0))?;
        }
        if sprt.is_some_and(|sprt| sprt.is_decided(&result.difference)) {
            break;
        }
        from = to;
    }
    let test = sprt.map(|sprt| sprt.describe(&result.difference));
    let mut report = Report::new(&config, scenario);
    let note = report.add(scope, bots.each_ref(), result, sprt.as_ref()).note();
    Ok((to_python(py, &report)?, note, test))
}

/// Plays the deals of `config` after those of the result `before`. With a sequential test, it stops
/// once the test of all deals so far is decided.
fn play_piece(
    config: &DuplicateConfig,
    [challenger, baseline, fixed]: [&NamedBot; 3],
    sprt: Option<&Sprt>,
    before: &DuplicateResult,
) -> Result<DuplicateResult, EvalError> {
    let Some(sprt) = sprt else {
        return play_duplicate(config, challenger, baseline, fixed, &|_| ());
    };
    play_until(config, [challenger, baseline, fixed], &|_| (), |piece| {
        let mut total = before.clone();
        total.merge(piece);
        sprt.is_decided(&total.difference)
    })
}

/// Full records of finished deals.
struct Records(Vec<Option<Record>>);

impl Recorder for Records {
    fn deal_over(&mut self, at: usize, table: &BotTable) {
        self.0[at] = Some(Record::of_state(table.session.state(), &BySeat([0; 4])));
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
    #[pyo3(from_py_with = range)] deals: (u64, u64),
    #[pyo3(from_py_with = seed)] seed: u64,
    scenario: &str,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let rules = rules_for(rules, &bots.each_ref())?;
    if deals.0 > deals.1 {
        return Err(bad(format!("deals={deals:?} has none: the end must be above the start")));
    }
    let scenario = scenario_of(scenario)?;
    let raised = Raised::default();
    let bots =
        bots.iter().map(|bot| named_bot(bot, rules, &raised)).collect::<PyResult<Vec<_>>>()?;
    let source = Deals::new(rules, seed).with_scenario(scenario);
    let mut records = Vec::new();
    let mut from = deals.0;
    while from < deals.1 {
        let to =
            (from / DEALS_PER_CHUNK * DEALS_PER_CHUNK).saturating_add(DEALS_PER_CHUNK).min(deals.1);
        let (source, bots) = (source.clone(), bots.clone());
        let play = move || {
            let mut draws = Stream::new(seed, Purpose::Action, from / DEALS_PER_CHUNK);
            let mut seated: Vec<_> = bots.iter().map(|bot| bot.instantiate(draws.bits())).collect();
            let table = |n| BotTable {
                session: Session::of_deal(rules, &source.shuffled(n, Seat::dealer(n))),
                seating: Seating::full(BySeat([0, 1, 2, 3])),
            };
            let mut tables: Vec<BotTable> = (from..to).map(table).collect();
            let mut records = Records(vec![None; tables.len()]);
            driver::run(&mut tables, &mut seated, &mut records).map(|()| records.0)
        };
        let played = interruptible(py, play)?.map_err(|error| raise(&raised, error))?;
        for record in played.into_iter().flatten() {
            records.push(to_python(py, &record)?);
        }
        from = to;
    }
    Ok(records)
}
