//! Renaming of suits: in card play suits have no order, so a network may see trumps always in the
//! same place.
//!
//! A position of card play and the same with suits renamed are one position to the rules. A network
//! that reads suits as they are has to learn each such position up to 24 times; one with
//! [`crate::NetworkConfig::canonical_suits`] gets them in an order of their own: trumps first, then
//! by length and ranks of the seat's own cards.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use troel_env::features::{BLOCKS, SuitSymmetry};
use troel_env::{Action, CardSet, N_ACTIONS, N_FEATURES, Observation, Phase, Suit};

/// A renaming of the suits: which place each suit takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Renaming(u8);

/// Number of orders of four suits.
const ORDERS: usize = 24;

/// New places of features and actions under each renaming.
struct Maps {
    features: [Vec<u16>; ORDERS],
    actions: [[u8; N_ACTIONS]; ORDERS],
}

static MAPS: LazyLock<Maps> = LazyLock::new(|| {
    let places: [[usize; 4]; ORDERS] = std::array::from_fn(|i| Renaming(i as u8).places());
    Maps {
        features: places.map(|places| feature_map(&places)),
        actions: places.map(|places| std::array::from_fn(|a| action_place(a, &places) as u8)),
    }
});

impl Renaming {
    /// The order of suits in a position of card play: trumps first, then by length of the
    /// observer's cards in this suit, those played included, then by their ranks. Elsewhere, where
    /// the order of suits matters, no renaming.
    pub fn canonical(observation: &Observation) -> Renaming {
        let state = observation.state();
        let (Some(contract), Phase::Discard | Phase::Play) = (state.contract(), state.phase())
        else {
            return Renaming::default();
        };
        let cards = observation.hand() | observation.played(observation.seat());
        let mut order = Suit::ALL;
        order.sort_by_key(|&suit| {
            let own: CardSet = cards.of(suit);
            let ranks = own.0 >> (13 * suit.index());
            let key = (own.len() as u64) << 13 | ranks;
            (contract.trump != Some(suit), u64::MAX - key)
        });
        let mut places = [0; 4];
        order.iter().enumerate().for_each(|(place, suit)| places[suit.index()] = place);
        Renaming::of(places)
    }

    /// The renaming that gives each suit this place; the places are 0 to 3 in some order.
    fn of(places: [usize; 4]) -> Renaming {
        // Number in the order of the alphabet: the factorial number system.
        let mut number = 0;
        for i in 0..4 {
            let smaller = places[i + 1..].iter().filter(|&&p| p < places[i]).count();
            number = number * (4 - i) + smaller;
        }
        Renaming(number as u8)
    }

    /// The place of each suit.
    fn places(self) -> [usize; 4] {
        let mut digits = [0; 4];
        let mut number = usize::from(self.0);
        for i in (0..4).rev() {
            digits[i] = number % (4 - i);
            number /= 4 - i;
        }
        let mut left = vec![0, 1, 2, 3];
        digits.map(|digit| left.remove(digit))
    }

    /// The number of the renaming, 0 (none) to 23: its place among the orders of four suits in
    /// alphabetical order.
    pub fn number(self) -> u8 {
        self.0
    }

    /// All renamings, by number.
    pub fn all() -> impl Iterator<Item = Renaming> {
        (0..ORDERS as u8).map(Renaming)
    }

    /// Returns the new place of each feature, `[N_FEATURES]`.
    pub fn features(self) -> &'static [u16] {
        &MAPS.features[usize::from(self.0)]
    }

    /// Returns the new number of each action, `[N_ACTIONS]`.
    pub fn actions(self) -> &'static [u8; N_ACTIONS] {
        &MAPS.actions[usize::from(self.0)]
    }
}

/// Returns the number of an action after the suits take these places.
fn action_place(action: usize, places: &[usize; 4]) -> usize {
    let action = Action::from_index(action).expect("a number below N_ACTIONS");
    action.with_suits_renamed(places.map(Suit::from_index)).index()
}

fn feature_map(places: &[usize; 4]) -> Vec<u16> {
    let mut map = Vec::with_capacity(N_FEATURES);
    let first = Action::suit(8, Suit::Spades).index();
    for block in BLOCKS {
        let (start, part) = (map.len(), block.len / 4);
        for i in 0..block.len {
            let to = match block.symmetry {
                SuitSymmetry::NoSuit => i,
                SuitSymmetry::Cards => i / 52 * 52 + 13 * places[i % 52 / 13] + i % 13,
                SuitSymmetry::Suits => i / 4 * 4 + places[i % 4],
                SuitSymmetry::SuitsFirst => places.get(i).copied().unwrap_or(i),
                SuitSymmetry::Parts => part * places[i / part] + i % part,
                SuitSymmetry::Announcements => {
                    let action = first + i % part;
                    i / part * part + action_place(action, places) - first
                }
            };
            map.push((start + to) as u16);
        }
    }
    map
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};
    use troel_env::{BySeat, Card, Deal, Deals, RuleSet, Seat, State};

    use super::*;
    use crate::{Forward, Input, NetworkConfig, Weights};

    #[test]
    fn renamings_are_all_orders() {
        for number in 0..ORDERS as u8 {
            let places = Renaming(number).places();
            assert_eq!(Renaming::of(places), Renaming(number));
            let mut sorted = places;
            sorted.sort();
            assert_eq!(sorted, [0, 1, 2, 3]);
            for map in [
                Renaming(number).features().to_vec(),
                Renaming(number).actions().map(u16::from).to_vec(),
            ] {
                let mut sorted = map.clone();
                sorted.sort();
                assert!(sorted.iter().enumerate().all(|(i, &place)| i == usize::from(place)));
            }
        }
        assert!(
            Renaming::default().features().iter().enumerate().all(|(i, &p)| i == usize::from(p))
        );
    }

    /// A deal and the same with suits renamed, played alike to the end. Renamed features are those
    /// of the renamed position, and a network with canonical suits plays both alike.
    #[test]
    fn positions_that_differ_in_the_names_of_suits_are_one() {
        for rules in RuleSet::all() {
            positions_are_one(rules);
        }
    }

    fn positions_are_one(rules: &'static RuleSet) {
        let mut stream = Stream::new(5, Purpose::Action, 0);
        let config = NetworkConfig {
            hidden: 24,
            canonical_suits: true,
            rule_features: true,
            ..Default::default()
        };
        let network = Forward::new(&Weights::init(config, 1));
        let (mut compared, mut kinds) = (0, std::collections::BTreeSet::new());
        for n in 0..600 {
            let renaming = Renaming((n % 24) as u8);
            let places = renaming.places();
            let rename =
                |card: Card| Card::new(Suit::from_index(places[card.suit().index()]), card.rank());
            let deal = Deals::new(rules, 3).shuffled(n, Seat::North);
            let mut state = State::new(rules, &deal);
            let hands = BySeat::from_fn(|s| deal.hands[s].map(rename).collect());
            let mut twin =
                State::new(rules, &Deal { hands, turn_up: deal.turn_up.map(rename), ..deal });
            while !state.is_done() {
                let view = state.observe(state.turn(), BySeat::default());
                let other = twin.observe(twin.turn(), BySeat::default());
                if matches!(state.phase(), Phase::Play | Phase::Discard) {
                    let is_same = compare(&view, &other, renaming);
                    if is_same && !tied(&view) {
                        let mut scratch = crate::forward::Scratch::default();
                        network.evaluate(&[Input::from(&view), Input::from(&other)], &mut scratch);
                        let [a, b]: [_; 2] =
                            scratch.logits().collect::<Vec<_>>().try_into().unwrap();
                        for action in state.legal_actions() {
                            let place = renaming.actions()[action.index()];
                            // Sums run in another order.
                            let difference = a[action.index()] - b[usize::from(place)];
                            assert!(difference.abs() < 1e-5, "{action}: {difference}");
                        }
                        compared += 1;
                        kinds.insert(state.contract().map(|c| c.kind.name()));
                    }
                }
                let legal = state.legal_actions();
                let action = legal.nth_action(stream.below(legal.len())).unwrap();
                let place = renaming.actions()[action.index()];
                let twins = Action::from_index(place.into()).unwrap();
                state.apply(action).unwrap();
                // In the auction the order of suits matters: not every call has a twin.
                if twin.apply(twins).is_err() || twin.turn() != state.turn() {
                    break;
                }
            }
        }
        assert!(compared > 3000 && kinds.len() > 2, "{}: {compared} {kinds:?}", rules.id());
    }

    /// Equal ranks of two suits of one kind leave the order open.
    fn tied(view: &Observation) -> bool {
        let cards = view.hand() | view.played(view.seat());
        let ranks = |suit: Suit| cards.of(suit).0 >> (13 * suit.index());
        let pairs = (0..4).flat_map(|a| (0..a).map(move |b| (a, b)));
        pairs.into_iter().any(|(a, b)| ranks(Suit::from_index(a)) == ranks(Suit::from_index(b)))
    }

    /// Whether the highest call is the same, too; all else must be.
    fn compare(view: &Observation, other: &Observation, renaming: Renaming) -> bool {
        let [mut plain, mut renamed, mut twin] = [const { [0.0; N_FEATURES] }; 3];
        view.encode(&mut plain);
        other.encode(&mut twin);
        for (&place, &value) in renaming.features().iter().zip(&plain) {
            renamed[usize::from(place)] = value;
        }
        let (mut at, mut is_same) = (0, true);
        for block in BLOCKS {
            let equal = renamed[at..at + block.len] == twin[at..at + block.len];
            // Which call is the highest depends on the order of suits.
            assert!(equal || block.name.starts_with("BAR"), "{}", block.name);
            is_same &= equal;
            at += block.len;
        }
        is_same
    }
}
