//! What a bot is: a batch of observations in, a batch of decisions out.

use std::sync::Arc;

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation};

/// How much a bot is to say of a decision beside the action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The action, its log-probability and the value; whatever plays many deals needs no more.
    #[default]
    Action,
    /// Also the policy over all legal actions.
    Policy,
}

/// What a bot decides on one observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The action that it takes.
    pub action: Action,
    /// Natural logarithm of the probability that its policy gives the action; 0 for a bot without a policy.
    pub log_prob: f32,
    /// Points that it expects of the deal for the seat; `None` for a bot without an opinion.
    pub value: Option<f32>,
    /// The legal actions with their probabilities, which add up to 1. Empty unless [`Detail::Policy`] was asked for.
    pub policy: Vec<(Action, f32)>,
}

impl Decision {
    /// The decision of a bot that is sure of its action and has no opinion of the deal.
    pub fn sure(action: Action, detail: Detail) -> Decision {
        let policy = match detail {
            Detail::Action => Vec::new(),
            Detail::Policy => vec![(action, 1.0)],
        };
        Decision { action, log_prob: 0.0, value: None, policy }
    }
}

/// Why a bot cannot be played with any longer. Whoever plays stops; no other move is made in its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BotError {
    /// It chose an action that is not legal.
    #[error(
        "the bot chose {action} for {seat} (phase {phase}), which is not legal; legal: {legal}"
    )]
    Illegal {
        /// The action.
        action: Action,
        /// Seat letter.
        seat: char,
        /// The phase of the deal.
        phase: &'static str,
        /// Codes of the legal actions.
        legal: String,
    },
    /// It answered another number of observations than it was asked about.
    #[error("the bot made {found} decisions on {wanted} observations")]
    Count {
        /// Number of observations.
        wanted: usize,
        /// Number of decisions.
        found: usize,
    },
    /// A probability or a value is not a finite number, as that of a network whose weights are damaged.
    #[error(
        "the bot's {0} is not a finite number; its weights are damaged or diverged in training"
    )]
    NotFinite(&'static str),
    /// A fault of the bot's own, in its own words.
    #[error("{0}")]
    Failed(String),
}

/// A bot. It sees observations and nothing else, always in batches.
pub trait Bot: Send {
    /// Decides on each observation, in order. In each of them it is the observing seat's turn.
    ///
    /// Callers go through [`decide`], which checks the answer.
    ///
    /// # Errors
    /// The bot cannot decide.
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError>;

    /// How many deals it has forfeited so far by a fault of its own; only programs from outside do.
    fn forfeits(&self) -> u64 {
        0
    }
}

impl<B: Bot + ?Sized> Bot for &mut B {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError> {
        (**self).decide(observations, detail)
    }

    fn forfeits(&self) -> u64 {
        (**self).forfeits()
    }
}

/// Has a bot decide, and checks that it decided on each observation, legally and with finite numbers.
///
/// # Errors
/// The bot cannot decide, or its answer is not usable.
pub fn decide(
    bot: &mut dyn Bot,
    observations: &[Observation],
    detail: Detail,
) -> Result<Vec<Decision>, BotError> {
    let decisions = bot.decide(observations, detail)?;
    if decisions.len() != observations.len() {
        return Err(BotError::Count { wanted: observations.len(), found: decisions.len() });
    }
    for (observation, decision) in observations.iter().zip(&decisions) {
        check(observation, decision)?;
    }
    Ok(decisions)
}

/// Has a bot decide on a single observation; see [`decide`].
///
/// # Errors
/// The bot cannot decide, or its answer is not usable.
pub fn decide_one(
    bot: &mut dyn Bot,
    observation: &Observation,
    detail: Detail,
) -> Result<Decision, BotError> {
    let mut decisions = decide(bot, std::slice::from_ref(observation), detail)?;
    decisions.pop().ok_or(BotError::Count { wanted: 1, found: 0 })
}

fn check(observation: &Observation, decision: &Decision) -> Result<(), BotError> {
    let legal = observation.legal_actions();
    if !legal.has(decision.action) {
        let codes: Vec<String> = legal.into_iter().map(|action| action.to_string()).collect();
        return Err(BotError::Illegal {
            action: decision.action,
            seat: observation.seat().letter(),
            phase: observation.state().phase().name(),
            legal: codes.join(" "),
        });
    }
    if !decision.log_prob.is_finite() || decision.policy.iter().any(|(_, p)| !p.is_finite()) {
        return Err(BotError::NotFinite("policy"));
    }
    if decision.value.is_some_and(|value| !value.is_finite()) {
        return Err(BotError::NotFinite("value"));
    }
    Ok(())
}

/// Makes a bot: for each seating, of a seed from which come all its draws.
pub type Factory = Arc<dyn Fn(u64) -> Box<dyn Bot> + Send + Sync>;

/// Plays uniformly at random among the legal actions: the same action whenever it sees the same.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// A random bot with its own seed.
    pub fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Bot for Random {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: Detail,
    ) -> Result<Vec<Decision>, BotError> {
        let one = |observation: &Observation| {
            let legal = observation.legal_actions();
            let mut stream = Stream::new(self.seed, Purpose::Action, observation.fingerprint());
            let action = legal.nth_action(stream.below(legal.len()));
            let share = 1.0 / legal.len() as f32;
            let policy = match detail {
                Detail::Action => Vec::new(),
                Detail::Policy => legal.into_iter().map(|action| (action, share)).collect(),
            };
            Decision {
                action: action.unwrap_or(Action::PASS),
                log_prob: share.ln(),
                value: None,
                policy,
            }
        };
        Ok(observations.iter().map(one).collect())
    }
}

/// Makes a [`Bot`] of a function from an observation to an action.
macro_rules! deterministic_bot {
    ($bot:ty, $choose:expr) => {
        impl $crate::bot::Bot for $bot {
            fn decide(
                &mut self,
                observations: &[troel_env::Observation],
                detail: $crate::bot::Detail,
            ) -> Result<Vec<$crate::bot::Decision>, $crate::bot::BotError> {
                let choose = $choose;
                let mut decisions = Vec::with_capacity(observations.len());
                for observation in observations {
                    let action = choose(&mut *self, observation)?;
                    decisions.push($crate::bot::Decision::sure(action, detail));
                }
                Ok(decisions)
            }
        }
    };
}
pub(crate) use deterministic_bot;
