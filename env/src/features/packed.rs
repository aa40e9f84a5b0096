//! Features in packed form.

use serde::{Deserialize, Serialize};

use super::layout::*;
use crate::cards::{Card, CardSet};

/// Offset of the match target, the last of the rule options. Those before it are bits.
const MATCH_TARGET: usize = OPTIONS + 7;

/// Number of words of 64 features each.
const N_FEATURE_WORDS: usize = N_FEATURES.div_ceil(64);

/// Number of values in [`PackedFeatures::runs`].
const N_NUMBERS: usize = 27;

/// Number of bytes of [`PackedFeatures::to_bytes`].
pub const PACKED_BYTES: usize = 8 * (N_FEATURE_WORDS + 2) + 4 * N_NUMBERS;

/// The features of an observation in packed form, a twentieth of the dense vector. A feature that
/// can only be zero or one takes a bit; the others are stored as they are.
#[derive(Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct PackedFeatures {
    pub(super) ones: [u64; N_FEATURE_WORDS],
    pub(super) level: f32,
    pub(super) taken: [f32; 4],
    pub(super) needed: f32,
    pub(super) left: f32,
    pub(super) totals: [f32; 4],
    pub(super) target: f32,
    pub(super) tricks: [f32; 5],
    pub(super) support: [f32; 4],
    pub(super) misere: f32,
    pub(super) outstanding: [f32; 4],
    pub(super) trumps_out: f32,
    /// The cards that the others may still play; in play.
    pub(super) unplayed: CardSet,
    /// The observer's cards; in play.
    pub(super) hand: CardSet,
}

/// Aligned so that no row lies in two cache lines.
#[repr(align(64))]
struct Aligned<T>(T);

/// The bits of each byte, lowest first, as ones and zeros.
static FLOATS_OF_BYTE: Aligned<[[f32; 8]; 256]> = {
    let mut table = [[0.0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as f32;
            bit += 1;
        }
        byte += 1;
    }
    Aligned(table)
};

/// 0/12 to 12/12.
const TWELFTHS: [f32; 16] = {
    let mut table = [0.0; 16];
    let mut n = 0;
    while n < 16 {
        table[n] = n as f32 / 12.0;
        n += 1;
    }
    table
};

impl PackedFeatures {
    /// Returns the indices of the binary features that are one, in ascending order.
    pub fn ones(&self) -> impl Iterator<Item = usize> + '_ {
        self.ones.iter().enumerate().flat_map(|(word, &bits)| {
            let mut bits = bits;
            std::iter::from_fn(move || {
                let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(64 * word + bit)
            })
        })
    }

    /// Returns indices and values of the other features that are not zero.
    pub fn numbers(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let runs = self.runs().into_iter();
        let numbers = runs.flat_map(|(offset, run)| {
            run.iter().enumerate().map(move |(i, &value)| (offset + i, value))
        });
        let around = self.around().flat_map(|(card, above, below)| {
            [(ABOVE + card.index(), above), (BELOW + card.index(), below)]
        });
        numbers.chain(around).filter(|&(_, value)| value != 0.0)
    }

    /// Writes the dense vector, `N_FEATURES` values.
    ///
    /// # Panics
    /// If `out` is of another length.
    #[inline]
    pub fn expand(&self, out: &mut [f32]) {
        let out: &mut [f32; N_FEATURES] =
            out.try_into().expect("features need a buffer of N_FEATURES values");
        // By table: the same work for all bits, without a branch that depends on them. It is as
        // fast as the masked moves of AVX-512, because the stores take the time.
        let (whole, rest) = out.as_chunks_mut::<64>();
        for (values, &word) in whole.iter_mut().zip(&self.ones) {
            for (values, byte) in values.as_chunks_mut::<8>().0.iter_mut().zip(word.to_le_bytes()) {
                *values = FLOATS_OF_BYTE.0[usize::from(byte)];
            }
        }
        for (values, byte) in rest.chunks_mut(8).zip(self.ones[N_FEATURE_WORDS - 1].to_le_bytes()) {
            values.copy_from_slice(&FLOATS_OF_BYTE.0[usize::from(byte)][..values.len()]);
        }
        for (offset, run) in self.runs() {
            out[offset..offset + run.len()].copy_from_slice(run);
        }
        for (card, above, below) in self.around() {
            out[ABOVE + card.index()] = above;
            out[BELOW + card.index()] = below;
        }
    }

    /// Returns the features as bytes, the same on all machines.
    #[inline]
    pub fn to_bytes(&self) -> [u8; PACKED_BYTES] {
        let mut bytes = [0; PACKED_BYTES];
        let (words, numbers) = bytes.split_at_mut(PACKED_BYTES - 4 * N_NUMBERS);
        let (ones, sets) = words.split_at_mut(8 * N_FEATURE_WORDS);
        for (to, word) in ones.as_chunks_mut().0.iter_mut().zip(&self.ones) {
            *to = word.to_le_bytes();
        }
        for (to, set) in sets.as_chunks_mut().0.iter_mut().zip([self.unplayed, self.hand]) {
            *to = set.0.to_le_bytes();
        }
        let mut next = 0;
        for (_, run) in self.runs() {
            for value in run {
                numbers[next..next + 4].copy_from_slice(&value.to_le_bytes());
                next += 4;
            }
        }
        bytes
    }

    /// Returns the features that [`PackedFeatures::to_bytes`] wrote, or `None` for other bytes.
    pub fn from_bytes(bytes: &[u8; PACKED_BYTES]) -> Option<PackedFeatures> {
        let mut packed = PackedFeatures::default();
        let (words, numbers) = bytes.split_at(PACKED_BYTES - 4 * N_NUMBERS);
        let mut words = words.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word));
        for (to, word) in packed.ones.iter_mut().zip(&mut words) {
            *to = word;
        }
        packed.unplayed = CardSet(words.next()?);
        packed.hand = CardSet(words.next()?);
        let mut values = numbers.as_chunks().0.iter().map(|&value| f32::from_le_bytes(value));
        for run in packed.runs_mut() {
            for (to, value) in run.iter_mut().zip(&mut values) {
                *to = value;
            }
        }
        let unused_bits = packed.ones[N_FEATURE_WORDS - 1] >> (N_FEATURES % 64);
        let has_other_cards = !(packed.unplayed - CardSet::FULL).is_empty()
            || !(packed.hand - CardSet::FULL).is_empty();
        let mut values = packed.runs().into_iter().flat_map(|(_, run)| run);
        let is_in_range = values.all(|value| (-2.0..=2.0).contains(value));
        (unused_bits == 0 && !has_other_cards && is_in_range).then_some(packed)
    }

    /// Returns the fields with non-binary features, in the order of [`PackedFeatures::runs`].
    fn runs_mut(&mut self) -> [&mut [f32]; 11] {
        [
            std::slice::from_mut(&mut self.level),
            &mut self.taken,
            std::slice::from_mut(&mut self.needed),
            std::slice::from_mut(&mut self.left),
            &mut self.totals,
            std::slice::from_mut(&mut self.target),
            &mut self.tricks,
            &mut self.support,
            std::slice::from_mut(&mut self.misere),
            &mut self.outstanding,
            std::slice::from_mut(&mut self.trumps_out),
        ]
    }

    /// Returns the fields with non-binary features, each with the offset of its first feature.
    #[inline(always)]
    fn runs(&self) -> [(usize, &[f32]); 11] {
        [
            (LEVEL, std::slice::from_ref(&self.level)),
            (TAKEN, &self.taken),
            (NEEDED, std::slice::from_ref(&self.needed)),
            (LEFT, std::slice::from_ref(&self.left)),
            (TOTALS, &self.totals),
            (MATCH_TARGET, std::slice::from_ref(&self.target)),
            (TRICKS, &self.tricks),
            (SUPPORT, &self.support),
            (MISERE, std::slice::from_ref(&self.misere)),
            (OUTSTANDING, &self.outstanding),
            (TRUMPS_OUT, std::slice::from_ref(&self.trumps_out)),
        ]
    }

    /// Returns outstanding cards / 12 above and below each card in hand.
    #[inline(always)]
    fn around(&self) -> impl Iterator<Item = (Card, f32, f32)> + '_ {
        let twelfths = |cards: CardSet| TWELFTHS[(cards.len() & 15) as usize];
        self.hand.iter().map(move |card| {
            (card, twelfths(self.unplayed.above(card)), twelfths(self.unplayed.below(card)))
        })
    }

    /// Sets the features from `offset` on that have a bit; at most 64.
    #[inline(always)]
    pub(super) fn bits(&mut self, offset: usize, bits: u64) {
        let (word, shift) = (offset / 64, offset % 64);
        self.ones[word] |= bits << shift;
        if word + 1 < N_FEATURE_WORDS {
            // In two steps, because a shift by 64 overflows.
            self.ones[word + 1] |= bits >> 1 >> (63 - shift);
        }
    }
}

impl std::fmt::Debug for PackedFeatures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PackedFeatures")
            .field("ones", &self.ones().collect::<Vec<_>>())
            .field("numbers", &self.numbers().collect::<Vec<_>>())
            .finish()
    }
}
