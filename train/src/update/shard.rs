//! Gradients and losses of a part of a minibatch.

use rayon::prelude::*;

use crate::collective::CollectiveError;
use crate::loss::{LossSums, LossTerm};
use crate::optimiser::WEIGHTS_PER_TASK;

/// Gradients and losses of a part of a minibatch, or of several.
pub(super) struct Shard {
    /// Gradients in the order of the weights.
    pub gradients: Vec<f32>,
    /// Sums of the losses.
    pub sums: LossSums,
}

impl Shard {
    /// Adds a shard to this one.
    pub fn plus(mut self, other: &Shard) -> Shard {
        let chunks = self
            .gradients
            .par_chunks_mut(WEIGHTS_PER_TASK)
            .zip(other.gradients.par_chunks(WEIGHTS_PER_TASK));
        chunks.for_each(|(sum, added)| sum.iter_mut().zip(added).for_each(|(s, g)| *s += g));
        self.sums.add(&other.sums);
        self
    }

    /// Returns the number of bytes of a shard of `len` weights.
    pub fn bytes(len: usize) -> usize {
        4 * len + 8 * LossTerm::COUNT
    }

    /// Returns the gradients and then the sums, in little-endian order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Shard::bytes(self.gradients.len()));
        self.gradients.iter().for_each(|g| bytes.extend(g.to_le_bytes()));
        self.sums.0.iter().for_each(|sum| bytes.extend(sum.to_le_bytes()));
        bytes
    }

    /// Reads a shard of `len` weights that `rank` sent.
    ///
    /// # Errors
    /// The number of bytes is not [`Shard::bytes`].
    pub fn from_bytes(bytes: &[u8], len: usize, rank: usize) -> Result<Shard, CollectiveError> {
        let unreadable = || CollectiveError::Unreadable {
            rank,
            reason: format!("{} bytes of gradients", bytes.len()),
        };
        let (gradients, sums) = bytes.split_at_checked(4 * len).ok_or_else(unreadable)?;
        let gradients = gradients.as_chunks().0.iter().map(|&g| f32::from_le_bytes(g)).collect();
        let sums: Vec<f64> = sums.as_chunks().0.iter().map(|&s| f64::from_le_bytes(s)).collect();
        let sums = LossSums(sums.try_into().map_err(|_| unreadable())?);
        Ok(Shard { gradients, sums })
    }
}
