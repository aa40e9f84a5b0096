//! Sources of deals.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::cards::{Card, CardSet, N_CARDS, Suit};
use crate::deal::Deal;
use crate::error::{DealError, SaveError};
use crate::rng::{Purpose, Stream};
use crate::rules::{DealMethod, RuleSet, reference};
use crate::scenario::Scenario;
use crate::seat::{BySeat, Seat};
use crate::state::State;

/// Number of deals that are tried before a scenario is given up.
const MAX_ATTEMPTS: u32 = 20_000;

/// Minimum number of cards on each side of a cut.
pub(crate) const MIN_CUT_CARDS: usize = 4;

/// A source of deals: a seed, or a list.
///
/// Deal `n` of a seed depends on the seed and on `n` alone, and for a gathered deck on the deal
/// before. It does not depend on the order in which deals were asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SavedDeals", into = "SavedDeals")]
pub struct Deals {
    rules: &'static RuleSet,
    seed: u64,
    /// [`Purpose::Deal`] or [`Purpose::EvaluationDeal`]; the deals of the two differ.
    purpose: Purpose,
    scenario: Scenario,
    /// The seat whose hand the scenario asks about; any hand may meet it if there is none.
    focus: Option<Seat>,
    /// A list of deals, taken in turn, instead of seeded ones.
    listed: Option<Arc<[Deal]>>,
}

/// A source of deals as it is serialised.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Deals")]
struct SavedDeals {
    #[serde(with = "reference")]
    rules: &'static RuleSet,
    seed: u64,
    purpose: Purpose,
    scenario: Scenario,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    focus: Option<Seat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    listed: Option<Vec<Deal>>,
}

impl From<Deals> for SavedDeals {
    fn from(deals: Deals) -> SavedDeals {
        let Deals { rules, seed, purpose, scenario, focus, listed } = deals;
        SavedDeals { rules, seed, purpose, scenario, focus, listed: listed.map(|l| l.to_vec()) }
    }
}

impl TryFrom<SavedDeals> for Deals {
    type Error = SaveError;
    fn try_from(saved: SavedDeals) -> Result<Deals, SaveError> {
        let SavedDeals { rules, seed, purpose, scenario, focus, listed } = saved;
        if !matches!(purpose, Purpose::Deal | Purpose::EvaluationDeal) {
            return Err(SaveError::Contradiction(
                "the purpose of deals is deal or evaluation-deal",
            ));
        }
        let listed = match listed {
            Some(deals) => Deals::listed(rules, deals)?.listed,
            None => None,
        };
        Ok(Deals { rules, seed, purpose, scenario, focus, listed })
    }
}

impl Deals {
    /// Returns the deals of a seed, freshly shuffled or gathered as the rule set says.
    pub fn new(rules: &'static RuleSet, seed: u64) -> Deals {
        Deals {
            rules,
            seed,
            purpose: Purpose::Deal,
            scenario: Scenario::Any,
            focus: None,
            listed: None,
        }
    }

    /// Returns the deals of a seed for evaluation. None of them is a deal that [`Deals::new`] gives
    /// under the same number, for any seed.
    pub fn for_evaluation(rules: &'static RuleSet, seed: u64) -> Deals {
        Deals { purpose: Purpose::EvaluationDeal, ..Deals::new(rules, seed) }
    }

    /// Returns a source of listed deals, such as those of a file. After the last one the list
    /// begins again.
    ///
    /// # Errors
    /// The list is empty, or one of the deals does not fit the rule set.
    pub fn listed(rules: &'static RuleSet, deals: Vec<Deal>) -> Result<Deals, DealError> {
        if deals.is_empty() {
            return Err(DealError::NoDeals);
        }
        deals.iter().try_for_each(|deal| deal.check(rules))?;
        Ok(Deals { listed: Some(deals.into()), ..Deals::new(rules, 0) })
    }

    /// Restricts the source to deals that meet the scenario. A list stays unchanged.
    pub fn with_scenario(self, scenario: Scenario) -> Deals {
        Deals { scenario, ..self }
    }

    /// Restricts the source to deals in which the hand of this seat meets the scenario.
    ///
    /// Given its own hand, the other hands are then distributed for this seat as in any deal. For
    /// the other seats they are not.
    pub fn with_focus(self, seat: Seat) -> Deals {
        Deals { focus: Some(seat), ..self }
    }

    /// Returns the rule set.
    pub fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// Returns the scenario that the deals meet.
    pub fn scenario(&self) -> Scenario {
        self.scenario
    }

    /// Returns the first dealer of match `n`, drawn at random.
    pub fn first_dealer(&self, n: u64) -> Seat {
        Seat::from_index_wrapping(Stream::new(self.seed, Purpose::Dealer, n).below(4) as usize)
    }

    /// Returns deal number `n` without a deal before it: from the list, or freshly shuffled. A
    /// listed deal has its own dealer.
    pub fn fresh(&self, n: u64, dealer: Seat) -> Deal {
        match &self.listed {
            Some(deals) => deals[(n % deals.len() as u64) as usize],
            None => self.shuffled(n, dealer),
        }
    }

    /// Returns deal number `n`, freshly shuffled. If no deal meets the scenario within 20,000
    /// attempts, the last one is returned although it does not.
    pub fn shuffled(&self, n: u64, dealer: Seat) -> Deal {
        let mut stream = Stream::new(self.seed, self.purpose, n);
        let (mut deck, cards) = new_deck(self.rules);
        let deck = &mut deck[..cards];
        for _ in 1..MAX_ATTEMPTS {
            let drawn = self.scenario.draw_hand(self.rules, dealer, self.focus, &mut stream);
            let deal = match drawn {
                Some((holder, hand)) => self.with_hand(&mut stream, hand, holder, dealer),
                None => {
                    stream.shuffle(deck);
                    self.dealt(&mut stream, deck, dealer)
                }
            };
            if self.scenario.holds(&deal, self.focus) {
                return deal;
            }
        }
        stream.shuffle(deck);
        self.dealt(&mut stream, deck, dealer)
    }

    /// Returns deal number `n` after `previous`, a finished deal. It is gathered and cut where the
    /// rule set never shuffles, else shuffled, or the next one of the list. Deals of a scenario are
    /// always shuffled.
    pub fn after(&self, n: u64, dealer: Seat, previous: &State) -> Deal {
        let gathered = self.rules.spec.deal == DealMethod::Gather;
        // A gathered deck cannot meet a scenario, nor come from a list.
        if !gathered || self.listed.is_some() || self.scenario != Scenario::Any {
            return self.fresh(n, dealer);
        }
        let mut stream = Stream::new(self.seed, self.purpose, n);
        let mut deck = previous.gathered();
        let cuts = deck.len() - 2 * MIN_CUT_CARDS + 1;
        deck.rotate_left(MIN_CUT_CARDS + stream.below(cuts as u32) as usize);
        self.dealt(&mut stream, &deck, dealer)
    }

    fn dealt(&self, stream: &mut Stream, deck: &[Card], dealer: Seat) -> Deal {
        let packets = &self.rules.spec.packets;
        // One alternative needs no choice, and takes nothing from the stream.
        let choice = if packets.len() > 1 { stream.below(packets.len() as u32) } else { 0 };
        Deal::from_deck(deck, dealer, packets[choice as usize], self.rules)
    }

    /// Returns a deal in which `holder` holds `hand` and the others hold the rest at random.
    fn with_hand(&self, stream: &mut Stream, hand: CardSet, holder: Seat, dealer: Seat) -> Deal {
        let mut rest: Vec<Card> = (self.rules.deck() - hand).iter().collect();
        stream.shuffle(&mut rest);
        let size = usize::from(self.rules.cards_per_hand());
        let mut hands = BySeat::default();
        hands[holder] = hand;
        for (step, cards) in (1..=3).zip(rest.chunks(size)) {
            hands[holder.plus(step)] = cards.iter().copied().collect();
        }
        let card = match dealer.relative_to(holder) {
            0 => hand.into_iter().nth(stream.below(hand.len()) as usize),
            step => rest.get(size * step - 1).copied(),
        };
        let turn_up = card.filter(|_| self.rules.has_turn_up());
        Deal { dealer, hands, turn_up }
    }
}

/// Returns the cards of the deck in order, and their number; further places are not used.
pub(crate) fn new_deck(rules: &RuleSet) -> ([Card; N_CARDS], usize) {
    let mut deck = [Card::ace(Suit::Spades); N_CARDS];
    for (place, card) in deck.iter_mut().zip(rules.deck()) {
        *place = card;
    }
    (deck, rules.deck().len() as usize)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn rules(name: &str) -> &'static RuleSet {
        RuleSet::built_in(name).unwrap()
    }

    #[test]
    fn deals_are_pinned() {
        let deal = Deals::new(rules("luxembourg"), 1).shuffled(0, Seat::North);
        assert_eq!(
            deal.to_string(),
            "N:A74.JT864.JT.QT7 9.Q93.942.KJ6532 KQ63.AK75.Q853.4 JT852.2.AK76.A98"
        );
        let deal = Deals::new(rules("iwwa"), 7).shuffled(123, Seat::West);
        assert_eq!(
            format!("{deal} {:?}", deal.turn_up),
            "N:AT8732.62.97.JT3 Q5.AKJT7543.K3.A K96.9.AQ852.K654 J4.Q8.JT64.Q9872 Some(2C)"
        );
    }

    #[test]
    fn scenarios_are_met() {
        for rules in RuleSet::all_built_in() {
            for kind in rules.rows().iter().map(|row| row.kind) {
                let scenario = Scenario::parse(kind.name()).unwrap();
                let deals = Deals::new(rules, 3).with_scenario(scenario);
                let met = (0..20).filter(|&n| scenario.holds(&deals.shuffled(n, Seat::East), None));
                assert_eq!(met.count(), 20, "{} {kind:?}", rules.id());
            }
            let deals = Deals::new(rules, 3).with_scenario(Scenario::LowCards);
            let is_met = |n| Scenario::LowCards.holds(&deals.shuffled(n, Seat::East), None);
            assert!((0..20).all(is_met), "{}", rules.id());
        }
    }

    #[test]
    fn eldest_gets_the_hand_asked_for() {
        let hand = Suit::Hearts.cards();
        for rules in RuleSet::all_built_in() {
            let deals = Deals::new(rules, 3).with_scenario(Scenario::EldestHolds(hand));
            let deal = deals.shuffled(5, Seat::South);
            assert_eq!(deal.hands[Seat::West], hand);
            assert_eq!(deal.check(rules), Ok(()));
        }
    }

    #[test]
    fn shuffling_is_fair() {
        let deals = Deals::new(rules("luxembourg"), 11);
        assert_fair(|n| deals.shuffled(n, Seat::North));
    }

    /// Asserts that each card is in each hand with probability 1/4: a chi-square far from its tail.
    pub(crate) fn assert_fair(deal: impl Fn(u64) -> Deal) {
        let mut counts = [[0u32; 4]; 52];
        let n = 4000;
        for i in 0..n {
            let deal = deal(i);
            for seat in Seat::ALL {
                deal.hands[seat].iter().for_each(|c| counts[c.index()][seat.index()] += 1);
            }
        }
        let expected = n as f64 / 4.0;
        let chi: f64 =
            counts.iter().flatten().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(chi < 52.0 * 3.0 + 6.0 * (2.0 * 156.0f64).sqrt(), "{chi}");
    }
}
