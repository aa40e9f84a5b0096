//! Cards of a position in four 16-bit lanes, one for each suit, to process four suits at once.
//!
//! Bit `16 * suit + n` is the card with `n` cards *of the position* above it. So the lowest bit of
//! a lane is the highest card of its suit. There are no gaps when a search starts.

/// A set of cards.
pub(crate) type Cards = u64;

/// The lowest bit of each lane.
const LOWEST_BIT_OF_LANES: u64 = 0x0001_0001_0001_0001;
/// The bits of each lane that are never a card.
const UNUSED_BITS_OF_LANES: u64 = 0xe000_e000_e000_e000;

/// Returns the cards of one suit, 0 to 3.
#[inline(always)]
pub(crate) fn lane(suit: usize) -> Cards {
    0x1fff << (16 * suit)
}

/// Returns the suit of a set of cards of one suit. The set must not be empty.
#[inline(always)]
pub(crate) fn suit_of(card: Cards) -> usize {
    (card.trailing_zeros() / 16) as usize
}

/// Returns the number of cards.
#[inline(always)]
pub(crate) fn len(cards: Cards) -> u32 {
    cards.count_ones()
}

/// Returns the highest card of a set of one suit; empty for none.
#[inline(always)]
pub(crate) fn highest(cards: Cards) -> Cards {
    cards & cards.wrapping_neg()
}

/// Returns the highest card of each suit.
#[inline(always)]
pub(crate) fn highest_each(cards: Cards) -> Cards {
    let walls = cards | LOWEST_BIT_OF_LANES << 15;
    walls & !(walls - LOWEST_BIT_OF_LANES) & cards
}

/// Returns the lowest card of a set of one suit; empty for none.
#[inline(always)]
pub(crate) fn lowest(cards: Cards) -> Cards {
    ((1 << 63) >> (cards | 1).leading_zeros()) & cards
}

/// Returns the `n` highest cards of a set of one suit, or all if there are fewer.
#[inline(always)]
pub(crate) fn top(cards: Cards, n: u32) -> Cards {
    deposit((1 << n) - 1, cards)
}

/// Returns the cards of `hand` above all other cards of `suit`.
#[inline(always)]
pub(crate) fn top_run(hand: Cards, suit: Cards) -> Cards {
    hand & highest(suit & !hand).wrapping_sub(1)
}

/// Returns the cards of one suit that rank below `card`.
#[inline(always)]
pub(crate) fn below(cards: Cards, card: Cards) -> Cards {
    cards & !((card << 1) - 1)
}

/// Returns the cards of one suit that rank above `card`.
#[inline(always)]
pub(crate) fn above(cards: Cards, card: Cards) -> Cards {
    cards & (card - 1)
}

/// Returns the highest card of each run of cards in `hand` that no other card of `all` separates.
/// All cards of a run are equivalent.
#[inline(always)]
pub(crate) fn highest_of_runs(hand: Cards, all: Cards) -> Cards {
    let walls = (all & !hand) | UNUSED_BITS_OF_LANES;
    let starts = (walls << 1) | LOWEST_BIT_OF_LANES;
    let gaps = !hand & !walls;
    // Adding a start to the gap at which it lies carries it over the gap, to the next card.
    let first = (gaps.wrapping_add(starts & gaps) & !gaps) | (starts & !gaps);
    first & hand
}

/// Returns the cards of `all` from the lowest card of `from` upwards, suit by suit.
///
/// A suit without cards of `from` is empty.
#[inline(always)]
pub(crate) fn upwards(from: Cards, all: Cards) -> Cards {
    let mut filled = from;
    filled |= filled >> 1 & 0x0fff_0fff_0fff_0fff;
    filled |= filled >> 2 & 0x07ff_07ff_07ff_07ff;
    filled |= filled >> 4 & 0x01ff_01ff_01ff_01ff;
    filled |= filled >> 8 & 0x001f_001f_001f_001f;
    filled & all
}

/// Returns the cards of `all` from the highest card of `from` downwards, suit by suit.
///
/// A suit without cards of `from` is empty.
#[inline(always)]
pub(crate) fn downwards(from: Cards, all: Cards) -> Cards {
    let mut filled = from;
    filled |= filled << 1 & 0xfffe_fffe_fffe_fffe;
    filled |= filled << 2 & 0xfffc_fffc_fffc_fffc;
    filled |= filled << 4 & 0xfff0_fff0_fff0_fff0;
    filled |= filled << 8 & 0xff00_ff00_ff00_ff00;
    filled & all
}

/// Returns the cards below all cards of `others` in their suit.
///
/// They are all cards of a suit of which `others` has none.
#[inline(always)]
pub(crate) fn below_all(cards: Cards, others: Cards) -> Cards {
    cards & !upwards(others, !0)
}

/// Gathers the bits of `value` at the places of `mask` into the lowest bits.
#[inline(always)]
pub(crate) fn extract(value: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the instruction needs BMI2, which this build requires of every machine.
    return unsafe { std::arch::x86_64::_pext_u64(value, mask) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    extract_portable(value, mask)
}

/// Spreads the lowest bits of `value` to the places of `mask`.
#[inline(always)]
pub(crate) fn deposit(value: u64, mask: u64) -> u64 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: as in `extract`.
    return unsafe { std::arch::x86_64::_pdep_u64(value, mask) };
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    deposit_portable(value, mask)
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn extract_portable(value: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    let mut to = 1;
    while mask != 0 {
        if value & mask & mask.wrapping_neg() != 0 {
            out |= to;
        }
        to <<= 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
fn deposit_portable(mut value: u64, mut mask: u64) -> u64 {
    let mut out = 0;
    while mask != 0 && value != 0 {
        if value & 1 != 0 {
            out |= mask & mask.wrapping_neg();
        }
        value >>= 1;
        mask &= mask - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> u64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        seed.rotate_left(32) & !UNUSED_BITS_OF_LANES
    }

    #[test]
    fn runs_are_those_of_a_walk_through_the_cards() {
        let mut seed = 1;
        for _ in 0..2000 {
            let all = random(&mut seed);
            let hand = all & random(&mut seed);
            let mut expected = 0;
            for suit in 0..4 {
                let mut in_run = false;
                for rank in 0..13 {
                    let card = 1 << (16 * suit + rank);
                    if hand & card != 0 {
                        if !in_run {
                            expected |= card;
                        }
                        in_run = true;
                    } else if all & card != 0 {
                        in_run = false;
                    }
                }
            }
            assert_eq!(highest_of_runs(hand, all), expected, "{hand:x} of {all:x}");
        }
    }

    #[test]
    fn upwards_fills_each_suit_by_itself() {
        let mut seed = 2;
        for _ in 0..2000 {
            let all = random(&mut seed);
            let from = all & random(&mut seed) & random(&mut seed) & random(&mut seed);
            let mut expected = 0;
            for suit in 0..4 {
                let part = from & lane(suit);
                if part != 0 {
                    expected |= all & lane(suit) & ((lowest(part) << 1) - 1);
                }
            }
            assert_eq!(upwards(from, all), expected);
        }
    }

    #[test]
    fn downwards_fills_each_suit_by_itself() {
        let mut seed = 4;
        for _ in 0..2000 {
            let all = random(&mut seed);
            let from = all & random(&mut seed) & random(&mut seed) & random(&mut seed);
            let (mut expected, mut rest) = (0, 0);
            for suit in 0..4 {
                let part = from & lane(suit);
                if part != 0 {
                    expected |= all & lane(suit) & !(highest(part) - 1);
                }
                let above = if part == 0 { 0 } else { (lowest(part) << 1) - 1 };
                rest |= all & lane(suit) & !above;
            }
            assert_eq!(downwards(from, all), expected);
            assert_eq!(below_all(all, from), rest);
            let tops = (0..4).fold(0, |tops, suit| tops | highest(all & lane(suit)));
            assert_eq!(highest_each(all), tops);
        }
    }

    #[test]
    fn extract_and_deposit_agree_with_their_definition() {
        let mut seed = 3;
        for _ in 0..500 {
            let (value, mask) = (random(&mut seed), random(&mut seed));
            assert_eq!(extract(value, mask), extract_portable(value, mask));
            assert_eq!(deposit(value, mask), deposit_portable(value, mask));
            assert_eq!(deposit(extract(value, mask), mask), value & mask);
        }
    }
}
