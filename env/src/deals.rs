//! Where deals come from.

use crate::cards::{Card, CardSet, Suit};
use crate::contract::ContractKind;
use crate::deal::Deal;
use crate::hand::{misere_risk, trick_estimate};
use crate::rng::{Purpose, Stream};
use crate::rules::{DealMethod, RuleSet};
use crate::seat::Seat;
use crate::state::State;

/// A condition on shuffled deals, for training and testing on what is rare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Condition {
    /// Any deal.
    #[default]
    Any,
    /// Some hand has at least three aces.
    Aces,
    /// Some hand looks good enough for this contract.
    Suits(ContractKind),
    /// Eldest holds exactly these cards.
    EldestHolds(CardSet),
}

/// Deals tried before a condition is given up.
const ATTEMPTS: u32 = 20_000;

impl Condition {
    /// The condition of this name: `any`, `aces`, or a kind of contract.
    pub fn parse(name: &str) -> Option<Condition> {
        match name {
            "any" => Some(Condition::Any),
            "aces" => Some(Condition::Aces),
            _ => ContractKind::ALL
                .into_iter()
                .find(|k| k.name() == name)
                .map(|k| if k.is_forced() { Condition::Aces } else { Condition::Suits(k) }),
        }
    }

    fn holds(self, deal: &Deal) -> bool {
        match self {
            Condition::Any => true,
            Condition::Aces => deal.hands.iter().any(|h| h.aces().len() >= 3),
            Condition::Suits(kind) => deal.hands.iter().any(|&h| suits(h, kind, deal.turn_up)),
            Condition::EldestHolds(cards) => deal.hands[deal.dealer.next()] == cards,
        }
    }
}

/// Whether a hand looks good enough for a contract. Meant to be generous: a suite of such deals
/// holds hands that should bid it and hands that nearly should.
fn suits(hand: CardSet, kind: ContractKind, turn_up: Option<Card>) -> bool {
    use ContractKind as K;
    let best = || Suit::ALL.iter().map(|&s| trick_estimate(hand, Some(s))).fold(0.0, f32::max);
    let in_turn_up = || turn_up.map_or(0.0, |card| trick_estimate(hand, Some(card.suit())));
    match kind {
        K::Suit => turn_up.map_or_else(best, |_| in_turn_up()) >= 4.0,
        K::Solo => best() >= 5.5,
        K::Alone => in_turn_up() >= 4.5,
        K::Abondance => best() >= 7.5,
        K::SmallMisere | K::Misere => misere_risk(hand) <= 0.6,
        K::OpenMisere => misere_risk(hand) <= 0.25,
        K::Piccolo => (0.4..=1.2).contains(&misere_risk(hand)),
        K::Trou | K::Troel => hand.aces().len() >= 3,
        K::SmallSlam | K::Slam => best() >= 9.5,
        K::SoloSlim => in_turn_up() >= 9.0,
    }
}

/// A seeded source of deals: deal `n` is a function of the seed and `n` (and, for a gathered
/// deck, of the deal before), whatever was asked for in between.
#[derive(Clone, Debug)]
pub struct Deals {
    rules: &'static RuleSet,
    seed: u64,
    condition: Condition,
}

impl Deals {
    /// Deals for a rule set.
    pub fn new(rules: &'static RuleSet, seed: u64) -> Deals {
        Deals { rules, seed, condition: Condition::Any }
    }

    /// Only deals that meet the condition.
    pub fn with_condition(self, condition: Condition) -> Deals {
        Deals { condition, ..self }
    }

    /// The rule set.
    pub fn rules(&self) -> &'static RuleSet {
        self.rules
    }

    /// The first dealer of match `n`, drawn at random.
    pub fn first_dealer(&self, n: u64) -> Seat {
        Seat::from_index(Stream::new(self.seed, Purpose::Dealer, n).below(4) as usize)
    }

    /// Deal number `n`, freshly shuffled. If no deal meets the condition within 20,000
    /// attempts the last one is returned as it is.
    pub fn shuffled(&self, n: u64, dealer: Seat) -> Deal {
        let mut stream = Stream::new(self.seed, Purpose::Deal, n);
        let mut deck = new_deck();
        if let Condition::EldestHolds(cards) = self.condition
            && cards.len() == 13
        {
            return self.with_eldest_hand(&mut stream, cards, dealer);
        }
        for _ in 1..ATTEMPTS {
            stream.shuffle(&mut deck);
            let deal = self.dealt(&mut stream, &deck, dealer);
            if self.condition.holds(&deal) {
                return deal;
            }
        }
        self.dealt(&mut stream, &deck, dealer)
    }

    /// Deal number `n` after `previous`, a finished deal: gathered and cut where the rule set
    /// never shuffles, shuffled otherwise.
    pub fn after(&self, n: u64, dealer: Seat, previous: &State) -> Deal {
        if self.rules.spec.deal == DealMethod::Shuffle {
            return self.shuffled(n, dealer);
        }
        let mut stream = Stream::new(self.seed, Purpose::Deal, n);
        let mut deck = previous.gathered();
        // A cut leaves at least four cards on each side.
        deck.rotate_left(4 + stream.below(45) as usize);
        self.dealt(&mut stream, &deck, dealer)
    }

    fn dealt(&self, stream: &mut Stream, deck: &[Card; 52], dealer: Seat) -> Deal {
        let packets = &self.rules.spec.packets;
        // One alternative needs no choice, and takes nothing from the stream.
        let choice = if packets.len() > 1 { stream.below(packets.len() as u32) } else { 0 };
        Deal::from_deck(deck, dealer, packets[choice as usize], self.rules)
    }

    fn with_eldest_hand(&self, stream: &mut Stream, hand: CardSet, dealer: Seat) -> Deal {
        let mut rest: Vec<Card> = (CardSet::FULL - hand).collect();
        stream.shuffle(&mut rest);
        let mut deal = Deal {
            dealer,
            hands: Default::default(),
            turn_up: self.rules.has_turn_up().then(|| rest[38]),
        };
        deal.hands[dealer.next()] = hand;
        for (step, cards) in (2..=4).zip(rest.chunks(13)) {
            deal.hands[dealer.plus(step)] = cards.iter().copied().collect();
        }
        deal
    }
}

fn new_deck() -> [Card; 52] {
    let mut deck = [Card::ace(Suit::Spades); 52];
    for (place, card) in deck.iter_mut().zip(CardSet::FULL) {
        *place = card;
    }
    deck
}

#[cfg(test)]
mod tests {
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
    fn conditions_are_met() {
        for rules in RuleSet::names().map(rules) {
            for kind in rules.rows().iter().map(|row| row.kind) {
                let condition = Condition::parse(kind.name()).unwrap();
                let deals = Deals::new(rules, 3).with_condition(condition);
                let met = (0..20).filter(|&n| condition.holds(&deals.shuffled(n, Seat::East)));
                assert_eq!(met.count(), 20, "{} {kind:?}", rules.id());
            }
        }
    }

    #[test]
    fn eldest_gets_the_hand_asked_for() {
        let hand = Suit::Hearts.cards();
        for rules in RuleSet::names().map(rules) {
            let deals = Deals::new(rules, 3).with_condition(Condition::EldestHolds(hand));
            let deal = deals.shuffled(5, Seat::South);
            assert_eq!(deal.hands[Seat::West], hand);
            assert_eq!(deal.check(rules), Ok(()));
        }
    }

    #[test]
    fn shuffling_is_fair() {
        // Each card in each hand with probability 1/4: a chi-square far from its tail.
        let deals = Deals::new(rules("luxembourg"), 11);
        let mut counts = [[0u32; 4]; 52];
        let n = 4000;
        for i in 0..n {
            let deal = deals.shuffled(i, Seat::North);
            for seat in Seat::ALL {
                deal.hands[seat].for_each(|c| counts[c.index()][seat.index()] += 1);
            }
        }
        let expected = n as f64 / 4.0;
        let chi: f64 =
            counts.iter().flatten().map(|&c| (f64::from(c) - expected).powi(2) / expected).sum();
        assert!(chi < 52.0 * 3.0 + 6.0 * (2.0 * 156.0f64).sqrt(), "{chi}");
    }
}
