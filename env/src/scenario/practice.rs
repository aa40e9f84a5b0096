//! Hands drawn to practise contracts that a lone player makes, and misères.

use std::ops::RangeInclusive;

use crate::cards::{Card, CardSet, RANKS_PER_SUIT, Suit, rank};
use crate::contract::ContractKind;
use crate::rng::Stream;

/// Numbers of trumps of a solid hand.
const SOLID_LENGTHS: RangeInclusive<u8> = 7..=9;

/// Numbers of trumps of a long hand.
const LONG_LENGTHS: RangeInclusive<u8> = 10..=13;

/// Number of the lowest ranks from which the side cards of a long low hand are drawn.
const LOW_SIDE_RANKS: u8 = 4;

/// Number of cards from the top of a hand of top cards.
const TOP_CARDS: RangeInclusive<u8> = 11..=13;

/// Numbers of cards of the first suit of a near slam.
const NEAR_SLAM_LENGTHS: RangeInclusive<u8> = 4..=12;

/// Numbers of trumps of a varied hand.
const VARIED_LENGTHS: RangeInclusive<u8> = 6..=9;

/// Number of the lowest ranks of the short suit of a low hand. The hand holds each of them with a
/// probability of 1/3.
const LOW_SHORT_RANKS: usize = 4;

/// Numbers of ranks from the deuce upwards that the other suits of a low hand are drawn from.
const LOW_RANKS: std::ops::Range<u32> = 6..10;

/// Ranks of the other cards of a low hand: from the nine to the ace.
const HIGH_RANKS: std::ops::Range<u8> = rank::NINE..RANKS_PER_SUIT;

/// Returns the mix of practice hands for a contract. `None` if hands are dealt at random.
pub(crate) fn practice_of(kind: ContractKind) -> Option<Practice> {
    use ContractKind as K;
    match kind {
        K::Abondance => Some(Practice::ABONDANCES),
        K::SmallSlam | K::Slam | K::SoloSlim => Some(Practice::SLAMS),
        _ => None,
    }
}

/// Mix of hands to practise contracts alone.
///
/// Hands dealt at random crowd at the lowest level that a lone player can bid. Solid and long hands
/// and those of top cards spread over the levels that are certain. Varied ones are good, doubtful
/// and bad. Long low hands make a misère, too, or only seem to.
pub(crate) struct Practice {
    /// Smallest probability of each top card of a varied hand, in per cent: the largest is 100.
    weakest_honours: u32,
    /// Sixteenths of the hands that are of each kind. The others are varied.
    sixteenths: &'static [(HandKind, usize)],
}

/// Kind of a hand that is not varied.
#[derive(Clone, Copy)]
enum HandKind {
    /// Hand of [`long_hand`].
    Long,
    /// Hand of [`long_low_hand`].
    LongLow,
    /// Hand of [`top_hand`].
    Top,
    /// Hand of [`solid_hand`].
    Solid,
}

impl Practice {
    const ABONDANCES: Practice = Practice {
        weakest_honours: 40,
        sixteenths: &[(HandKind::Long, 1), (HandKind::LongLow, 1), (HandKind::Solid, 6)],
    };

    const SLAMS: Practice = Practice {
        weakest_honours: 70,
        sixteenths: &[
            (HandKind::Long, 1),
            (HandKind::LongLow, 2),
            (HandKind::Top, 4),
            (HandKind::Solid, 4),
        ],
    };

    /// Draws a hand.
    pub(crate) fn hand(&self, stream: &mut Stream) -> CardSet {
        let trumps = stream.pick(&Suit::ALL);
        let drawn = stream.below(16) as usize;
        let mut kinds =
            self.sixteenths.iter().flat_map(|&(kind, share)| std::iter::repeat_n(kind, share));
        match kinds.nth(drawn) {
            Some(HandKind::Long) => long_hand(stream, trumps),
            Some(HandKind::LongLow) => long_low_hand(stream, trumps),
            Some(HandKind::Top) => top_hand(stream),
            Some(HandKind::Solid) => solid_hand(stream, trumps),
            None => varied_hand(stream, trumps, self.weakest_honours),
        }
    }
}

/// Draws a hand of seven to nine trumps that draws all others. The side cards are from the top and
/// small ones. Such hands make seven to thirteen tricks for certain.
pub fn solid_hand(stream: &mut Stream, trumps: Suit) -> CardSet {
    hand_that_draws_trumps(stream, trumps, SOLID_LENGTHS)
}

/// Draws a hand of ten to thirteen trumps that draws all others. Its side cards are as in
/// [`solid_hand`]. Such hands make ten to thirteen tricks for certain.
pub fn long_hand(stream: &mut Stream, trumps: Suit) -> CardSet {
    hand_that_draws_trumps(stream, trumps, LONG_LENGTHS)
}

/// Draws a hand of ten to thirteen random cards of one suit. The side cards are of the four lowest
/// ranks.
pub fn long_low_hand(stream: &mut Stream, suit: Suit) -> CardSet {
    let length = LONG_LENGTHS.start() + stream.below(LONG_LENGTHS.len() as u32) as u8;
    let mut hand = CardSet::EMPTY;
    let is_low = |card: &Card| card.rank() < LOW_SIDE_RANKS;
    let sides = (CardSet::FULL - suit.cards()).into_iter().filter(is_low).collect();
    fill(&mut hand, suit.cards(), length, stream);
    fill(&mut hand, sides, RANKS_PER_SUIT, stream);
    hand
}

/// Draws a hand with eleven to thirteen cards from the ace downwards in random suits. The other
/// cards are random.
pub fn top_hand(stream: &mut Stream) -> CardSet {
    let count = TOP_CARDS.start() + stream.below(TOP_CARDS.len() as u32) as u8;
    let mut hand = CardSet::EMPTY;
    for _ in 0..count {
        let suit = stream.pick(&Suit::ALL);
        (suit.cards() - hand).highest().into_iter().for_each(|card| hand.insert(card));
    }
    fill(&mut hand, CardSet::FULL, RANKS_PER_SUIT, stream);
    hand
}

/// Draws a hand with twelve cards from the top of one to three suits, and a card below the ace of
/// another suit. It has twelve tricks from the top, and every slam loses to that ace.
pub fn near_slam_hand(stream: &mut Stream) -> CardSet {
    let mut suits = Suit::ALL;
    stream.shuffle(&mut suits);
    let [first, second, third, loser] = suits;
    let length = NEAR_SLAM_LENGTHS.start() + stream.below(NEAR_SLAM_LENGTHS.len() as u32) as u8;
    let mut hand: CardSet = first.cards().into_iter().rev().take(length.into()).collect();
    while hand.len() < 12 {
        let suit = stream.pick(&[second, third]);
        (suit.cards() - hand).highest().into_iter().for_each(|card| hand.insert(card));
    }
    hand.insert(Card::new(loser, stream.below(u32::from(rank::ACE)) as u8));
    hand
}

/// Adds random cards of `from` to a hand until it has `wanted` cards.
fn fill(hand: &mut CardSet, from: CardSet, wanted: u8, stream: &mut Stream) {
    let mut rest: Vec<Card> = (from - *hand).into_iter().collect();
    stream.shuffle(&mut rest);
    let missing = u32::from(wanted).saturating_sub(hand.len()) as usize;
    rest.into_iter().take(missing).for_each(|card| hand.insert(card));
}

/// Draws a hand whose number of trumps is in `lengths`, and which draws all other trumps.
fn hand_that_draws_trumps(
    stream: &mut Stream,
    trumps: Suit,
    lengths: RangeInclusive<u8>,
) -> CardSet {
    let length = lengths.start() + stream.below(lengths.len() as u32) as u8;
    // Each top trump draws one of the trumps in the other hands.
    let top = RANKS_PER_SUIT - length;
    let mut hand: CardSet = (length..RANKS_PER_SUIT).map(|rank| Card::new(trumps, rank)).collect();
    let mut low: Vec<u8> = (0..length).collect();
    stream.shuffle(&mut low);
    low.iter().take(usize::from(length - top)).for_each(|&r| hand.insert(Card::new(trumps, r)));
    with_sides(stream, hand, trumps)
}

/// Fills a hand of trumps up to thirteen cards. A random number of side cards from the ace
/// downwards in random suits comes first, then any side cards.
pub fn with_sides(stream: &mut Stream, mut hand: CardSet, trumps: Suit) -> CardSet {
    let sides: Vec<Suit> = Suit::ALL.into_iter().filter(|&suit| suit != trumps).collect();
    for _ in 0..stream.below(u32::from(RANKS_PER_SUIT) - hand.len() + 1) {
        let suit = sides[stream.below(3) as usize];
        let highest_missing = (suit.cards() - hand).highest();
        highest_missing.into_iter().for_each(|card| hand.insert(card));
    }
    fill(&mut hand, CardSet::FULL - trumps.cards(), RANKS_PER_SUIT, stream);
    hand
}

/// Draws a hand of six to nine trumps and side cards.
///
/// Each of the top five trumps, the aces, kings and queens is held with a probability drawn for the
/// hand. It lies between `weakest` per cent and certainty.
fn varied_hand(stream: &mut Stream, trumps: Suit, weakest: u32) -> CardSet {
    let percent = weakest + stream.below(101 - weakest);
    let length = VARIED_LENGTHS.start() + stream.below(VARIED_LENGTHS.len() as u32) as u8;
    let mut hand = CardSet::EMPTY;
    for high in (rank::TEN..=rank::ACE).rev().filter(|_| stream.below(100) < percent) {
        hand.insert(Card::new(trumps, high));
    }
    fill(&mut hand, trumps.cards(), length, stream);
    let sides = Suit::ALL.into_iter().filter(|&suit| suit != trumps);
    // A king without the ace, or a queen without both, is worth little more than a small card.
    for suit in sides {
        for high in (rank::QUEEN..=rank::ACE).rev() {
            if hand.len() == 13 || stream.below(100) >= percent {
                break;
            }
            hand.insert(Card::new(suit, high));
        }
    }
    fill(&mut hand, CardSet::FULL - trumps.cards(), RANKS_PER_SUIT, stream);
    hand
}

/// Returns whether a hand has at most two cards above the ten.
pub(crate) fn is_low(hand: CardSet) -> bool {
    hand.into_iter().filter(|card| card.rank() > rank::TEN).count() <= 2
}

/// Draws a hand that is safe, doubtful or bad for a misère: low cards but for none, one or two. One
/// suit is short, so that a high card of it is often bare.
///
/// Hands dealt at random with a low risk seldom have a bare ace or king. Such a card takes a trick
/// nearly always, however low the others are.
pub fn low_hand(stream: &mut Stream) -> CardSet {
    let short = stream.pick(&Suit::ALL);
    let mut hand: CardSet =
        short.cards().into_iter().take(LOW_SHORT_RANKS).filter(|_| stream.below(3) == 0).collect();
    let high_cards = stream.below(3);
    for index in 0..high_cards {
        let suit = if index == 0 { short } else { stream.pick(&Suit::ALL) };
        let rank = HIGH_RANKS.start + stream.below(HIGH_RANKS.len() as u32) as u8;
        hand.insert(Card::new(suit, rank));
    }
    let ranks = LOW_RANKS.start + stream.below(LOW_RANKS.len() as u32);
    let others = Suit::ALL.into_iter().filter(|&suit| suit != short);
    let mut low: Vec<Card> =
        others.flat_map(|suit| suit.cards().into_iter().take(ranks as usize)).collect();
    stream.shuffle(&mut low);
    for card in low {
        if hand.len() < u32::from(RANKS_PER_SUIT) {
            hand.insert(card);
        }
    }
    hand
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hand::{
        draws_trumps, max_tricks_against_aces, misere_risk, never_wins_a_trick, sure_tricks,
        sure_tricks_without_trumps,
    };
    use crate::rng::Purpose;

    fn hands(draw: fn(&mut Stream) -> CardSet) -> impl Iterator<Item = CardSet> {
        (0..2000).map(move |n| draw(&mut Stream::new(3, Purpose::Deal, n)))
    }

    #[test]
    fn solid_hands_are_of_every_level() {
        let mut levels = [0; 14];
        for hand in hands(|stream| solid_hand(stream, Suit::Hearts)) {
            assert_eq!(hand.len(), 13, "{hand}");
            assert!((7..=9).contains(&hand.of(Suit::Hearts).len()), "{hand}");
            assert!(draws_trumps(hand, CardSet::FULL, Suit::Hearts), "{hand}");
            levels[usize::from(sure_tricks(hand, CardSet::FULL, Suit::Hearts))] += 1;
        }
        assert!(levels[..7].iter().all(|&count| count == 0), "{levels:?}");
        assert!(levels[7..].iter().all(|&count| count >= 40), "{levels:?}");
    }

    #[test]
    fn long_hands_draw_all_other_trumps() {
        let mut lengths = [0; 14];
        for hand in hands(|stream| long_hand(stream, Suit::Clubs)) {
            assert_eq!(hand.len(), 13, "{hand}");
            assert!(draws_trumps(hand, CardSet::FULL, Suit::Clubs), "{hand}");
            lengths[hand.of(Suit::Clubs).len() as usize] += 1;
        }
        assert!(lengths[..10].iter().all(|&count| count == 0), "{lengths:?}");
        assert!(lengths[10..].iter().all(|&count| count >= 400), "{lengths:?}");
    }

    #[test]
    fn long_low_hands_are_miseres_or_seem_to_be() {
        let mut sure = 0;
        for hand in hands(|stream| long_low_hand(stream, Suit::Clubs)) {
            assert_eq!(hand.len(), 13, "{hand}");
            assert!((10..=13).contains(&hand.of(Suit::Clubs).len()), "{hand}");
            sure += u32::from(never_wins_a_trick(hand, CardSet::FULL));
        }
        assert!((400..1600).contains(&sure), "{sure}");
    }

    #[test]
    fn top_hands_are_of_every_level() {
        let mut levels = [0; 14];
        for hand in hands(top_hand) {
            assert_eq!(hand.len(), 13, "{hand}");
            levels[usize::from(sure_tricks_without_trumps(hand, CardSet::FULL))] += 1;
        }
        assert!(levels[11..].iter().all(|&count| count >= 400), "{levels:?}");
    }

    #[test]
    fn near_slams_lack_one_trick() {
        let mut lengths = [0; 14];
        for hand in hands(near_slam_hand) {
            assert_eq!(hand.len(), 13, "{hand}");
            assert_eq!(sure_tricks_without_trumps(hand, CardSet::FULL), 12, "{hand}");
            assert_eq!(max_tricks_against_aces(hand, CardSet::FULL), 12, "{hand}");
            let longest = Suit::ALL.map(|suit| hand.of(suit).len()).into_iter().max();
            lengths[longest.unwrap_or_default() as usize] += 1;
        }
        assert!(lengths[4..13].iter().all(|&count| count >= 40), "{lengths:?}");
    }

    #[test]
    fn varied_hands_are_good_doubtful_and_bad() {
        let mut with_top_trumps = [0; 6];
        for hand in hands(|stream| varied_hand(stream, Suit::Hearts, 40)) {
            assert_eq!(hand.len(), 13, "{hand}");
            let trumps = hand.of(Suit::Hearts);
            assert!((6..=9).contains(&trumps.len()), "{hand}");
            let is_top = |card: &Card| card.rank() >= rank::TEN;
            with_top_trumps[trumps.into_iter().filter(is_top).count()] += 1;
        }
        assert!(with_top_trumps[2..].iter().all(|&count| count >= 40), "{with_top_trumps:?}");
    }

    #[test]
    fn low_hands_are_safe_doubtful_and_bad() {
        let (mut safe, mut bad, mut bare) = (0, 0, 0);
        for hand in hands(low_hand) {
            assert_eq!(hand.len(), 13, "{hand}");
            assert!(is_low(hand), "{hand}");
            let risk = misere_risk(hand, CardSet::FULL);
            safe += u32::from(risk <= 0.1);
            bad += u32::from(risk >= 0.6);
            let is_bare = |suit: Suit| {
                let cards = hand.of(suit);
                cards.len() == 1 && cards.highest().is_some_and(|card| card.rank() >= rank::KING)
            };
            bare += u32::from(Suit::ALL.into_iter().any(is_bare));
        }
        assert!(safe > 200 && bad > 200 && bare > 50, "{safe} {bad} {bare}");
    }
}
