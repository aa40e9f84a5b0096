//! Problems: single decisions with known answers.
//!
//! A suite is a list of problems, as JSON lines. Each holds the record of a deal up to the
//! decision, and the seat that decides. It also holds either the accepted actions or the value of
//! every action. [`generate`] makes the suites that Troel can prove, [`read`] reads a file,
//! [`ask`] asks bots.
//!
//! Averages over deals hide how a bot decides with rare hands. A suite asks only about these
//! decisions.

mod card_play;
mod losing_calls;
mod losing_miseres;
mod position;
mod sheet;
mod strong;
mod sure;
mod types;
mod worlds;

use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use troel_env::RuleSet;
use troel_solver::Solver;

use crate::json::parse_json;
use crate::progress::ProgressFn;

pub use losing_calls::max_tricks;
pub use sheet::{ProblemSheet, WorstProblem, ask};
pub use types::{
    AnswerBasis, InvalidProblemError, PosedProblem, Problem, ProblemError, ProblemLineError, Suite,
    SuiteName,
};

/// Largest size of a file of problems, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Maximum number of positions to try for each problem wanted of a suite.
const ATTEMPTS_PER_PROBLEM: u64 = 200;

/// Minimum number of positions to try before a suite is given up. Where few problems are wanted,
/// one of them may by chance need many positions.
const MIN_ATTEMPTS: u64 = 20_000;

/// Number of positions in a wave, which are tried in parallel. The problems do not depend on it.
///
/// It is small because a wave always runs to its end, and a position of card play takes up to a
/// second.
const POSITIONS_PER_WAVE: u64 = 32;

/// Generates the first `count` problems of a suite under a rule set. The same seed gives the same
/// problems. `progress` counts the problems found, at most `count`.
///
/// # Errors
/// The rule set has too few such problems, or a deck of fewer ranks.
pub fn generate(
    suite: Suite,
    rules: &'static RuleSet,
    count: usize,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Result<Vec<PosedProblem>, ProblemError> {
    if !rules.has_full_deck() {
        return Err(ProblemError::SmallDeck(rules.id().to_string()));
    }
    let problems = generate_at_most(suite, rules, count, seed, progress);
    if problems.len() < count {
        let rules = rules.id().to_string();
        let found = problems.len();
        return Err(ProblemError::TooFew { suite: suite.name(), rules, wanted: count, found });
    }
    Ok(problems)
}

/// Generates problems as [`generate`] does, or fewer if the rule set has fewer. A deck of fewer
/// ranks has none.
pub fn generate_at_most(
    suite: Suite,
    rules: &'static RuleSet,
    count: usize,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Vec<PosedProblem> {
    if !rules.has_full_deck() {
        return Vec::new();
    }
    let found = AtomicUsize::new(0);
    let report = |_: &PosedProblem| {
        if found.fetch_add(1, Ordering::Relaxed) < count {
            progress(1.0);
        }
    };
    let ending =
        |solver: &mut Solver, number| card_play::problem(suite, rules, seed, number, solver);
    match suite {
        Suite::SureContracts => {
            collect(rules, count, &report, |_, number| sure::contract(rules, seed, number))
        }
        Suite::LongTrumps => {
            collect(rules, count, &report, |_, number| sure::long_trumps(rules, seed, number))
        }
        Suite::TopCards => {
            collect(rules, count, &report, |_, number| sure::top_cards(rules, seed, number))
        }
        Suite::NearSlams => {
            collect(rules, count, &report, |_, number| losing_calls::near_slam(rules, seed, number))
        }
        Suite::StrongContracts => {
            collect(rules, count, &report, |_, number| strong::contract(rules, seed, number))
        }
        Suite::SureMiseres => {
            collect(rules, count, &report, |_, number| sure::misere(rules, seed, number))
        }
        Suite::LosingMiseres => collect(rules, count, &report, |solver, number| {
            losing_miseres::losing_misere(rules, seed, number, solver)
        }),
        Suite::Never => {
            let mut calls = collect(rules, count / 2, &report, |_, number| {
                losing_calls::losing_call(rules, seed, number)
            });
            calls.extend(collect(rules, count - calls.len(), &report, ending));
            calls
        }
        Suite::Endings | Suite::MisereDefence => collect(rules, count, &report, ending),
    }
}

/// Collects the first `count` problems of a series, or fewer if most of its numbers have none.
/// `problem` returns the problem of a number. `report` is called with each problem found, which may
/// be more than `count`.
fn collect(
    rules: &'static RuleSet,
    count: usize,
    report: &(dyn Fn(&PosedProblem) + Sync),
    problem: impl Fn(&mut Solver, u64) -> Option<Problem> + Sync,
) -> Vec<PosedProblem> {
    let posed = |solver: &mut Solver, number| {
        let posed = PosedProblem::new(problem(solver, number)?, rules).ok()?;
        report(&posed);
        Some(posed)
    };
    let mut problems = Vec::new();
    let last = (count as u64).saturating_mul(ATTEMPTS_PER_PROBLEM).max(MIN_ATTEMPTS);
    for first in (0..last).step_by(POSITIONS_PER_WAVE as usize) {
        let wave = first..first + POSITIONS_PER_WAVE;
        let wave = wave.into_par_iter().map_init(Solver::default, posed);
        problems.extend(wave.collect::<Vec<_>>().into_iter().flatten());
        if problems.len() >= count {
            problems.truncate(count);
            break;
        }
    }
    problems
}

/// Reads a file of problems and checks each. `rule_set` finds the rule set that a record names.
///
/// # Errors
/// The file cannot be read, is larger than 256 MiB or holds no problems, or a line is no problem.
pub fn read<E>(
    path: &Path,
    mut rule_set: impl FnMut(&str) -> Result<&'static RuleSet, E>,
) -> Result<Vec<PosedProblem>, ProblemError>
where
    E: Into<Box<dyn Error + Send + Sync>>,
{
    let shown = path.display().to_string();
    let text = troel_files::read_text(path, MAX_FILE_BYTES)
        .map_err(|error| ProblemError::Io { path: shown.clone(), error })?;
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bad = |fault| ProblemError::Line { path: shown.clone(), line: number + 1, fault };
        let problem: Problem = parse_json(line.as_bytes()).map_err(|error| bad(error.into()))?;
        let rules = rule_set(&problem.record.rules);
        let rules = rules.map_err(|error| bad(ProblemLineError::Rules(error.into())))?;
        problems.push(PosedProblem::new(problem, rules).map_err(|fault| bad(fault.into()))?);
    }
    if problems.is_empty() {
        return Err(ProblemError::Empty(shown));
    }
    Ok(problems)
}
