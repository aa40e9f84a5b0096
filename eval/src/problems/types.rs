//! Problems, suites and their errors.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};
use troel_env::{Action, Record, RecordError, RuleSet, RulesError, Seat, State};

use crate::json::JsonError;

/// A single decision with known answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Problem {
    /// The suite that it belongs to.
    pub suite: SuiteName,
    /// The full record of the deal up to the decision.
    pub record: Record,
    /// The seat that decides.
    pub seat: Seat,
    /// Codes of the accepted actions, the best one first; empty if only values are given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
    /// Expected points of the deal for the seat by action code; every legal action has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, f64>>,
    /// Reason that the answer is right, in one sentence.
    #[serde(default)]
    pub reason: String,
    /// Basis of the answer.
    #[serde(rename = "proof", default)]
    pub basis: AnswerBasis,
}

/// Basis of the answer to a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AnswerBasis {
    /// It holds for every distribution of the hidden cards.
    EveryDistribution,
    /// The solver found it in every world that is consistent with the record, with all cards seen.
    Solver,
    /// It is the mean of the double-dummy points over all worlds that fit the record.
    ExactExpectation,
    /// Rollouts with `rules` in sampled worlds found every other call clearly worse. This is an
    /// estimate, not a proof.
    Rollouts,
    /// The solver found it in sampled worlds, with all cards seen, and rollouts with `rules` agree.
    /// This is an estimate, not a proof.
    SampledWorlds,
    /// The author of the file says so.
    #[default]
    Judgement,
}

/// A suite that can be generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suite {
    /// Hands that make a contract alone, however the other cards lie.
    SureContracts,
    /// Hands of ten to thirteen trumps that make a contract alone, however the other cards lie. The
    /// hand is in any seat.
    LongTrumps,
    /// Hands of eleven to thirteen top cards that make a contract alone, however the others lie.
    /// The hand is in any seat.
    TopCards,
    /// Hands that have twelve tricks from the top and lose the thirteenth to an ace: slams fail.
    /// The hand is in any seat.
    NearSlams,
    /// Hands without a sure contract for which rollouts find only contracts alone best.
    StrongContracts,
    /// Hands that cannot be made to take a trick.
    SureMiseres,
    /// Low hands with which a misère nearly always fails.
    LosingMiseres,
    /// The last three to five tricks, with the mean double-dummy points of every card.
    Endings,
    /// Calls that lose for certain, and cards that another one beats in every world: half of each.
    /// Cards are compared with all hands open.
    Never,
    /// Cards against a lone open misère, with four to seven in hand.
    MisereDefence,
}

impl Suite {
    /// All suites that can be generated.
    pub const ALL: [Suite; 10] = [
        Suite::SureContracts,
        Suite::LongTrumps,
        Suite::TopCards,
        Suite::NearSlams,
        Suite::StrongContracts,
        Suite::SureMiseres,
        Suite::LosingMiseres,
        Suite::Endings,
        Suite::Never,
        Suite::MisereDefence,
    ];

    /// Returns the name used in commands and files.
    pub const fn name(self) -> &'static str {
        match self {
            Suite::SureContracts => "sure-contracts",
            Suite::LongTrumps => "long-trumps",
            Suite::TopCards => "top-cards",
            Suite::NearSlams => "near-slams",
            Suite::StrongContracts => "strong-contracts",
            Suite::SureMiseres => "sure-miseres",
            Suite::LosingMiseres => "losing-miseres",
            Suite::Endings => "endings",
            Suite::Never => "never",
            Suite::MisereDefence => "misere-defence",
        }
    }

    /// Returns the suite of this name.
    pub fn parse(name: &str) -> Option<Suite> {
        Suite::ALL.into_iter().find(|suite| suite.name() == name)
    }
}

/// Name of the suite of a problem. Files may have suites with any name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub enum SuiteName {
    /// A suite that can be generated.
    Generated(Suite),
    /// Another suite, which a file names.
    Custom(String),
}

impl From<Suite> for SuiteName {
    fn from(suite: Suite) -> SuiteName {
        SuiteName::Generated(suite)
    }
}

impl From<String> for SuiteName {
    fn from(name: String) -> SuiteName {
        Suite::parse(&name).map_or(SuiteName::Custom(name), SuiteName::Generated)
    }
}

impl From<SuiteName> for String {
    fn from(suite: SuiteName) -> String {
        match suite {
            SuiteName::Generated(suite) => suite.name().to_string(),
            SuiteName::Custom(name) => name,
        }
    }
}

impl Display for SuiteName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            SuiteName::Generated(suite) => f.write_str(suite.name()),
            SuiteName::Custom(name) => f.write_str(name),
        }
    }
}

/// Reason that a problem cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum InvalidProblemError {
    /// The record is not legal under the rules.
    #[error("{}", .0.message)]
    Record(RecordError),
    /// It is not the turn of the problem's seat.
    #[error("after the record it is not the turn of {0}")]
    Turn(Seat),
    /// An answer is not a legal action. Holds its code.
    #[error("the answer {0:?} is not legal after the record")]
    IllegalAnswer(String),
    /// The values are incomplete.
    #[error("values must hold a number for every legal action")]
    MissingValues,
    /// An accepted action has a lower value than another action.
    #[error("accept holds an action that values make worse than another")]
    WorseAnswer,
    /// There are neither accepted actions nor values.
    #[error("a problem needs accept (codes) or values (points by code)")]
    NoAnswers,
}

/// Reason that a line of a file is not a problem.
#[derive(Debug, thiserror::Error)]
pub enum ProblemLineError {
    /// The line is not JSON of the right form.
    #[error(transparent)]
    Json(#[from] JsonError),
    /// The rule set of the record cannot be found.
    #[error(transparent)]
    Rules(Box<dyn Error + Send + Sync>),
    /// The problem cannot be posed.
    #[error(transparent)]
    Problem(#[from] InvalidProblemError),
}

/// Error while problems are generated, read or judged.
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
    /// A line of a file is not a problem.
    #[error("{path}, line {line}: {fault}")]
    Line {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// Its fault.
        fault: ProblemLineError,
    },
    /// A file without problems.
    #[error("{0} holds no problems; write some with `troel problems SUITE --write FILE`")]
    Empty(String),
    /// Rules with a deck of fewer ranks.
    #[error("{0} has a deck of fewer than 13 ranks; suites are generated for full decks only")]
    SmallDeck(String),
    /// The rule set has too few problems of a suite.
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
    /// The record is not legal under `rules`, it is not the seat's turn, an answer is not legal,
    /// there is none, or the values are incomplete.
    pub fn new(
        problem: Problem,
        rules: &'static RuleSet,
    ) -> Result<PosedProblem, InvalidProblemError> {
        let state = problem.record.play(rules, |_, _| ()).map_err(InvalidProblemError::Record)?;
        if state.is_done() || state.turn() != problem.seat {
            return Err(InvalidProblemError::Turn(problem.seat));
        }
        let legal = state.legal_actions();
        let action = |code: &String| {
            let found = Action::parse(code, state.phase()).filter(|&action| legal.has(action));
            found.ok_or_else(|| InvalidProblemError::IllegalAnswer(code.clone()))
        };
        let values = problem.values.iter().flatten();
        let values: Vec<(Action, f64)> = values
            .map(|(code, &value)| Ok((action(code)?, value)))
            .collect::<Result<_, InvalidProblemError>>()?;
        let mut accept: Vec<Action> =
            problem.accept.iter().map(action).collect::<Result<_, InvalidProblemError>>()?;
        if problem.values.is_some() {
            if values.len() != legal.len() as usize || values.iter().any(|(_, v)| !v.is_finite()) {
                return Err(InvalidProblemError::MissingValues);
            }
            let most = values.iter().map(|&(_, value)| value).fold(f64::NEG_INFINITY, f64::max);
            let best = values.iter().filter(|&&(_, value)| value == most);
            let best: Vec<Action> = best.map(|&(action, _)| action).collect();
            if accept.is_empty() {
                accept = best;
            } else if accept.iter().any(|action| !best.contains(action)) {
                return Err(InvalidProblemError::WorseAnswer);
            }
        }
        if accept.is_empty() {
            return Err(InvalidProblemError::NoAnswers);
        }
        Ok(PosedProblem { problem, state, accept, values })
    }
}

impl Problem {
    /// Returns the problem of a state with these accepted actions, the best one first. `None` if
    /// there are none.
    pub(super) fn with_answers(
        suite: Suite,
        state: &State,
        accept: &[Action],
        reason: String,
        basis: AnswerBasis,
    ) -> Option<Problem> {
        (!accept.is_empty()).then(|| Problem {
            suite: suite.into(),
            record: record(state),
            seat: state.turn(),
            accept: accept.iter().map(ToString::to_string).collect(),
            values: None,
            reason,
            basis,
        })
    }
}

/// Returns the record of a deal up to a decision.
pub(super) fn record(state: &State) -> Record {
    Record { scores_before: None, ..Record::from_state(state, &Default::default()) }
}
