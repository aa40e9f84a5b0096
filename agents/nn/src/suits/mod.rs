//! Permutations of suits: suits have no order in card play, so trumps can always have the same
//! place in the input of a network.
//!
//! Positions of card play that differ only in the names of suits are equivalent under the rules. A
//! network that reads suits as they are has to learn each such position up to 24 times. A network
//! with [`crate::NetworkConfig::canonical_suits`] reads them in a canonical order: trumps first,
//! then by length and ranks of the seat's cards.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use troel_env::features::{BLOCKS, SuitSymmetry};
use troel_env::{
    Action, ActionSet, CardSet, N_ACTIONS, N_CARDS, N_FEATURES, N_FULL_FEATURES, Observation,
    Phase, RANKS_PER_SUIT, Suit,
};

/// Number of ranks of a suit.
const RANKS: usize = RANKS_PER_SUIT as usize;

/// Permutation of the suits: a new place for each suit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct SuitPermutation(u8);

/// Number of orders of four suits.
const N_ORDERS: usize = 24;

/// New places of features and actions under each permutation, and its inverse.
struct Maps {
    features: [Vec<u16>; N_ORDERS],
    actions: [[u8; N_ACTIONS]; N_ORDERS],
    inverses: [SuitPermutation; N_ORDERS],
}

static ORDER_MAPS: LazyLock<Maps> = LazyLock::new(|| {
    let places: [[usize; 4]; N_ORDERS] = std::array::from_fn(|i| SuitPermutation(i as u8).places());
    Maps {
        features: places.map(|places| feature_map(&places)),
        actions: places.map(|places| std::array::from_fn(|a| action_place(a, &places) as u8)),
        inverses: places.map(|places| {
            let mut inverse = [0; 4];
            places.into_iter().enumerate().for_each(|(suit, place)| inverse[place] = suit);
            SuitPermutation::from_places(inverse)
        }),
    }
});

impl SuitPermutation {
    /// Returns the canonical permutation for a position of card play.
    ///
    /// Trumps come first, then suits by the number of the observer's cards, including those played,
    /// then by their ranks. In other phases the order of suits matters, and the result is the
    /// identity.
    pub fn canonical(obs: &Observation) -> SuitPermutation {
        let public = obs.public();
        let (Some(contract), Phase::Discard | Phase::Play) = (public.contract(), public.phase())
        else {
            return SuitPermutation::default();
        };
        let cards = obs.hand() | obs.played(obs.seat());
        let mut order = Suit::ALL;
        order.sort_by_key(|&suit| {
            let own: CardSet = cards.of(suit);
            let ranks = own.0 >> (RANKS * suit.index());
            let key = (own.len() as u64) << RANKS | ranks;
            (contract.trump != Some(suit), u64::MAX - key)
        });
        let mut places = [0; 4];
        order.iter().enumerate().for_each(|(place, suit)| places[suit.index()] = place);
        SuitPermutation::from_places(places)
    }

    /// Creates the permutation that moves each suit to its place: 0 to 3 in some order.
    fn from_places(places: [usize; 4]) -> SuitPermutation {
        // Number in lexicographic order: the factorial number system.
        let mut number = 0;
        for i in 0..4 {
            let smaller = places[i + 1..].iter().filter(|&&p| p < places[i]).count();
            number = number * (4 - i) + smaller;
        }
        SuitPermutation(number as u8)
    }

    /// Returns the place of each suit.
    fn places(self) -> [usize; 4] {
        let mut digits = [0; 4];
        let mut number = usize::from(self.0);
        for i in (0..4).rev() {
            digits[i] = number % (4 - i);
            number /= 4 - i;
        }
        let mut unused = vec![0, 1, 2, 3];
        digits.map(|digit| unused.remove(digit))
    }

    /// Returns the number of the permutation, 0 (identity) to 23: its index among the orders of
    /// four suits in lexicographic order.
    pub fn number(self) -> u8 {
        self.0
    }

    /// Returns all permutations, by number.
    pub fn all() -> impl Iterator<Item = SuitPermutation> {
        (0..N_ORDERS as u8).map(SuitPermutation)
    }

    /// Returns the new place of each feature, `[N_FEATURES]`.
    pub fn features(self) -> &'static [u16] {
        &ORDER_MAPS.features[usize::from(self.0)]
    }

    /// Returns the new number of each action, `[N_ACTIONS]`.
    pub fn actions(self) -> &'static [u8; N_ACTIONS] {
        &ORDER_MAPS.actions[usize::from(self.0)]
    }

    /// Returns the permutation that undoes this one.
    pub fn inverse(self) -> SuitPermutation {
        ORDER_MAPS.inverses[usize::from(self.0)]
    }

    /// Returns an action after the suits take their new places.
    pub fn rename_action(self, action: Action) -> Action {
        let number = self.actions()[action.index()];
        Action::from_index(number.into()).unwrap_or(action)
    }

    /// Returns the actions of a set after the suits take their new places.
    pub fn rename_actions(self, actions: ActionSet) -> ActionSet {
        actions.into_iter().map(|action| self.rename_action(action)).collect()
    }

    /// Moves dense features to their new places: those of an observation, or those of
    /// [`FullObservation::encode_full`](troel_env::FullObservation::encode_full).
    ///
    /// # Panics
    /// If there are fewer than `N_FEATURES` or more than `N_FULL_FEATURES`.
    pub fn rename_features(self, features: &mut [f32]) {
        if self == SuitPermutation::default() {
            return;
        }
        let mut before = [0.0; N_FULL_FEATURES];
        let before = &mut before[..features.len()];
        before.copy_from_slice(features);
        let (own, others) = before.split_at(N_FEATURES);
        for (&place, &value) in self.features().iter().zip(own) {
            features[usize::from(place)] = value;
        }
        // Cards have the numbers of the actions that play them.
        let hands = features[N_FEATURES..].chunks_mut(N_CARDS).zip(others.chunks(N_CARDS));
        for (hand, before) in hands {
            for (&place, &value) in self.actions().iter().zip(before) {
                hand[usize::from(place)] = value;
            }
        }
    }
}

impl TryFrom<u8> for SuitPermutation {
    type Error = &'static str;

    fn try_from(number: u8) -> Result<SuitPermutation, &'static str> {
        let is_valid = usize::from(number) < N_ORDERS;
        is_valid
            .then_some(SuitPermutation(number))
            .ok_or("the number of a suit permutation must be 0 to 23")
    }
}

/// Returns the number of an action after the suits take these places.
fn action_place(action: usize, places: &[usize; 4]) -> usize {
    let action = Action::from_index(action).expect("callers pass numbers below N_ACTIONS");
    action.with_suits_renamed(places.map(Suit::from_index_wrapping)).index()
}

fn feature_map(places: &[usize; 4]) -> Vec<u16> {
    let mut map = Vec::with_capacity(N_FEATURES);
    let first = Action::suit_call(8, Suit::Spades).index();
    for block in BLOCKS {
        let (start, part) = (map.len(), block.len / 4);
        for i in 0..block.len {
            let to = match block.symmetry {
                SuitSymmetry::NoSuit => i,
                SuitSymmetry::Cards => {
                    i / N_CARDS * N_CARDS + RANKS * places[i % N_CARDS / RANKS] + i % RANKS
                }
                SuitSymmetry::Suits => i / 4 * 4 + places[i % 4],
                SuitSymmetry::SuitsFirst => places.get(i).copied().unwrap_or(i),
                SuitSymmetry::Parts => part * places[i / part] + i % part,
                SuitSymmetry::Bids => {
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
mod tests;
