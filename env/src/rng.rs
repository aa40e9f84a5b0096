//! Seeded streams of random numbers, the same on every platform.

use std::convert::Infallible;

use rand::{Rng, SeedableRng, TryRng};
use rand_pcg::Pcg64Mcg;
use serde::{Deserialize, Serialize};

/// A stream of random numbers (PCG, 128 bits of state). It implements [`rand::Rng`], so that any
/// distribution of the crate `rand` draws from it. Its own methods give the same numbers in every
/// version of this crate.
///
/// A deserialised stream continues with the numbers that the original would have drawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream(Pcg64Mcg);

/// Purpose of a stream. With the same seed and counter, each purpose has a different stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u64)]
pub enum Purpose {
    /// Shuffling, cutting and packets of a deal.
    Deal = 1,
    /// First dealer of a match.
    Dealer = 2,
    /// Sampling of actions.
    Action = 3,
    /// Shuffling of training samples.
    Minibatch = 4,
    /// Initial weights.
    Weights = 5,
    /// Choice of opponents and seats.
    Opponent = 6,
    /// Worlds that a searching bot samples.
    Search = 7,
    /// Shuffling, cutting and packets of a deal that bots are evaluated on.
    EvaluationDeal = 8,
    /// Choice of positions of a deal.
    Position = 9,
    /// Rule sets drawn at random.
    Rules = 10,
    /// Decisions whose calls are all tried in training.
    Vine = 11,
    /// Strong hands whose bids are judged by rollouts in training, and the worlds of these.
    BidLesson = 12,
}

/// Flipped in the state of the streams of [`Purpose::EvaluationDeal`]. One function mixes seeds and
/// purposes, so a seed of one purpose has a seed of another that leads to the same state. With this
/// bit flipped, and for the same counter, evaluation deals have none.
const EVALUATION_BIT: u64 = 1 << 63;

/// Applies a mixing step of SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// Creates the stream of a purpose and a counter under a master seed.
    pub fn new(seed: u64, purpose: Purpose, counter: u64) -> Stream {
        let low = mix(mix(seed ^ (purpose as u64) << 56) ^ counter);
        let high = mix(low ^ mix(counter));
        let high = match purpose {
            Purpose::EvaluationDeal => high ^ EVALUATION_BIT,
            _ => high,
        };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes());
        Stream(Pcg64Mcg::from_seed(bytes))
    }

    /// Draws 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Draws a number from 0 to `n - 1`; 0 for `n` = 0. It uses Lemire's method without rejection:
    /// the bias is below `n / 2^32`.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// Draws an item.
    ///
    /// # Panics
    /// There are no items.
    #[inline]
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u32) as usize]
    }

    /// Draws a number in `[0, 1)`, with 24 bits.
    #[inline]
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 24) as f32
    }

    /// Shuffles in place (Fisher and Yates, from the end).
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0.next_u32())
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.next_u64())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill_bytes(bytes);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    #[test]
    fn streams_are_pinned() {
        let mut stream = Stream::new(1, Purpose::Deal, 2);
        let mut numbers = Stream::new(1, Purpose::Deal, 2);
        assert_eq!(stream.bits(), numbers.next_u64());
        let drawn = [stream.below(52), stream.below(6), stream.below(4), stream.below(0)];
        assert_eq!((drawn, stream.bits()), PINNED);
    }

    #[test]
    fn a_stream_read_again_goes_on() {
        let mut stream = Stream::new(1, Purpose::Deal, 2);
        stream.bits();
        let text = serde_json::to_string(&stream).unwrap();
        let mut again: Stream = serde_json::from_str(&text).unwrap();
        assert_eq!([again.bits(), again.bits()], [stream.bits(), stream.bits()]);
    }

    const PINNED: ([u32; 4], u64) = ([21, 2, 0, 0], 4_986_411_534_368_395_197);

    #[test]
    fn distributions_of_rand_draw_from_a_stream() {
        let mut stream = Stream::new(3, Purpose::Action, 0);
        let mut counts = [0u32; 6];
        (0..6000).for_each(|_| counts[stream.random_range(0..6)] += 1);
        assert!(counts.iter().all(|n| (850..1150).contains(n)), "{counts:?}");
        assert!((0..1000).all(|_| (0.0..1.0).contains(&stream.random::<f64>())));
    }

    #[test]
    fn no_seed_gives_the_deals_of_another_purpose() {
        // Seeds that make the mixed words equal for the two purposes.
        for seed in [0, 1, 42, u64::MAX] {
            let evaluation = Stream::new(seed, Purpose::EvaluationDeal, 5);
            let other_seed = seed ^ (Purpose::Deal as u64 ^ Purpose::EvaluationDeal as u64) << 56;
            assert_ne!(evaluation, Stream::new(other_seed, Purpose::Deal, 5));
            assert_ne!(evaluation, Stream::new(seed, Purpose::Deal, 5));
        }
    }
}
