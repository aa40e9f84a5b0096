//! Vines: rewards of all plausible calls of some auctions (Schulman et al. 2015, TRPO, section
//! 5.2).
//!
//! A rare contract needs a rare hand. A policy that has seen too few of these hands gives the call
//! a probability near zero, and then never samples the call again. A vine plays the same deal on
//! once for every plausible call; the draws of the policies differ between the calls. The loss
//! raises a call by its advantage even if it is improbable (as NeuRD does, Hennes et al. 2020), and
//! lowers it down to a probability of 10⁻³.

use troel_agents::Bot;
use troel_agents::driver::{self, BotTable, DriverError, Seating};
use troel_env::hand::{misere_risk, trick_estimate};
use troel_env::rng::Stream;
use troel_env::{Action, ContractKind, Observation, Seat, Session};

use crate::reward::DealReward;
use crate::sample::TriedCall;

/// Tricks that the estimate of a lone declarer's hand may fall short of the goal.
const LONE_SHORTFALL: f32 = 2.0;

/// Tricks that the estimate of a proposer's hand may fall short of the goal: the partner has a
/// share in it.
const PAIR_SHORTFALL: f32 = 5.5;

/// Largest risk ([`misere_risk`]) at which a misère is plausible.
const MAX_MISERE_RISK: f32 = 1.0;

/// Risks of a misère at which a piccolo (exactly one trick) is plausible.
const PICCOLO_RISKS: std::ops::RangeInclusive<f32> = 0.2..=1.6;

/// Largest number of calls that a vine tries.
const MAX_TRIED: usize = 10;

/// A decision with calls to try. They are played after the deals of its chunk.
pub(crate) struct Vine {
    /// Index of the decision in its chunk.
    pub index: usize,
    /// The deal before the decision.
    pub session: Session,
    /// Bots of the table.
    pub seating: Seating,
    /// The call that was chosen.
    pub chosen: Action,
}

/// Returns the calls to try at an observation: those that the hand makes plausible, passing and
/// `chosen`, at most ten.
fn calls_to_try(observation: &Observation, chosen: Action, stream: &mut Stream) -> Vec<Action> {
    let is_fixed = |call: Action| call == chosen || call == Action::PASS;
    let legal = observation.legal_actions();
    let mut calls: Vec<Action> = legal
        .into_iter()
        .filter(|&call| !is_fixed(call) && is_plausible(observation, call))
        .collect();
    stream.shuffle(&mut calls);
    let fixed: Vec<Action> = legal.iter().filter(|&call| is_fixed(call)).collect();
    calls.truncate(MAX_TRIED - fixed.len());
    calls.extend(fixed);
    calls
}

/// Plays the deal on after each call to try; returns the calls with the indices of their decisions.
/// `bots` are those of the tables; `reward_scale` is the number of points per unit of reward.
///
/// # Errors
/// A bot failed.
pub(crate) fn grow(
    vines: Vec<Vine>,
    bots: &mut [Box<dyn Bot + '_>],
    reward: DealReward,
    reward_scale: f32,
    stream: &mut Stream,
) -> Result<Vec<(usize, TriedCall)>, DriverError> {
    let mut tables = Vec::new();
    let mut tried = Vec::new();
    for Vine { index, session, seating, chosen } in vines {
        let observation = session.observe();
        let calls = calls_to_try(&observation, chosen, stream);
        if calls.len() < 2 {
            continue;
        }
        for call in calls {
            let mut session = session.clone();
            session.apply(call).expect("calls to try are legal");
            tables.push(BotTable { session, seating });
            tried.push((index, call, observation.seat()));
        }
    }
    driver::run(&mut tables, bots, &mut ())?;
    let with_reward = |(table, (index, call, seat)): (BotTable, (usize, Action, Seat))| {
        let reward = reward.of_deal(&table.session).unwrap_or_default()[seat] / reward_scale;
        (index, TriedCall { call, reward })
    };
    Ok(tables.into_iter().zip(tried).map(with_reward).collect())
}

/// Returns whether a call announces a contract that the hand may make. The limits are generous.
fn is_plausible(observation: &Observation, call: Action) -> bool {
    use ContractKind as K;
    let Some(bid) = call.as_bid() else { return false };
    let (hand, rules) = (observation.hand(), observation.state().rules());
    let risk = || misere_risk(hand, rules.deck());
    match bid.kind {
        K::SmallMisere | K::Misere | K::OpenMisere => risk() <= MAX_MISERE_RISK,
        K::Piccolo => PICCOLO_RISKS.contains(&risk()),
        K::Trou | K::Troel => true,
        kind => {
            let Some(row) = rules.row_of(kind, bid.level) else { return false };
            let turn_up = observation.turn_up().map(|card| card.suit());
            let trumps = if kind == K::SoloSlim { turn_up } else { bid.trump };
            let shortfall = if kind.is_pair() { PAIR_SHORTFALL } else { LONE_SHORTFALL };
            trick_estimate(hand, trumps) + shortfall >= f32::from(rules.rows()[row].goal())
        }
    }
}

#[cfg(test)]
mod tests;
