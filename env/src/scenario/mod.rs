//! Scenarios: conditions on shuffled deals, for training and testing on rare contracts.

mod practice;

use serde::{Deserialize, Serialize};

use self::practice::{is_low, practice_of};
pub use self::practice::{
    long_hand, long_low_hand, low_hand, near_slam_hand, solid_hand, top_hand, with_sides,
};
use crate::cards::{CardSet, Suit};
use crate::contract::ContractKind;
use crate::deal::Deal;
use crate::hand::{
    max_tricks_against_aces, misere_risk, sure_tricks_without_trumps, trick_estimate,
};
use crate::rng::Stream;
use crate::rules::RuleSet;
use crate::seat::Seat;

/// Condition on shuffled deals, for training and testing on rare contracts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scenario {
    /// Any deal.
    #[default]
    Any,
    /// Some hand has at least three aces.
    Aces,
    /// Some hand has at most two cards above the ten. With a full deck it is [`low_hand`]: safe,
    /// doubtful or bad for a misère. Hands that are promising for one are mostly safe.
    LowCards,
    /// Some hand has all tricks but one from the top, and no ace in the suit of its last card.
    /// Every slam fails against a defender who keeps that ace.
    NearSlam,
    /// Some hand is promising for this contract, generously judged.
    #[serde(rename = "suits")]
    Promising(ContractKind),
    /// Eldest holds exactly these cards.
    EldestHolds(CardSet),
}

impl Scenario {
    /// Names of the scenarios that are not kinds of contracts.
    pub const NAMES: [&'static str; 4] = ["any", "aces", "low-cards", "near-slam"];

    /// Returns the scenario of this name: one of [`Scenario::NAMES`], or a kind of contract.
    pub fn parse(name: &str) -> Option<Scenario> {
        match name {
            "any" => Some(Scenario::Any),
            "aces" => Some(Scenario::Aces),
            "low-cards" => Some(Scenario::LowCards),
            "near-slam" => Some(Scenario::NearSlam),
            _ => ContractKind::ALL
                .into_iter()
                .find(|k| k.name() == name)
                .map(|k| if k.is_announced() { Scenario::Aces } else { Scenario::Promising(k) }),
        }
    }

    /// Draws the hand with which a deal meets the scenario. Returns it with the seat that holds it:
    /// `focus`, or a seat at random. Eldest holds the hand of [`Scenario::EldestHolds`].
    ///
    /// Returns `None` if the scenario draws no hands under these rules. Deals are then shuffled
    /// until one meets it.
    pub(crate) fn draw_hand(
        self,
        rules: &RuleSet,
        dealer: Seat,
        focus: Option<Seat>,
        stream: &mut Stream,
    ) -> Option<(Seat, CardSet)> {
        let draw_holder = |stream: &mut Stream| focus.unwrap_or_else(|| stream.pick(&Seat::ALL));
        match self {
            Scenario::LowCards if rules.has_full_deck() => {
                Some((draw_holder(stream), low_hand(stream)))
            }
            Scenario::NearSlam if rules.has_full_deck() => {
                Some((draw_holder(stream), near_slam_hand(stream)))
            }
            Scenario::Promising(kind) if rules.has_full_deck() => {
                let practice = practice_of(kind)?;
                Some((draw_holder(stream), practice.hand(stream)))
            }
            Scenario::EldestHolds(cards) if cards.len() == u32::from(rules.cards_per_hand()) => {
                Some((dealer.next(), cards))
            }
            _ => None,
        }
    }

    /// Returns whether a deal meets the scenario: with the hand of `focus`, or with any hand.
    pub(crate) fn holds(self, deal: &Deal, focus: Option<Seat>) -> bool {
        let any_hand = |test: &dyn Fn(CardSet) -> bool| match focus {
            Some(seat) => test(deal.hands[seat]),
            None => deal.hands.iter().any(|&hand| test(hand)),
        };
        match self {
            Scenario::Any => true,
            Scenario::Aces => any_hand(&|hand| hand.aces().len() >= 3),
            Scenario::LowCards => any_hand(&is_low),
            Scenario::NearSlam => {
                let deck = deal.hands.iter().copied().collect();
                any_hand(&|hand| is_near_slam(hand, deck))
            }
            Scenario::Promising(kind) => any_hand(&|hand| is_promising(hand, kind, deal)),
            Scenario::EldestHolds(cards) => deal.hands[deal.dealer.next()] == cards,
        }
    }
}

/// Returns whether a hand has all tricks but one from the top, and loses one to an ace.
fn is_near_slam(hand: CardSet, deck: CardSet) -> bool {
    let all_but_one = hand.len() as u8 - 1;
    sure_tricks_without_trumps(hand, deck) == all_but_one
        && max_tricks_against_aces(hand, deck) == all_but_one
}

/// Returns whether a hand looks good enough for a contract.
///
/// The test is generous: such deals have hands that should bid the contract, and hands that nearly
/// should.
fn is_promising(hand: CardSet, kind: ContractKind, deal: &Deal) -> bool {
    use ContractKind as K;
    let turn_up = deal.turn_up;
    let deck: CardSet = deal.hands.iter().copied().collect();
    let best = || Suit::ALL.iter().map(|&s| trick_estimate(hand, Some(s))).fold(0.0, f32::max);
    let in_turn_up = || turn_up.map_or(0.0, |card| trick_estimate(hand, Some(card.suit())));
    match kind {
        K::Suit => turn_up.map_or_else(best, |_| in_turn_up()) >= 4.0,
        K::Solo => best() >= 5.5,
        K::Alone => in_turn_up() >= 4.5,
        K::Abondance => best() >= 7.5,
        K::SmallMisere | K::Misere => misere_risk(hand, deck) <= 0.6,
        K::OpenMisere => misere_risk(hand, deck) <= 0.25,
        K::Piccolo => (0.4..=1.2).contains(&misere_risk(hand, deck)),
        K::Trou | K::Troel => hand.aces().len() >= 3,
        K::SmallSlam | K::Slam => best() >= 9.5,
        K::SoloSlim => in_turn_up() >= 9.0,
    }
}
