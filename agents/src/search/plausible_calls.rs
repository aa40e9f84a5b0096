//! Calls that a hand makes plausible, by estimates of its tricks.

use std::ops::RangeInclusive;

use troel_env::hand::{misere_risk, trick_estimate};
use troel_env::{Action, ContractKind, Observation};

/// Maximum number of tricks by which a lone declarer's hand may fall short of a contract.
const MAX_LONE_SHORTFALL: f32 = 2.0;

/// Maximum number of tricks by which a proposer's hand may fall short of a contract. The partner
/// has a share in it.
const MAX_PAIR_SHORTFALL: f32 = 5.5;

/// Largest [`misere_risk`] at which a misère is plausible.
const MAX_PLAUSIBLE_MISERE_RISK: f32 = 1.0;

/// Values of [`misere_risk`] at which a piccolo (exactly one trick) is plausible.
const PICCOLO_RISKS: RangeInclusive<f32> = 0.2..=1.6;

/// Returns whether a call of the observing seat bids a contract that its hand may make. The limits
/// are generous.
pub fn is_plausible_call(obs: &Observation, call: Action) -> bool {
    use ContractKind as K;
    let (hand, deck) = (obs.hand(), obs.public().rules().deck());
    let Some(contract) = obs.lone_contract(call) else { return false };
    match contract.kind {
        K::SmallMisere | K::Misere | K::OpenMisere => {
            misere_risk(hand, deck) <= MAX_PLAUSIBLE_MISERE_RISK
        }
        K::Piccolo => PICCOLO_RISKS.contains(&misere_risk(hand, deck)),
        kind => {
            let shortfall = if kind.is_pair() { MAX_PAIR_SHORTFALL } else { MAX_LONE_SHORTFALL };
            trick_estimate(hand, contract.trump) + shortfall >= f32::from(contract.goal)
        }
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Scenario, Seat, State, parse_hand};

    use super::*;

    /// Returns the plausible first calls of eldest hand with these cards.
    fn plausible_calls(hand: &str) -> Vec<String> {
        let rules = RuleSet::built_in("luxembourg").expect("built in");
        let cards = parse_hand(hand).expect("a hand");
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(cards));
        let state = State::new(rules, &deals.shuffled(0, Seat::North));
        let obs = state.observe(Seat::East, BySeat::default());
        let calls = obs.legal_actions().iter().filter(|&call| is_plausible_call(&obs, call));
        calls.map(|call| call.to_string()).collect()
    }

    #[test]
    fn strong_hands_may_make_contracts_of_tricks_and_weak_hands_miseres() {
        let strong = plausible_calls("AKQJT987.AK.AK.2");
        assert!(strong.contains(&"slam-S".to_string()), "{strong:?}");
        assert!(!strong.iter().any(|call| call.contains("misere")), "{strong:?}");
        let weak = plausible_calls("5432.432.432.432");
        assert!(weak.iter().any(|call| call.contains("misere")), "{weak:?}");
        assert!(!weak.iter().any(|call| call.contains("abondance")), "{weak:?}");
    }
}
