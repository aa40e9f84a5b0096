//! The flat feature vector: fixed size, relative to the observer, versioned.
//!
//! [`BLOCKS`] documents it feature by feature. "Relative" counts seats clockwise from the
//! observer: 0 itself, 1 left, 2 opposite, 3 right. Cards are numbered as actions. All values
//! lie in −2 to 2, nearly all in 0 to 1.
//!
//! Nearly all features are zero or one. An observation is first packed ([`Packed`]), bits for these and numbers for
//! the few others, and expanded where a dense vector is needed.

mod layout;
mod pack;
mod packed;

pub use layout::{BLOCKS, Block, FEATURE_VERSION, N_FEATURES, N_FULL_FEATURES};
pub use packed::Packed;

#[cfg(test)]
mod tests {
    use super::layout::{LENGTH, LENGTHS, TRUMPS_OUT};
    use super::*;
    use crate::cards::{CardSet, Suit};
    use crate::deals::{Deals, Scenario};
    use crate::rules::RuleSet;
    use crate::seat::Seat;
    use crate::state::State;

    #[test]
    fn packed_features_are_the_dense_ones() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        // Nine spades: more than the features of length tell apart.
        let spades = CardSet(0x1ff | 0b11 << 13 | 0b11 << 26);
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(spades));
        let mut state = State::new(rules, &deals.shuffled(0, Seat::North));
        while !state.is_done() {
            let packed = state.observe(state.turn(), Default::default()).pack();
            let (mut dense, mut sparse) = (vec![f32::NAN; N_FEATURES], vec![0.0; N_FEATURES]);
            packed.expand(&mut dense);
            packed.ones().for_each(|i| sparse[i] += 1.0);
            packed.numbers().for_each(|(i, value)| sparse[i] += value);
            assert_eq!(dense, sparse);
            let spades = state.hands()[state.turn()].of(Suit::Spades).len() as usize;
            let lengths: f32 = dense[LENGTH..LENGTH + LENGTHS].iter().sum();
            assert_eq!(lengths as usize, spades.min(LENGTHS));
            // The last call or card: the auction comes to play.
            let legal = state.legal_actions();
            state.apply(legal.nth_action(legal.len() - 1).unwrap()).unwrap();
        }
    }

    #[test]
    fn blocks_fill_the_vector() {
        assert_eq!(BLOCKS.iter().map(|b| b.len).sum::<usize>(), N_FEATURES);
        assert_eq!(TRUMPS_OUT + 1, N_FEATURES);
        assert!(BLOCKS.iter().all(|b| !b.doc.is_empty()));
    }
}
