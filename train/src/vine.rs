//! Vines: rewards of all plausible calls of some auctions (Schulman et al. 2015, TRPO, section
//! 5.2).
//!
//! A rare contract is bid with a hand that seldom comes. A policy that has seen too few of these
//! hands gives the call a probability near zero, and nothing that is sampled from it ever speaks
//! for the call again. A vine plays the same deal on once for every plausible call; the draws of
//! the policies differ between the calls. The loss raises a call by its advantage even where it is
//! improbable (as NeuRD does, Hennes et al. 2020), and lowers it down to a probability of 10⁻³.

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

/// A decision whose calls are tried once its chunk of deals is played.
pub(crate) struct Vine {
    /// Index of its sample.
    pub at: usize,
    /// The deal before the decision.
    pub session: Session,
    /// Bots of the table.
    pub seating: Seating,
}

/// Calls to try at an observation: those that the hand makes plausible, passing and `chosen`, at
/// most ten.
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

/// Whether a call announces a contract that the hand may make, generously judged.
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
mod tests {
    use troel_agents::network::Evaluator;
    use troel_env::{BySeat, Deals, RuleSet, Scenario, Seat, State};
    use troel_nn::{NetworkConfig, Weights};

    use super::*;
    use crate::rollout::{Plan, VineShares, collect};

    /// A vine tries the chosen call too, among others, each once.
    #[test]
    fn vines_hold_the_rewards_of_calls() {
        let config = NetworkConfig { hidden: 4, blocks: 0, ..NetworkConfig::default() };
        let (weights, rules) =
            (Weights::init(config, 3), RuleSet::built_in("luxembourg").expect("rules"));
        let evaluator = Evaluator::new(&weights);
        let mut plan = Plan::self_play(rules, &evaluator, 0, 200);
        let collected = |plan: &Plan<'_>| collect(plan).expect("no bot fails").samples;
        let without = collected(&plan);
        assert!(without.iter().all(|sample| sample.vine.is_empty()));
        plan.vine = VineShares { ordinary: 0.2, scenarios: 1.0 };
        let samples = collected(&plan);
        assert_eq!(samples.len(), without.len(), "vines are played beside the deals");
        let vines: Vec<&Sample> = samples.iter().filter(|s| !s.vine.is_empty()).collect();
        assert!(vines.len() > 40, "{}", vines.len());
        for sample in &vines {
            assert!(sample.vine.iter().any(|tried| tried.call == sample.action));
            assert!((2..=MAX_TRIED).contains(&sample.vine.len()));
            assert!(sample.vine.iter().all(|tried| sample.input.legal.has(tried.call)));
            let mut calls: Vec<usize> = sample.vine.iter().map(|t| t.call.index()).collect();
            calls.sort_unstable();
            calls.dedup();
            assert_eq!(calls.len(), sample.vine.len(), "each call once");
        }
        let rewards: std::collections::HashSet<i32> =
            vines.iter().flat_map(|s| &s.vine).map(|t| (t.reward * 10.0) as i32).collect();
        assert!(rewards.len() > 5, "{rewards:?}");
        plan.scenarios = &[(Scenario::Aces, 1.0)];
        plan.vine.ordinary = 0.0;
        let samples = collected(&plan);
        assert!(samples.iter().any(|sample| !sample.vine.is_empty()));
    }

    #[test]
    fn only_plausible_calls_are_tried() {
        let rules = RuleSet::built_in("luxembourg").expect("rules");
        let view = |hand: &str| {
            let cards = troel_env::deal::parse_hand(hand).expect("a hand");
            let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(cards));
            State::new(rules, &deals.shuffled(0, Seat::North))
                .observe(Seat::East, BySeat::default())
        };
        let plausible = |hand: &str| -> Vec<String> {
            let view = view(hand);
            let calls = view.legal_actions().into_iter();
            calls.filter(|&call| is_plausible(&view, call)).map(|c| c.to_string()).collect()
        };
        let strong = plausible("AKQJT987.AK.AK.2");
        assert!(strong.contains(&"slam-S".to_string()), "{strong:?}");
        assert!(!strong.iter().any(|call| call.contains("misere")), "{strong:?}");
        let weak = plausible("5432.432.432.432");
        assert!(weak.iter().any(|call| call.contains("misere")), "{weak:?}");
        assert!(!weak.iter().any(|call| call.contains("abondance")), "{weak:?}");
    }
}
