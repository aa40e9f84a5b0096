//! Estimates and sure tricks of hands. The rule-based bots bid by the estimates, and the features
//! offer them to networks.

use crate::cards::{CardSet, Suit};

/// Worth in tricks of the top three honours of a side suit, by bits ace 4, king 2, queen 1.
/// A guess, not fitted to data.
const HONOURS: [f32; 8] = [0.0, 0.15, 0.45, 0.8, 0.95, 1.25, 1.75, 2.4];

/// Value of a holding of one suit, by its length and its top four cards. The bits of the top cards
/// are ace 8, king 4, queen 2, jack 1.
#[derive(Clone, Copy)]
struct Holding {
    /// Tricks if it is trumps.
    trumps: f32,
    /// Tricks of its honours beside another trump suit.
    side: f32,
    /// Tricks of its honours without trumps.
    plain: f32,
    /// Tricks of its small cards, once the others have run out.
    small: f32,
}

static HOLDINGS: [[Holding; 14]; 16] = {
    let mut table = [[Holding { trumps: 0.0, side: 0.0, plain: 0.0, small: 0.0 }; 14]; 16];
    let mut top = 0;
    while top < 16 {
        let mut length = 0;
        while length < 14 {
            table[top][length] = Holding::new(top, length as u32);
            length += 1;
        }
        top += 1;
    }
    table
};

impl Holding {
    const fn new(top: usize, length: u32) -> Holding {
        let honours = HONOURS[top >> 1];
        // Honours in long suits get ruffed; a bare king or queen falls to the ace.
        let ruffed = if length > 4 { 0.12 * (length - 4) as f32 } else { 0.0 };
        let bare = if length == 1 && top >> 1 & 3 != 0 { 0.3 } else { 0.0 };
        let small = if length >= 5 {
            0.45 * (length - 4) as f32 * (top as u32 >> 1).count_ones() as f32 / 2.0
        } else {
            0.0
        };
        Holding {
            trumps: trump_tricks(top, length),
            side: (honours - ruffed - bare).max(0.0),
            plain: (honours - bare).max(0.0),
            small,
        }
    }

    #[inline]
    fn of(hand: CardSet, suit: Suit) -> (&'static Holding, usize) {
        let ranks = hand.0 >> (13 * suit as u32) & 0x1fff;
        let length = ranks.count_ones() as usize;
        (&HOLDINGS[(ranks >> 9) as usize][length], length)
    }
}

/// Returns tricks from a trump holding: its length minus the cost of the missing top cards.
const fn trump_tricks(top: usize, length: u32) -> f32 {
    // Each missing honour takes a trick away from a short holding, less from a long one.
    let costs = [(3, 0.85), (2, 0.75), (1, 0.55), (0, 0.3)];
    let (mut missing, mut i) = (0.0, 0);
    while i < costs.len() {
        if top >> costs[i].0 & 1 == 0 {
            missing += costs[i].1;
        }
        i += 1;
    }
    let short = if length < 5 { 0.35 * (5 - length) as f32 } else { 0.0 };
    (length as f32 - missing - short).max(0.0)
}

/// Estimates the tricks that the hand takes alone with these trumps (`None`: without). An additive
/// rule of thumb for the expectation against best defence by three.
#[inline]
pub fn trick_estimate(hand: CardSet, trump: Option<Suit>) -> f32 {
    let holdings = Suit::ALL.map(|suit| Holding::of(hand, suit));
    let trumps = trump.map_or(0, |suit| holdings[suit.index()].1);
    let mut tricks = 0.0;
    for (suit, (holding, length)) in Suit::ALL.into_iter().zip(holdings) {
        if Some(suit) == trump {
            tricks += holding.trumps;
            continue;
        }
        tricks += if trump.is_some() { holding.side } else { holding.plain };
        if trump.is_none() || trumps >= 5 {
            tricks += holding.small;
        }
        // Shortness ruffs, as long as there are trumps to spare.
        if length <= 2 && trumps >= 3 {
            tricks += [0.9, 0.5, 0.15][length] * ((trumps - 2) as f32 / 3.0).min(1.0);
        }
    }
    tricks.min(13.0)
}

/// Returns the number of tricks (0 to 13) that a hand is certain to take alone with these trumps.
/// The hand has the first lead. The number is a lower bound over all distributions and all play of
/// the other cards.
///
/// The hand leads its trumps from the top. When as many rounds as others can hold trumps are sure,
/// nobody can ruff afterwards. Then all its trumps are tricks. In each side suit the cards from the
/// ace downwards are, or all if no other card of the suit can be left. Otherwise only its trumps
/// from the top count.
#[inline]
pub fn sure_tricks(hand: CardSet, deck: CardSet, trumps: Suit) -> u8 {
    let draws = SuitRun::new(hand, deck, trumps);
    if !draws.draws_all() {
        return draws.run as u8;
    }
    let sides = [1, 2, 3].map(|step| {
        SuitRun::new(hand, deck, Suit::from_index_wrapping(trumps.index() ^ step)).tricks()
    });
    (draws.length + sides.into_iter().sum::<u32>()) as u8
}

/// Returns the number of tricks (0 to 13) that a hand is certain to take alone without trumps. The
/// hand has the first lead, and cashes these tricks from the top in each suit.
pub fn sure_tricks_without_trumps(hand: CardSet, deck: CardSet) -> u8 {
    Suit::ALL.map(|suit| SuitRun::new(hand, deck, suit).tricks() as u8).into_iter().sum()
}

/// Returns the most tricks that a lone declarer with this hand can take against best defence. This
/// holds however the other cards are distributed.
///
/// In each suit that the hand holds without the highest card of the deck, one trick is lost: an
/// opponent keeps that card until the declarer has to play the suit. Discarding the loser does not
/// help, because the opponents win the trick in which the declarer discards.
pub fn max_tricks_against_aces(hand: CardSet, deck: CardSet) -> u8 {
    let is_headless = |suit: &Suit| {
        !hand.of(*suit).is_empty() && hand.of(*suit).highest() != deck.of(*suit).highest()
    };
    (hand.len() as u8).saturating_sub(Suit::ALL.into_iter().filter(is_headless).count() as u8)
}

/// Returns whether a hand draws all trumps that others can hold by leading its own from the top.
pub fn draws_trumps(hand: CardSet, deck: CardSet, trumps: Suit) -> bool {
    SuitRun::new(hand, deck, trumps).draws_all()
}

/// The cards of one suit that are certain to win when the hand leads them.
struct SuitRun {
    /// Number of cards above the highest card of the others.
    run: u32,
    /// Number of cards.
    length: u32,
    /// Number of cards of the suit that others hold.
    others: u32,
}

impl SuitRun {
    #[inline]
    fn new(hand: CardSet, deck: CardSet, suit: Suit) -> SuitRun {
        let own = hand.of(suit).0;
        let others = deck.of(suit).0 & !own;
        // The bit of a card is higher than the bits of all lower cards of its suit.
        let below = (1u64 << (u64::BITS - others.leading_zeros())) - 1;
        let run = (own & !below).count_ones();
        SuitRun { run, length: own.count_ones(), others: others.count_ones() }
    }

    /// Returns whether leading from the top leaves nobody else with a card of the suit.
    fn draws_all(&self) -> bool {
        self.run >= self.others
    }

    /// Returns the number of tricks that the suit takes if nobody can ruff. With no card of the
    /// suit left elsewhere, its small cards are tricks too.
    fn tricks(&self) -> u32 {
        if self.draws_all() { self.length } else { self.run }
    }
}

/// Contribution of a card to the risk of a misère. It depends on the numbers of lower cards of its
/// suit in hand and elsewhere. A single card comes first, then one of several.
static RISKS: [[[f32; 13]; 13]; 2] = {
    let mut table = [[[0.0; 13]; 13]; 2];
    let mut i = 0;
    while i < 2 * 13 * 13 {
        let (single, position, below) = (i / 169 == 0, i / 13 % 13, i % 13);
        // The n-th lowest card is safe if at most about 2.2 n − 1.2 ranks lie below it.
        let slack = below as f32 - 1.2 * position as f32 - 1.0;
        if slack > 0.0 {
            // Long suits are attacked again and again; the others run out in short ones.
            let weight = if position == 0 { 0.12 } else { 0.05 };
            let factor = if single { 0.6 } else { 1.0 };
            table[i / 169][position][below] = slack * weight * factor;
        }
        i += 1;
    }
    table
};

/// Estimates the number of tricks that a hand cannot avoid in a misère. It is 0 for a hand that
/// always ducks. Each card counts by the numbers of lower cards of its suit in the hand and
/// elsewhere.
pub fn misere_risk(hand: CardSet, deck: CardSet) -> f32 {
    let mut risk = 0.0;
    // One loop over the hand, not one for each suit: its end can be foreseen.
    for card in hand {
        let position = hand.below(card).len() as usize;
        let single = position == 0 && hand.above(card).is_empty();
        let below = (deck - hand).below(card).len() as usize;
        risk += RISKS[usize::from(!single)][position][below];
    }
    risk
}

/// Returns whether a hand can never be made to take a trick without trumps. The hand does not lead
/// to the first trick.
///
/// In every suit, at most k − 1 of the cards below the hand's k-th lowest card are missing from it.
/// Whenever the suit is led, the hand then holds a card below one that an opponent must play, or
/// follows with nothing.
pub fn never_wins_a_trick(hand: CardSet, deck: CardSet) -> bool {
    hand.into_iter().all(|card| (deck - hand).below(card).len() <= hand.below(card).len())
}

/// Returns whether a hand that leads to the first trick need never take a trick without trumps.
///
/// It leads a card below all those that others hold in the suit, of which there is at least one.
/// The rest is a hand of [`never_wins_a_trick`].
pub fn never_wins_a_trick_with_lead(hand: CardSet, deck: CardSet) -> bool {
    let others = deck - hand;
    hand.into_iter().any(|card| {
        let is_beaten = others.below(card).is_empty() && !others.above(card).is_empty();
        let lead = CardSet::single(card);
        is_beaten && never_wins_a_trick(hand - lead, deck - lead)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deal::parse_hand;

    #[test]
    fn estimates_order_hands() {
        let estimate = |text: &str, trump| trick_estimate(parse_hand(text).unwrap(), trump);
        let spades = Some(Suit::Spades);
        assert_eq!(estimate("AKQJT98765432...", spades), 13.0);
        assert!(estimate("AKQJT98.AK.AK.32", spades) > 10.0);
        assert!(estimate("5432.5432.543.32", spades) < 2.0);
        assert!(estimate("AKQ32.AK.432.432", spades) > estimate("KQJ32.A2.432.432", spades));
    }

    #[test]
    fn tricks_without_trumps_are_cashed_from_the_top() {
        let sure =
            |text: &str| sure_tricks_without_trumps(parse_hand(text).unwrap(), CardSet::FULL);
        assert_eq!(sure("AKQJT.AKQ.AKQ.AK"), 13);
        // Six spades elsewhere may be in one hand.
        assert_eq!(sure("AKQJ432.AK.A2.32"), 4 + 2 + 1);
        assert_eq!(sure("KQJT987654.8.7.2"), 0);
    }

    #[test]
    fn low_cards_are_safe() {
        let risk = |text: &str| misere_risk(parse_hand(text).unwrap(), CardSet::FULL);
        assert_eq!(risk("5432.432.432.432"), 0.0);
        assert!(risk("AKQJ.AKQ.AKQ.AKQ") > 5.0);
        assert!(risk("97532.8642.532.2") < risk("K7532.8642.532.2"));
    }

    #[test]
    fn hands_that_never_win_have_low_cards_in_every_suit() {
        let never = |text: &str| never_wins_a_trick(parse_hand(text).unwrap(), CardSet::FULL);
        assert!(never("8642.642.642.642"));
        assert!(never("5432.5432.5432.2"));
        assert!(never("AKQJT98765432..."));
        assert!(!never("9642.642.642.642"));
        assert!(!never("643.8642.642.642"));
    }

    #[test]
    fn the_first_lead_must_be_beaten() {
        let never =
            |text: &str| never_wins_a_trick_with_lead(parse_hand(text).unwrap(), CardSet::FULL);
        assert!(never("5432.5432.5432.2"));
        assert!(!never("8642.642.642.642"), "after a two, the three may be led to the four");
        assert!(never("AKQJT9876532.2.."), "the two of hearts is led");
        assert!(!never("AKQJT98765432..."), "nobody can follow to a spade");
        assert!(!never("AKQJT9876532..3."), "the two of diamonds may be led to it");
        assert!(!never("6543.642.642.642"), "the two of spades is out");
        assert!(!never("3.8642.8642.7642"));
    }
}
