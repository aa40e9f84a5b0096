//! The [`Bot`] trait: a batch of observations in, a batch of decisions out.

use std::sync::Arc;

use troel_env::rng::{Purpose, Stream};
use troel_env::{Action, Observation, Phase, Seat};

/// Detail that a bot returns with each action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecisionDetail {
    /// The action, its log-probability and the value estimate: all that playing many deals needs.
    #[default]
    Action,
    /// Also the policy: the probability of every legal action.
    Policy,
}

impl DecisionDetail {
    /// Returns the policy if it was requested, and nothing otherwise.
    pub(crate) fn policy(self, policy: impl FnOnce() -> Vec<(Action, f32)>) -> Vec<(Action, f32)> {
        match self {
            DecisionDetail::Action => Vec::new(),
            DecisionDetail::Policy => policy(),
        }
    }
}

/// A bot's decision on one observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Decision {
    /// The chosen action.
    pub action: Action,
    /// Natural logarithm of the action's probability under the bot's policy. 0 for a bot without
    /// one.
    pub log_prob: f32,
    /// Expected points of the deal for the observing seat. `None` for a bot without a value
    /// estimate.
    pub value: Option<f32>,
    /// Legal actions with their probabilities, which sum to 1. Empty unless
    /// [`DecisionDetail::Policy`] was requested.
    pub policy: Vec<(Action, f32)>,
}

impl Decision {
    /// Creates a deterministic decision. Its log-probability is 0 and it has no value; with
    /// [`DecisionDetail::Policy`], the action has probability 1.
    pub fn sure(action: Action, detail: DecisionDetail) -> Decision {
        let policy = detail.policy(|| vec![(action, 1.0)]);
        Decision { action, log_prob: 0.0, value: None, policy }
    }

    /// Sorts the policy, the most probable action first.
    pub(crate) fn sort_policy(&mut self) {
        self.policy.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    }
}

/// Returns the probability of an action in a policy, or 0 if the policy does not contain it.
pub(crate) fn probability_of(policy: &[(Action, f32)], action: Action) -> f32 {
    policy.iter().find(|(other, _)| *other == action).map_or(0.0, |&(_, probability)| probability)
}

/// Failure of a bot. The caller stops playing; no other move is substituted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BotError {
    /// The bot chose an illegal action.
    #[error(
        "the bot chose {action} for {seat} (phase {phase}), which is not legal; legal: {legal}"
    )]
    Illegal {
        /// The action.
        action: Action,
        /// The seat.
        seat: Seat,
        /// The phase of the deal.
        phase: Phase,
        /// Codes of the legal actions.
        legal: String,
    },
    /// The number of decisions differs from the number of observations.
    #[error("the bot returned {found} decisions for {wanted} observations")]
    Count {
        /// Number of observations.
        wanted: usize,
        /// Number of decisions.
        found: usize,
    },
    /// A log-probability, probability or value is NaN or infinite. The network's weights may be
    /// damaged. Holds `policy` or `value`.
    #[error(
        "the bot's {0} is not a finite number; its weights are damaged or diverged in training"
    )]
    NotFinite(&'static str),
    /// The caller no longer waits for the decision ([`crate::CancelToken`]).
    #[error("the bot's search was cancelled: it took too long, or its result is no longer needed")]
    Cancelled,
    /// Any other failure, described by the bot itself.
    #[error("{0}")]
    Failed(String),
}

/// Player that decides on batches of observations and sees nothing else.
pub trait Bot: Send {
    /// Returns one decision per observation, in order. In each observation it is the observing
    /// seat's turn.
    ///
    /// Call [`decide`] or [`decide_one`] instead, which check the result.
    ///
    /// # Errors
    /// The bot failed to decide.
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError>;

    /// Returns the number of deals forfeited so far through the bot's own faults. Only external
    /// programs (`bot:COMMAND`) forfeit deals.
    fn forfeits(&self) -> u64 {
        0
    }
}

impl<B: Bot + ?Sized> Bot for &mut B {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        (**self).decide(observations, detail)
    }

    fn forfeits(&self) -> u64 {
        (**self).forfeits()
    }
}

/// Asks a bot for decisions and checks them: one per observation, each legal, with finite numbers.
///
/// # Errors
/// The bot failed to decide, or its decisions did not pass the checks.
pub fn decide(
    bot: &mut dyn Bot,
    observations: &[Observation],
    detail: DecisionDetail,
) -> Result<Vec<Decision>, BotError> {
    let decisions = bot.decide(observations, detail)?;
    if decisions.len() != observations.len() {
        return Err(BotError::Count { wanted: observations.len(), found: decisions.len() });
    }
    for (obs, decision) in observations.iter().zip(&decisions) {
        check(obs, decision)?;
    }
    Ok(decisions)
}

/// Asks a bot for a decision on a single observation; see [`decide`].
///
/// ```
/// use troel_agents::{DecisionDetail, NamedBot, decide_one};
/// use troel_env::{BySeat, Deals, RuleSet, Seat, State};
///
/// let rules = RuleSet::built_in("luxembourg").unwrap();
/// let mut bot = NamedBot::find("rules", rules).unwrap().instantiate(1);
/// let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
/// let obs = state.observe(state.turn(), BySeat::default());
/// let decision = decide_one(&mut *bot, &obs, DecisionDetail::Action).unwrap();
/// assert!(obs.legal_actions().has(decision.action));
/// ```
///
/// # Errors
/// The bot failed to decide, or its decisions did not pass the checks.
pub fn decide_one(
    bot: &mut dyn Bot,
    obs: &Observation,
    detail: DecisionDetail,
) -> Result<Decision, BotError> {
    let mut decisions = decide(bot, std::slice::from_ref(obs), detail)?;
    decisions.pop().ok_or(BotError::Count { wanted: 1, found: 0 })
}

/// Checks that an action is legal for the observing seat.
///
/// # Errors
/// The action is not legal.
pub(crate) fn check_legal(obs: &Observation, action: Action) -> Result<(), BotError> {
    let legal = obs.legal_actions();
    if legal.has(action) {
        return Ok(());
    }
    let codes: Vec<String> = legal.into_iter().map(|action| action.to_string()).collect();
    Err(BotError::Illegal {
        action,
        seat: obs.seat(),
        phase: obs.public().phase(),
        legal: codes.join(" "),
    })
}

fn check(obs: &Observation, decision: &Decision) -> Result<(), BotError> {
    check_legal(obs, decision.action)?;
    if !decision.log_prob.is_finite() || decision.policy.iter().any(|(_, p)| !p.is_finite()) {
        return Err(BotError::NotFinite("policy"));
    }
    if decision.value.is_some_and(|value| !value.is_finite()) {
        return Err(BotError::NotFinite("value"));
    }
    Ok(())
}

/// Function that creates a bot from a seed. The seed determines all random draws of the bot.
pub type BotFactory = Arc<dyn Fn(u64) -> Box<dyn Bot> + Send + Sync>;

/// Bot that plays uniformly at random among the legal actions. With one seed, equal observations
/// have the same action.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// Creates a random bot with this seed.
    pub fn new(seed: u64) -> Random {
        Random { seed }
    }
}

impl Bot for Random {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let decision = |obs: &Observation| {
            let legal = obs.legal_actions();
            let mut stream = Stream::new(self.seed, Purpose::Action, obs.fingerprint());
            let action = legal.draw(&mut stream);
            let share = 1.0 / legal.len() as f32;
            let policy =
                detail.policy(|| legal.into_iter().map(|action| (action, share)).collect());
            Decision {
                action: action.unwrap_or(Action::PASS),
                log_prob: share.ln(),
                value: None,
                policy,
            }
        };
        Ok(observations.iter().map(decision).collect())
    }
}

/// Returns a deterministic decision for each observation, with the action that `choose` returns.
///
/// # Errors
/// `choose` failed for an observation; it is not called for the later ones.
pub(crate) fn decide_each(
    observations: &[Observation],
    detail: DecisionDetail,
    mut choose: impl FnMut(&Observation) -> Result<Action, BotError>,
) -> Result<Vec<Decision>, BotError> {
    let decide = |obs| Ok(Decision::sure(choose(obs)?, detail));
    observations.iter().map(decide).collect()
}

/// Implements [`Bot`] for a type by [`decide_each`]. The function maps a bot and an observation to
/// an action.
macro_rules! deterministic_bot {
    ($bot:ty, $choose:expr) => {
        impl $crate::bot::Bot for $bot {
            fn decide(
                &mut self,
                observations: &[troel_env::Observation],
                detail: $crate::bot::DecisionDetail,
            ) -> Result<Vec<$crate::bot::Decision>, $crate::bot::BotError> {
                let choose = |obs: &_| ($choose)(&mut *self, obs);
                $crate::bot::decide_each(observations, detail, choose)
            }
        }
    };
}
pub(crate) use deterministic_bot;
