//! Deals for a table of several persons, drawn from secret randomness.

use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};

use crate::cards::{Card, N_CARDS, Suit};
use crate::deal::Deal;
use crate::deals::{MIN_CUT_CARDS, new_deck};
use crate::rules::{DealMethod, RuleSet};
use crate::seat::Seat;
use crate::state::State;

/// Source of one deal for persons who must not be able to compute it.
///
/// The deals of [`Deals`](crate::Deals) follow from a seed and from the deal before, so that they
/// can be repeated. A person who knows the order of play of the last deal can then compute the next
/// one under rules that never shuffle. This source draws all that is open at a real table:
/// - the order of the tricks in the gathered deck
/// - the order of the cards within each trick
/// - the cut and the packets
///
/// Random numbers come from a cryptographic generator (ChaCha with 12 rounds) with a seed of 256
/// bits. So each of the 52! ≈ 2^226 orders of the deck is possible.
pub struct SecretDeals(StdRng);

impl SecretDeals {
    /// Creates a source with this seed, which must be secret and used once.
    pub fn new(seed: [u8; 32]) -> SecretDeals {
        SecretDeals(StdRng::from_seed(seed))
    }

    /// Draws the dealer of the first deal of a match.
    pub fn first_dealer(&mut self) -> Seat {
        Seat::from_index_wrapping(self.0.random_range(0..4))
    }

    /// Returns a shuffled deal.
    pub fn shuffled(&mut self, rules: &RuleSet, dealer: Seat) -> Deal {
        let (mut deck, cards) = new_deck(rules);
        let deck = &mut deck[..cards];
        deck.shuffle(&mut self.0);
        self.dealt(rules, deck, dealer)
    }

    /// Returns the deal after `previous`, a finished deal. It is gathered and cut where the rule
    /// set never shuffles, shuffled otherwise.
    pub fn after(&mut self, rules: &RuleSet, dealer: Seat, previous: &State) -> Deal {
        match rules.spec.deal {
            DealMethod::Shuffle => self.shuffled(rules, dealer),
            DealMethod::Gather => {
                let mut deck = self.gathered(previous);
                let cut = self.0.random_range(MIN_CUT_CARDS..=deck.len() - MIN_CUT_CARDS);
                deck.rotate_left(cut);
                self.dealt(rules, &deck, dealer)
            }
        }
    }

    /// Returns the deck as people gather it after a deal. Cards that lay together stay together, in
    /// any order: those of a trick, and those of a suit in a hand that was not played.
    fn gathered(&mut self, previous: &State) -> [Card; N_CARDS] {
        let mut deck = previous.gathered();
        let played: u32 = Seat::ALL.iter().map(|&seat| previous.public.played[seat].len()).sum();
        let tricks = deck[..played as usize].chunks(4).map(<[Card]>::to_vec);
        let hands = Seat::ALL.map(|seat| previous.hands[seat] | previous.laid_aside[seat]);
        let suits =
            hands.iter().flat_map(|hand| Suit::ALL.map(|suit| hand.of(suit).iter().collect()));
        let mut heaps: Vec<Vec<Card>> = tricks.chain(suits).collect();
        heaps.iter_mut().for_each(|heap| heap.shuffle(&mut self.0));
        heaps.shuffle(&mut self.0);
        deck.copy_from_slice(&heaps.concat());
        deck
    }

    fn dealt(&mut self, rules: &RuleSet, deck: &[Card], dealer: Seat) -> Deal {
        let packets = &rules.spec.packets;
        Deal::from_deck(deck, dealer, packets[self.0.random_range(0..packets.len())], rules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::Action;
    use crate::cards::CardSet;
    use crate::deals::Deals;
    use crate::deals::tests::assert_fair;
    use crate::rng::{Purpose, Stream};

    fn rules(name: &str) -> &'static RuleSet {
        RuleSet::built_in(name).unwrap()
    }

    fn source(number: u64) -> SecretDeals {
        let mut seed = [0; 32];
        seed[24..].copy_from_slice(&number.to_le_bytes());
        SecretDeals::new(seed)
    }

    /// Returns a finished deal; `passes` says whether everybody passes if possible.
    fn finished(rules: &'static RuleSet, number: u64, passes: bool) -> State {
        let mut stream = Stream::new(number, Purpose::Action, 0);
        let mut state = State::new(rules, &Deals::new(rules, 6).shuffled(number, Seat::North));
        while !state.is_done() {
            let legal = state.legal_actions();
            let action = match passes && legal.has(Action::PASS) {
                true => Action::PASS,
                false => legal.sample(&mut stream).unwrap(),
            };
            state.apply(action).unwrap();
        }
        state
    }

    #[test]
    fn each_seed_has_a_deal_of_its_own() {
        for rules in RuleSet::all_built_in() {
            let previous = finished(rules, 3, false);
            for first in [true, false] {
                let draw = |number| match first {
                    true => source(number).shuffled(rules, Seat::East),
                    false => source(number).after(rules, Seat::East, &previous),
                };
                let deals: Vec<Deal> = (0..20).map(draw).collect();
                assert!(deals.iter().all(|deal| deal.check(rules) == Ok(())));
                assert!(deals.iter().all(|deal| deal.dealer == Seat::East));
                assert_eq!(deals[7], draw(7));
                let differ = |n: usize| deals[n + 1..].iter().all(|other| *other != deals[n]);
                assert!((0..20).all(differ), "{}", rules.id());
            }
        }
        assert!(Seat::ALL.iter().all(|&s| (0..40).any(|n| source(n).first_dealer() == s)));
    }

    #[test]
    fn shuffling_is_fair() {
        assert_fair(|number| source(number).shuffled(rules("wiezen"), Seat::North));
    }

    /// Checks that tricks and unplayed suits of hands stay whole in the gathered deck. Their order
    /// changes.
    #[test]
    fn cards_that_lay_together_stay_together() {
        let rules = rules("iwwa");
        let (mut tricks, mut voids, mut in_place) = (0, 0, 0);
        for number in 0..60 {
            let previous = finished(rules, number, number % 2 == 0);
            let before = previous.gathered();
            let deck = source(number).gathered(&previous);
            assert_eq!(deck.iter().copied().collect::<CardSet>(), CardSet::FULL);
            let at = |card: Card| deck.iter().position(|&other| other == card).unwrap();
            let heaps: Vec<Vec<Card>> = match previous.is_passed_out() {
                false => before.chunks(4).map(<[Card]>::to_vec).collect(),
                true => {
                    let hands = previous.hands().iter();
                    let suits = hands.flat_map(|hand| Suit::ALL.map(|suit| hand.of(suit)));
                    suits.map(|cards| cards.iter().collect()).collect()
                }
            };
            for heap in heaps.iter().filter(|heap| !heap.is_empty()) {
                let places: Vec<usize> = heap.iter().map(|&card| at(card)).collect();
                let (first, last) = (places.iter().min().unwrap(), places.iter().max().unwrap());
                assert_eq!(last - first, heap.len() - 1, "{heap:?}");
            }
            voids += usize::from(previous.is_passed_out());
            tricks += usize::from(!previous.is_passed_out());
            in_place += (0..52).filter(|&n| deck[n] == before[n]).count();
        }
        assert!(tricks > 20 && voids > 5, "{tricks} {voids}");
        assert!(in_place < 4 * 60, "{in_place} cards kept their places");
    }

    /// Checks that a deal may end before its last trick and leave cards in the hands.
    #[test]
    fn deals_that_end_early_are_gathered_too() {
        let mut rule_sets = troel_configs::RULE_SETS.into_iter();
        let (_, text) = rule_sets.find(|(name, _)| *name == "iwwa").unwrap();
        let text = text.replacen("id = \"iwwa\"", "id = \"early\"\nstop_when_decided = true", 1);
        let rules = RuleSet::from_toml(&text, "early").unwrap();
        let ended = (0..40).map(|number| finished(rules, number, false));
        let early: Vec<State> =
            ended.filter(|state| state.hands().iter().any(|hand| !hand.is_empty())).collect();
        assert!(early.len() > 5, "{}", early.len());
        for previous in early {
            assert_eq!(source(1).after(rules, Seat::South, &previous).check(rules), Ok(()));
        }
    }
}
