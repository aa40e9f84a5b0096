//! The flat feature vector: fixed size, relative to the observer, versioned.
//!
//! [`BLOCKS`] documents it feature by feature. "Relative" counts seats clockwise from the
//! observer: 0 itself, 1 left, 2 opposite, 3 right. Cards are numbered as actions. All values
//! lie in −2 to 2, nearly all in 0 to 1.
//!
//! Nearly all features are zero or one. An observation is first packed ([`PackedFeatures`]), bits
//! for these and numbers for the few others, and expanded where a dense vector is needed.

mod layout;
mod pack;
mod packed;
mod rules;

pub use layout::{
    BLOCKS, Block, FEATURE_VERSION, N_FEATURES, N_FULL_FEATURES, OLD_N_FEATURES, SuitSymmetry,
    TOTALS_RANGE,
};
pub use packed::{PACKED_BYTES, PackedFeatures};
pub use rules::{N_RULE_FEATURES, RULE_BLOCKS, RULE_FEATURE_VERSION, RuleView};

#[cfg(test)]
mod tests {
    use super::layout::{
        FORCES, LENGTH, MIN_SURE_TRICKS, N_LENGTHS, SURE, SURE_LEVELS, UNDER, WEAK,
    };
    use super::*;
    use crate::action::Action;
    use crate::cards::{Card, CardSet, Suit};
    use crate::contract::ContractKind;
    use crate::deal::parse_hand;
    use crate::deals::Deals;
    use crate::phase::Phase;
    use crate::rng::{Purpose, Stream};
    use crate::rules::RuleSet;
    use crate::scenario::Scenario;
    use crate::seat::Seat;
    use crate::state::State;

    #[test]
    fn bytes_of_other_features_are_refused() {
        let valid = PackedFeatures::default().to_bytes();
        assert_eq!(PackedFeatures::from_bytes(&valid), Some(PackedFeatures::default()));
        let words = N_FEATURES.div_ceil(64);
        // A bit after the last feature, and a card after the last one of each set.
        for byte in [8 * words - 1, 8 * words + 7, 8 * words + 15] {
            let mut bytes = valid;
            bytes[byte] = 0x80;
            assert_eq!(PackedFeatures::from_bytes(&bytes), None, "byte {byte}");
        }
        let mut bytes = valid;
        bytes[PACKED_BYTES - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(PackedFeatures::from_bytes(&bytes), None, "no number");
    }

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
            assert_eq!(PackedFeatures::from_bytes(&packed.to_bytes()), Some(packed));
            let spades = state.hands()[state.turn()].of(Suit::Spades).len() as usize;
            let lengths: f32 = dense[LENGTH..LENGTH + N_LENGTHS].iter().sum();
            assert_eq!(lengths as usize, spades.min(N_LENGTHS));
            // The last call or card, so that the auction reaches the play.
            let legal = state.legal_actions();
            state.apply(legal.nth_action(legal.len() - 1).unwrap()).unwrap();
        }
    }

    /// Compares the features of misères with the cards. The play is random, of open misères where
    /// possible.
    #[test]
    fn features_of_misere_say_what_cards_do() {
        let mut stream = Stream::new(3, Purpose::Action, 0);
        let mut found = [[0; 2]; 3];
        for rules in RuleSet::all_built_in() {
            for n in 0..150 {
                let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(n, Seat::North));
                while !state.is_done() {
                    let legal = state.legal_actions();
                    let is_misere = state.contract().is_some_and(|c| c.kind.is_misere());
                    if is_misere && state.phase() == Phase::Play {
                        check_misere(&state, &mut found);
                    }
                    let calls = [Action::OPEN_MISERE, Action::MISERE, Action::SMALL_MISERE];
                    let wanted =
                        calls.into_iter().skip(n as usize % 3).find(|&call| legal.has(call));
                    let drawn = legal.draw(&mut stream).unwrap();
                    state.apply(wanted.unwrap_or(drawn)).unwrap();
                }
            }
        }
        assert!(found.iter().flatten().all(|&n| n > 200), "{found:?}");
    }

    /// Compares the features of the seat to play, and counts by feature the cases off and on.
    fn check_misere(state: &State, found: &mut [[u32; 2]; 3]) {
        let seat = state.turn();
        let obs = state.observe(seat, Default::default());
        let mut features = vec![0.0; N_FEATURES];
        obs.encode(&mut features);
        let contract = state.contract().unwrap();
        let alive = |&d: &Seat| state.tricks()[d] == 0;
        let alive: Vec<Seat> = contract.declarers.iter().filter(alive).collect();
        let is_open = |d: Seat| d != seat && obs.known(d) == state.hands()[d];
        let holders: CardSet = state.hands().iter().copied().collect();
        // The others treat the card that a seat laid aside as outstanding.
        if contract.kind != ContractKind::SmallMisere {
            for card in CardSet::FULL {
                // The features show no cards of hands that the seat does not see.
                let seen = alive.iter().find(|&&d| state.hands()[d].has(card));
                let is_weak = seen.filter(|&&d| d == seat || is_open(d)).is_some_and(|&d| {
                    let own = state.hands()[d].below(card).len();
                    holders.below(card).len() - own > own
                });
                assert_eq!(features[WEAK + card.index()] == 1.0, is_weak, "{card}");
                found[0][usize::from(is_weak)] += 1;
            }
        }
        for card in state.legal_actions().cards {
            let open = alive.iter().filter(|&&d| is_open(d));
            let under = open.clone().any(|&d| {
                let led = state.hands()[d].of(card.suit());
                !led.is_empty() && led.below(card).is_empty()
            });
            assert_eq!(features[UNDER + card.index()] == 1.0, under, "{card}");
            found[1][usize::from(under)] += 1;
            let table: Vec<(Seat, Card)> = state.trick().cards().chain([(seat, card)]).collect();
            let best = |table: &[(Seat, Card)]| {
                table[1..].iter().fold(table[0], |a, &b| if b.1.beats(a.1, None) { b } else { a }).0
            };
            let forces = alive.iter().any(|&d| {
                let has_played = table.iter().any(|&(s, _)| s == d);
                let led = state.hands()[d].of(table[0].1.suit());
                let takes = |card| best(&[table.clone(), vec![(d, card)]].concat()) == d;
                match has_played {
                    true => d != seat && best(&table) == d,
                    false => is_open(d) && !led.is_empty() && led.iter().all(takes),
                }
            });
            assert_eq!(features[FORCES + card.index()] == 1.0, forces, "{card} {table:?}");
            found[2][usize::from(forces)] += 1;
        }
    }

    #[test]
    fn sure_tricks_are_a_thermometer_by_suit() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        // Seven solid spades that draw all others, two aces with a king: ten tricks.
        let hand = parse_hand("AKQJT92.AK.A2.43").unwrap();
        let deals = Deals::new(rules, 1).with_scenario(Scenario::EldestHolds(hand));
        let state = State::new(rules, &deals.shuffled(0, Seat::North));
        let mut features = vec![0.0; N_FEATURES];
        state.observe(Seat::East, Default::default()).encode(&mut features);
        let of = |suit: Suit| &features[SURE + SURE_LEVELS * suit.index()..][..SURE_LEVELS];
        let count = of(Suit::Spades).iter().take_while(|&&bit| bit == 1.0).count();
        assert_eq!(count, 10 + 1 - MIN_SURE_TRICKS);
        assert_eq!(of(Suit::Spades).iter().sum::<f32>(), count as f32);
        assert!(of(Suit::Clubs).iter().all(|&bit| bit == 0.0));
    }

    #[test]
    fn blocks_fill_the_vector() {
        assert_eq!(BLOCKS.iter().map(|b| b.len).sum::<usize>(), N_FEATURES);
        assert_eq!(SURE + 4 * SURE_LEVELS, N_FEATURES);
        assert!(BLOCKS.iter().all(|b| !b.doc.is_empty()));
    }
}
