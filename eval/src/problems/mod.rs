//! Problems: single decisions with known answers.
//!
//! A suite is a list of problems, as JSON lines. Each holds the record of a deal up to the
//! decision, the seat that decides, and either the accepted actions or the value of every action.
//! [`generate`] makes the suites that Troel can prove, [`read`] reads a file, [`judge`] asks bots.
//!
//! Averages over deals hide what a bot does with rare hands; a suite asks about nothing else.

mod endings;
mod judge;
mod never;
mod sure;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_env::error::RulesError;
use troel_env::{Action, Record, RuleSet, Seat, State};
use troel_solver::Solver;

pub use judge::{ProblemSheet, WorstProblem, judge, table};
pub use never::most_tricks;
pub use sure::is_sure_misere;

/// Largest size of a file of problems, in bytes.
const MAX_FILE_BYTES: u64 = 256 << 20;

/// Positions tried for each problem of a generated suite before it is given up.
const ATTEMPTS: u64 = 200;

/// A single decision with known answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// Name of the suite.
    pub suite: String,
    /// The full record of the deal up to the decision.
    pub record: Record,
    /// The seat that decides.
    pub seat: Seat,
    /// Codes of the accepted actions, the best one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// Expected points of the deal for the seat by action code; every legal action has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, f64>>,
    /// Why the answer is right, in a sentence.
    pub reason: String,
    /// Basis of the answer.
    pub proof: Proof,
}

/// Basis of the answer to a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// It holds for every distribution of the hidden cards.
    EveryDistribution,
    /// The solver found it in every world that is consistent with the record, with all cards seen.
    Solver,
    /// It is the mean of the double-dummy points over all worlds that are consistent with the
    /// record.
    ExactExpectation,
}

/// A suite that can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Hands that make a contract alone, however the other cards lie.
    SureContracts,
    /// Hands that cannot be made to take a trick.
    SureMiseres,
    /// The last three to five tricks, with the mean double-dummy points of every card.
    Endings,
    /// Calls that lose for certain, and cards that another one beats in every world, with all cards
    /// seen: half of each.
    Never,
    /// Cards against a lone open misère, with four to seven in hand.
    MisereDefence,
}

impl Suite {
    /// All suites that can be generated.
    pub const ALL: [Suite; 5] = [
        Suite::SureContracts,
        Suite::SureMiseres,
        Suite::Endings,
        Suite::Never,
        Suite::MisereDefence,
    ];

    /// The name used in commands and files.
    pub const fn name(self) -> &'static str {
        ["sure-contracts", "sure-miseres", "endings", "never", "misere-defence"][self as usize]
    }

    /// The suite of this name.
    pub fn parse(name: &str) -> Option<Suite> {
        Suite::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// Positions that are tried in parallel, in waves. The problems do not depend on it. Small, because
/// a wave is finished once it has begun, and positions of card play take up to a second each.
const WAVE: u64 = 32;

/// Why problems cannot be generated, read or judged.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
    /// A line of a file is no problem.
    #[error("{path}, line {line}: {message}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// Description of the fault and its remedy.
        message: String,
    },
    /// A file without problems.
    #[error("{0} holds no problems; write some with `troel problems SUITE --write FILE`")]
    Empty(String),
    /// Rules with a deck of fewer ranks.
    #[error("{0} has a deck of fewer than 13 ranks; suites are generated for full decks only")]
    SmallDeck(String),
    /// A suite that the rule set has too few problems for.
    #[error(
        "the rule set {rules} has only {found} of {wanted} problems of {suite}; ask for fewer, or for another suite"
    )]
    TooFew {
        /// Name of the suite.
        suite: &'static str,
        /// Identifier of the rule set.
        rules: String,
        /// Problems wanted.
        wanted: usize,
        /// Problems found.
        found: usize,
    },
    /// A bot failed.
    #[error("{name}, problems {} to {}: {error}", numbers.0, numbers.1)]
    Bot {
        /// Name of the bot.
        name: String,
        /// Numbers of the first and the last problem that it was asked together, from 1.
        numbers: (usize, usize),
        /// Its fault.
        error: troel_agents::BotError,
    },
    /// The rule set of a problem cannot be found.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

/// A problem that was checked: its state, and its answers as actions.
#[derive(Clone, Debug)]
pub struct PosedProblem {
    /// The problem.
    pub problem: Problem,
    /// The state before the decision.
    pub state: State,
    /// The accepted actions, the best one first.
    pub accept: Vec<Action>,
    /// Expected points of the deal by action; empty if only accepted actions are known.
    pub values: Vec<(Action, f64)>,
}

impl PosedProblem {
    /// Replays the record of a problem and checks its answers.
    ///
    /// # Errors
    /// The record is not legal under `rules`, it is not the seat's turn, an answer is not legal, or
    /// there is none.
    pub fn new(problem: Problem, rules: &'static RuleSet) -> Result<PosedProblem, String> {
        let state = problem.record.play(rules, |_, _| ()).map_err(|error| error.message)?;
        if state.is_done() || state.turn() != problem.seat {
            return Err(format!(
                "after the record it is not the turn of {}",
                problem.seat.letter()
            ));
        }
        let legal = state.legal_actions();
        let action = |code: &String| {
            let found = Action::parse(code, state.phase()).filter(|&action| legal.has(action));
            found.ok_or_else(|| format!("the answer {code:?} is not legal after the record"))
        };
        let values = problem.values.iter().flatten();
        let values: Vec<(Action, f64)> = values
            .map(|(code, &value)| Ok((action(code)?, value)))
            .collect::<Result<_, String>>()?;
        let mut accept: Vec<Action> =
            problem.accept.iter().map(action).collect::<Result<_, String>>()?;
        if problem.values.is_some() {
            if values.len() != legal.len() as usize || values.iter().any(|(_, v)| !v.is_finite()) {
                return Err("values must hold a number for every legal action".to_string());
            }
            let most = values.iter().map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
            let best = values.iter().filter(|&&(_, value)| value == most);
            let best: Vec<Action> = best.map(|&(action, _)| action).collect();
            if accept.is_empty() {
                accept = best;
            } else if accept.iter().any(|action| !best.contains(action)) {
                return Err(
                    "accept holds an action that values make worse than another".to_string()
                );
            }
        }
        if accept.is_empty() {
            return Err("a problem needs accept (codes) or values (points by code)".to_string());
        }
        Ok(PosedProblem { problem, state, accept, values })
    }
}

/// Generates the first `count` problems of a suite under a rule set. The same seed gives the same
/// problems. `progress` is called with 1 for each problem found, `count`
/// times at most.
///
/// # Errors
/// The rule set has too few such problems, or a deck of fewer ranks.
pub fn generate(
    suite: Suite,
    rules: &'static RuleSet,
    count: usize,
    seed: u64,
    progress: &(dyn Fn(f64) + Sync),
) -> Result<Vec<PosedProblem>, ProblemError> {
    if rules.cards_per_hand() < 13 {
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
    progress: &(dyn Fn(f64) + Sync),
) -> Vec<PosedProblem> {
    if rules.cards_per_hand() < 13 {
        return Vec::new();
    }
    let found = AtomicUsize::new(0);
    let report = |_: &PosedProblem| {
        if found.fetch_add(1, Ordering::Relaxed) < count {
            progress(1.0);
        }
    };
    let ending = |solver: &mut Solver, number| endings::problem(suite, rules, seed, number, solver);
    match suite {
        Suite::SureContracts => {
            collect(rules, count, &report, |_, number| sure::contract(rules, seed, number))
        }
        Suite::SureMiseres => {
            collect(rules, count, &report, |_, number| sure::misere(rules, seed, number))
        }
        Suite::Never => {
            let mut calls =
                collect(rules, count / 2, &report, |_, number| never::call(rules, seed, number));
            calls.extend(collect(rules, count - calls.len(), &report, ending));
            calls
        }
        Suite::Endings | Suite::MisereDefence => collect(rules, count, &report, ending),
    }
}

/// The first `count` problems that a function gives for the numbers from 0, or fewer if it gives
/// none for most numbers. `report` is called with each problem found, also with further ones.
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
    let last = (count as u64).saturating_mul(ATTEMPTS);
    for first in (0..last).step_by(WAVE as usize) {
        let wave = (first..first + WAVE).into_par_iter().map_init(Solver::default, posed);
        problems.extend(wave.collect::<Vec<_>>().into_iter().flatten());
        if problems.len() >= count {
            problems.truncate(count);
            break;
        }
    }
    problems
}

/// The record of a deal up to a decision.
fn record(state: &State) -> Record {
    Record { scores_before: None, ..Record::of_state(state, &Default::default()) }
}

/// Reads a file of problems and checks each. `rule_set` finds the rule set that a record names.
///
/// # Errors
/// The file cannot be read, is larger than 256 MiB, holds no problems, or a line is no problem.
pub fn read(
    path: &Path,
    mut rule_set: impl FnMut(&str) -> Result<&'static RuleSet, String>,
) -> Result<Vec<PosedProblem>, ProblemError> {
    let shown = path.display().to_string();
    let text = troel_files::read_text(path, MAX_FILE_BYTES)
        .map_err(|error| ProblemError::Io { path: shown.clone(), error })?;
    let mut problems = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let bad = |message| ProblemError::Line { path: shown.clone(), line: number + 1, message };
        let problem: Problem =
            serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
        let rules = rule_set(&problem.record.rules).map_err(bad)?;
        problems.push(PosedProblem::new(problem, rules).map_err(bad)?);
    }
    if problems.is_empty() {
        return Err(ProblemError::Empty(shown));
    }
    Ok(problems)
}
