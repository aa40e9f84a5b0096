//! Seeded random streams, derived by counter: the same on every platform and for ever.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream(Pcg64Mcg);

/// What a stream is for; streams of different purposes never coincide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
}

/// Flipped in the state of the streams of [`Purpose::EvaluationDeal`]. The seeds of two purposes are mixed by one function,
/// so that for each seed another one gives the same state to another purpose; with this bit flipped none does for the
/// same counter.
const EVALUATION: u64 = 1 << 63;

/// A mixing step of SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Stream {
    /// The stream of a purpose and a counter under a master seed.
    pub fn new(seed: u64, purpose: Purpose, counter: u64) -> Stream {
        let low = mix(mix(seed ^ (purpose as u64) << 56) ^ counter);
        let high = mix(low ^ mix(counter));
        let high = match purpose {
            Purpose::EvaluationDeal => high ^ EVALUATION,
            _ => high,
        };
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&low.to_le_bytes());
        bytes[8..].copy_from_slice(&high.to_le_bytes());
        Stream(Pcg64Mcg::from_seed(bytes))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number from 0 to `n - 1`, by Lemire's method without rejection: the bias is below
    /// `n / 2^32`. 0 for `n` = 0.
    #[inline]
    pub fn below(&mut self, n: u32) -> u32 {
        (((self.bits() >> 32) * u64::from(n)) >> 32) as u32
    }

    /// A number in `[0, 1)`, with 24 bits.
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
