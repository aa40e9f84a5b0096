//! Vines: rewards of all plausible calls of some auctions (Schulman et al. 2015, TRPO, section
//! 5.2).
//!
//! A rare contract needs a rare hand. A policy that has seen too few of these hands gives the call
//! a probability near zero, and then never samples the call again. A vine plays the same deal on
//! once for every plausible call; the draws of the policies differ between the calls. The loss
//! raises a call by its advantage even if it is improbable (as NeuRD does, Hennes et al. 2020), and
//! lowers it down to a probability of 10⁻³.

use troel_agents::Bot;
use troel_agents::driver::{self, DriverError, Seating, Table};
use troel_env::hand::{misere_risk, trick_estimate};
use troel_env::rng::Stream;
use troel_env::{Action, ContractKind, Observation, Session};

use crate::reward::DealReward;
use crate::sample::{Sample, Tried};

/// Tricks that the estimate of a lone declarer's hand may fall short of the goal.
const ALONE_SHORTFALL: f32 = 2.0;

/// Tricks that the estimate of a proposer's hand may fall short of the goal: the partner has a
/// share in it.
const PAIR_SHORTFALL: f32 = 5.5;

/// Largest risk of a misère that is plausible; [`misere_risk`].
const MAX_MISERE_RISK: f32 = 1.0;

/// Smallest and largest risk of a misère with which exactly one trick is plausible.
const PICCOLO_RISK: std::ops::RangeInclusive<f32> = 0.2..=1.6;

/// Largest number of calls that a vine tries.
const MAX_TRIED: usize = 10;

/// A decision with calls to try, which are played after its chunk of deals.
pub(crate) struct Vine {
    /// Index of its sample.
    pub at: usize,
    /// The deal before the decision.
    pub session: Session,
    /// Bots of the table.
    pub seating: Seating,
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
    let fixed: Vec<Action> = legal.into_iter().filter(|&call| is_fixed(call)).collect();
    calls.truncate(MAX_TRIED - fixed.len());
    calls.extend(fixed);
    calls
}

/// Plays the calls of all vines on and adds their rewards to the samples. `bots` are those of the
/// tables; `reward_scale` is the number of points per unit of reward.
///
/// # Errors
/// A bot failed.
pub(crate) fn grow(
    vines: Vec<Vine>,
    samples: &mut [Sample],
    bots: &mut [Box<dyn Bot + '_>],
    reward: DealReward,
    reward_scale: f32,
    stream: &mut Stream,
) -> Result<(), DriverError> {
    let mut tables = Vec::new();
    let mut tried = Vec::new();
    for vine in vines {
        let observation = vine.session.observe();
        let calls = calls_to_try(&observation, samples[vine.at].action, stream);
        if calls.len() < 2 {
            continue;
        }
        for call in calls {
            let mut session = vine.session.clone();
            session.apply(call).expect("calls to try are legal");
            tables.push(Table { session, seating: vine.seating });
            tried.push((vine.at, call, observation.seat()));
        }
    }
    driver::run(&mut tables, bots, &mut ())?;
    for (table, (at, call, seat)) in tables.iter().zip(tried) {
        let reward = reward.of_deal(&table.session).unwrap_or_default()[seat] / reward_scale;
        samples[at].vine.push(Tried { call, reward });
    }
    Ok(())
}

/// Returns whether a call announces a contract that the hand may make, generously judged.
fn is_plausible(observation: &Observation, call: Action) -> bool {
    use ContractKind as K;
    let Some(bid) = call.as_bid() else { return false };
    let (hand, rules) = (observation.hand(), observation.state().rules());
    let risk = || misere_risk(hand, rules.deck());
    match bid.kind {
        K::SmallMisere | K::Misere | K::OpenMisere => risk() <= MAX_MISERE_RISK,
        K::Piccolo => PICCOLO_RISK.contains(&risk()),
        K::Trou | K::Troel => true,
        kind => {
            let Some(row) = rules.row_of(kind, bid.level) else { return false };
            let turn_up = observation.turn_up().map(|card| card.suit());
            let trumps = if kind == K::SoloSlim { turn_up } else { bid.trump };
            let shortfall = if kind.is_pair() { PAIR_SHORTFALL } else { ALONE_SHORTFALL };
            trick_estimate(hand, trumps) + shortfall >= f32::from(rules.rows()[row].goal())
        }
    }
}

#[cfg(test)]
mod tests;
