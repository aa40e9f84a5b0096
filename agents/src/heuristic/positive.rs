//! Card play where each side wants tricks.

use troel_env::cards::rank;
use troel_env::{Card, CardSet, Contract, Observation, Seat, SeatSet, Suit};

use super::ranking::cheapest;

// A rank is 0 for a deuce to 12 for an ace. The values and costs below only order cards.

/// Value of keeping a trump beyond its rank: a deuce of trumps is worth more than a side ace.
const TRUMP_VALUE: i32 = 30;

/// Value of keeping the best card of a side suit beyond its rank. It is larger than that of any
/// card that can be beaten.
const MASTER_VALUE: i32 = 15;

/// Cost of throwing away a card per unit of [`CardPlay::keep_value`]. Each card of its suit
/// costs 1.
const KEEP_VALUE_WEIGHT: i32 = 4;

/// Cost of throwing away a card that guards an honour: the same as for three ranks.
const GUARD_COST: i32 = 12;

/// Number of outstanding higher cards that a possible ruff counts as. It exceeds each limit on
/// [`CardPlay::threat`] below.
const RUFF_THREAT: u32 = 3;

/// Largest threat to an ally's card at which third hand does not beat it, even with a sure card.
const MAX_THREAT_IN_THIRD_HAND: u32 = 1;

/// Largest threat to an ally's card at which a seat without a sure card does not beat it.
const MAX_THREAT_TO_ALLY: u32 = 2;

/// Largest threat to a card that third hand plays high. A card with more above it forces out
/// nothing.
const MAX_THREAT_TO_FORCE: u32 = 2;

/// Fewest trumps with which a declarer draws trumps without the best one.
const MIN_TRUMPS_WITHOUT_BEST: u32 = 4;

/// Cost of leading a card that cannot be beaten, added to its rank: nearly always the lowest cost.
const MASTER_LEAD_COST: i32 = -100;

/// Gain of leading the best card of a side suit while trumps are outstanding.
const BEST_CARD_GAIN: i32 = 60;

/// Further gain if few cards of the suit have been played: probably no seat is void.
const FRESH_SUIT_GAIN: i32 = 10;

/// Fewest unplayed cards of a suit with the gain [`FRESH_SUIT_GAIN`].
const MIN_FRESH_SUIT_CARDS: u32 = 9;

/// Cost of leading a card that can be beaten, per rank: low cards are led, and high cards kept.
const RANK_LEAD_COST: i32 = 2;

/// Cost for a defender of leading from a suit whose highest card is an honour that can be beaten.
const HONOUR_LEAD_COST: i32 = 8;

/// Gain of leading a suit that the partner can ruff.
const PARTNER_RUFF_GAIN: i32 = 12;

/// Cost of leading a suit that an opponent can ruff: more than the gain of a ruff by the partner.
const OPPONENT_RUFF_COST: i32 = 15;

/// Cost for a declarer of a trump lead when it does not draw trumps: it keeps them to ruff.
const DECLARER_TRUMP_COST: i32 = 6;

/// Cost for a defender of a trump lead: it helps the declarer to draw trumps.
const DEFENDER_TRUMP_COST: i32 = 20;

/// Gain of leading a singleton as a defender with trumps: the next round can be ruffed.
const SINGLETON_GAIN: i32 = 6;

/// Gain of leading a suit, per card held: small cards of long suits become winners.
const LENGTH_GAIN: i32 = 2;

/// Chooses among the legal cards.
pub(super) fn choose_card(obs: &Observation, contract: &Contract, cards: CardSet) -> Card {
    let play = CardPlay { obs, contract };
    match obs.public().trick().winning() {
        Some((winner, best)) => play.follow(cards, winner, best),
        None => play.lead(cards),
    }
}

/// Card play of the observer in a contract.
#[derive(Clone, Copy)]
struct CardPlay<'a> {
    obs: &'a Observation,
    contract: &'a Contract,
}

impl CardPlay<'_> {
    /// Returns the value of keeping a card, which is larger for high cards and trumps.
    fn keep_value(self, card: Card) -> i32 {
        let mut value = i32::from(card.rank());
        if Some(card.suit()) == self.contract.trump {
            value += TRUMP_VALUE;
        } else if self.obs.outstanding().above(card).is_empty() {
            value += MASTER_VALUE;
        }
        value
    }

    /// Returns the cheapest card to lose: low, and from a suit in which it guards nothing.
    fn throw_away(self, cards: CardSet) -> Card {
        cheapest(cards, |card| {
            let suit = self.obs.hand().of(card.suit());
            let mut cost = KEEP_VALUE_WEIGHT * self.keep_value(card);
            // The suit has just enough cards to keep its highest one until it is the best.
            let guards = suit.highest().is_some_and(|top| {
                let above = self.obs.outstanding().above(top).len();
                above > 0 && suit.len() == above + 1
            });
            if guards {
                cost += GUARD_COST;
            }
            // Shorten short suits first: a void can ruff.
            cost + suit.len() as i32
        })
    }

    /// Returns whether the observer is a declarer.
    fn is_declarer(self) -> bool {
        self.contract.declarers.has(self.obs.seat())
    }

    /// Returns the other seats of the observer's side.
    fn allies(self) -> SeatSet {
        self.contract.side(self.obs.seat()) - SeatSet::single(self.obs.seat())
    }

    /// Returns the seats of the other side.
    fn opponents(self) -> SeatSet {
        SeatSet::FULL - self.contract.side(self.obs.seat())
    }

    /// Chooses a card to a trick that `winner` wins so far with `best`.
    fn follow(self, cards: CardSet, winner: Seat, best: Card) -> Card {
        let trick = self.obs.public().trick();
        let allies = self.allies();
        let (ally_wins, third_hand) = (allies.has(winner), trick.len() == 2);
        let behind: SeatSet = (trick.len() + 1..4).map(|i| trick.leader.plus(i)).collect();
        let lead_suit = trick.lead().map_or(best.suit(), Card::suit);
        let threat = |card: Card| self.threat(card, lead_suit, behind - allies);
        let trump = self.contract.trump;
        let winners: CardSet = cards.iter().filter(|c| c.beats(best, trump)).collect();
        let sure: CardSet = winners.iter().filter(|&c| threat(c) == 0).collect();
        let max_threat = if sure.is_empty() {
            MAX_THREAT_TO_ALLY
        } else if third_hand {
            MAX_THREAT_IN_THIRD_HAND
        } else {
            0
        };
        if winners.is_empty() || ally_wins && threat(best) <= max_threat {
            return self.throw_away(cards);
        }
        if !sure.is_empty() {
            return cheapest(sure, |c| self.keep_value(c));
        }
        let ruffs = winners.of(lead_suit).is_empty();
        if ruffs && !ally_wins {
            return cheapest(winners, |c| self.keep_value(c));
        }
        // Second hand low, third hand high, but high only if it forces something.
        if third_hand
            && !ruffs
            && let Some(top) = winners.highest()
            && threat(top) <= MAX_THREAT_TO_FORCE
        {
            return self.lowest_equal(winners, top);
        }
        self.throw_away(cards)
    }

    /// Returns the number of outstanding cards that could still beat a card of this trick.
    /// `opponents` are those who have not played to it. A possible ruff counts as [`RUFF_THREAT`]
    /// cards.
    fn threat(self, card: Card, lead_suit: Suit, opponents: SeatSet) -> u32 {
        if opponents.is_empty() {
            return 0;
        }
        let outstanding = self.obs.outstanding();
        let may_ruff = self.contract.trump.is_some_and(|trump| {
            card.suit() != trump
                && !outstanding.of(trump).is_empty()
                && opponents.iter().any(|seat| self.obs.voids(seat).has(lead_suit))
        });
        outstanding.above(card).len() + if may_ruff { RUFF_THREAT } else { 0 }
    }

    /// Returns the lowest card of `cards`, all of one suit, that is as good as `top`. No card
    /// between the two is outstanding.
    fn lowest_equal(self, cards: CardSet, top: Card) -> Card {
        let above = |card| self.obs.outstanding().above(card);
        cards.iter().find(|&card| above(card) == above(top)).unwrap_or(top)
    }

    /// Chooses a card to lead.
    fn lead(self, cards: CardSet) -> Card {
        let drawing = self.contract.trump.and_then(|trump| self.trump_lead(cards, trump));
        drawing.unwrap_or_else(|| cheapest(cards, |card| self.lead_cost(card)))
    }

    /// Chooses a trump with which a declarer draws trumps. `None` if drawing them gains nothing.
    fn trump_lead(self, cards: CardSet, trump: Suit) -> Option<Card> {
        let theirs = self.obs.outstanding().of(trump);
        if !self.is_declarer() || theirs.is_empty() || !self.opponents_may_hold_trumps(trump) {
            return None;
        }
        let ours = cards.of(trump);
        let masters: CardSet = ours.iter().filter(|&c| theirs.above(c).is_empty()).collect();
        // Draw trumps with the highest ones while that gains.
        if let Some(card) = masters.highest()
            && (ours.len() >= 2 || theirs.len() <= 2)
        {
            return Some(card);
        }
        if ours.len() < MIN_TRUMPS_WITHOUT_BEST || ours.len() + 1 < theirs.len() {
            return None;
        }
        // Without the top trump: drive it out with the next ones, or lead low.
        let top = ours.highest()?;
        if theirs.above(top).len() <= 1 { Some(top) } else { ours.lowest() }
    }

    /// Returns whether an opponent may still hold trumps.
    fn opponents_may_hold_trumps(self, trump: Suit) -> bool {
        self.opponents().iter().any(|s| !self.obs.voids(s).has(trump))
    }

    /// Returns the cost of leading a card, which is lower for better leads.
    fn lead_cost(self, card: Card) -> i32 {
        let trump = self.contract.trump;
        if self.obs.is_master(trump, card) {
            return MASTER_LEAD_COST + i32::from(card.rank());
        }
        let hand = self.obs.hand();
        let suit = card.suit();
        let length = hand.of(suit).len();
        let declaring = self.is_declarer();
        let suit_cost = if Some(suit) == trump {
            if declaring { DECLARER_TRUMP_COST } else { DEFENDER_TRUMP_COST }
        } else if length == 1 && !declaring && trump.is_some_and(|t| !hand.of(t).is_empty()) {
            -SINGLETON_GAIN
        } else {
            // Long suits grow small cards into winners.
            -LENGTH_GAIN * length as i32
        };
        suit_cost + self.rank_and_ruff_cost(card)
    }

    /// Returns the part of [`lead_cost`](Self::lead_cost) that depends on the rank of the card and
    /// on possible ruffs.
    fn rank_and_ruff_cost(self, card: Card) -> i32 {
        let suit = card.suit();
        let ours = self.obs.hand().of(suit);
        let outstanding = self.obs.outstanding().of(suit);
        let is_trump = Some(suit) == self.contract.trump;
        let opponent_may_ruff = self.opponent_may_ruff(suit);
        if !is_trump && outstanding.above(card).is_empty() && !opponent_may_ruff {
            // The best card of a side suit: early, before the suit is ruffed.
            let is_fresh = ours.len() + outstanding.len() >= MIN_FRESH_SUIT_CARDS;
            return -BEST_CARD_GAIN - if is_fresh { FRESH_SUIT_GAIN } else { 0 };
        }
        let mut cost = RANK_LEAD_COST * i32::from(card.rank());
        // Leading away from an unprotected honour (queen or higher) gives tricks.
        if let Some(top) = ours.highest() {
            let above = outstanding.above(top).len();
            if top.rank() >= rank::QUEEN && above > 0 && !self.is_declarer() {
                cost += HONOUR_LEAD_COST;
            }
        }
        // A partner who is void can ruff; an opponent who is void will.
        if let Some(partner) = self.contract.partner(self.obs.seat())
            && self.obs.voids(partner).has(suit)
            && !opponent_may_ruff
        {
            cost -= PARTNER_RUFF_GAIN;
        }
        if opponent_may_ruff {
            cost += OPPONENT_RUFF_COST;
        }
        cost
    }

    /// Returns whether an opponent who is void in a suit may ruff it.
    fn opponent_may_ruff(self, suit: Suit) -> bool {
        let (obs, opponents) = (self.obs, self.opponents());
        self.contract.trump.is_some_and(|trump| {
            suit != trump
                && !obs.outstanding().of(trump).is_empty()
                && opponents.iter().any(|s| obs.voids(s).has(suit) && !obs.voids(s).has(trump))
        })
    }
}
