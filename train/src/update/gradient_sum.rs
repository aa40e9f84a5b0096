//! Sum of the gradients of a shard's passes. Threads add disjoint parts of it.

use std::ops::Range;

use rayon::prelude::*;
use troel_nn::{ColumnTile, InputGradient};

use super::shard::Shard;
use crate::loss::LossSums;
use crate::optimiser::WEIGHTS_PER_TASK;

/// Features of the input layer per parallel task: four tasks per tile of the default network.
const FEATURES_PER_TASK: usize = 512;

/// Gradients and losses of the samples of one pass through the network.
pub(super) struct Pass {
    /// Gradient of the input layer, as factors.
    pub input: InputGradient,
    /// Sum of the gradients of the other layers.
    pub trunk: Vec<f32>,
    /// Losses, one entry per sample.
    pub losses: Vec<LossSums>,
}

/// Sum of the gradients of passes. Each weight adds up its gradients in the order of the passes.
pub(super) struct GradientSum {
    inputs: usize,
    hidden: usize,
    /// Gradient of the input layer with its bias, tile by tile, each `[inputs + 1, columns]`.
    input: Vec<f32>,
    trunk: Vec<f32>,
    sums: LossSums,
}

/// Part of the gradient of the input layer.
struct InputPart<'a> {
    tile: ColumnTile,
    features: Range<usize>,
    sum: &'a mut [f32],
}

impl GradientSum {
    /// Returns the sum of no passes, for a network with `len` weights.
    pub fn new(inputs: usize, hidden: usize, len: usize) -> GradientSum {
        let input = (inputs + 1) * hidden;
        GradientSum {
            inputs,
            hidden,
            input: vec![0.0; input],
            trunk: vec![0.0; len - input],
            sums: LossSums::default(),
        }
    }

    /// Adds the next passes.
    pub fn add(&mut self, passes: &[Pass]) {
        passes.iter().flat_map(|pass| &pass.losses).for_each(|loss| self.sums.add(loss));
        let trunk = &mut self.trunk;
        let add_to_trunk = || {
            trunk.par_chunks_mut(WEIGHTS_PER_TASK).enumerate().for_each(|(i, sum)| {
                for pass in passes {
                    let gradients = &pass.trunk[i * WEIGHTS_PER_TASK..];
                    sum.iter_mut().zip(gradients).for_each(|(sum, g)| *sum += g);
                }
            });
        };
        let parts = input_parts(self.inputs, self.hidden, &mut self.input);
        let add_to_input = || {
            parts.into_par_iter().for_each(|InputPart { tile, features, sum }| {
                passes.iter().for_each(|pass| pass.input.add(tile, features.clone(), sum));
            });
        };
        rayon::join(add_to_input, add_to_trunk);
    }

    /// Returns the sum in the order of the weights.
    pub fn into_shard(self) -> Shard {
        let GradientSum { inputs, hidden, input, trunk, sums } = self;
        let mut gradients = vec![0.0; input.len()];
        for tile in ColumnTile::all(hidden) {
            let part = &input[tile.from() * (inputs + 1)..][..tile.columns() * (inputs + 1)];
            for (row, part) in gradients.chunks_mut(hidden).zip(part.chunks(tile.columns())) {
                row[tile.from()..][..tile.columns()].copy_from_slice(part);
            }
        }
        gradients.extend(trunk);
        Shard { gradients, sums }
    }
}

/// Splits the gradient of the input layer into parts.
fn input_parts(inputs: usize, hidden: usize, sum: &mut [f32]) -> Vec<InputPart<'_>> {
    let mut parts = Vec::new();
    let mut rest = sum;
    for tile in ColumnTile::all(hidden) {
        let (of_tile, after) = rest.split_at_mut(tile.columns() * (inputs + 1));
        rest = after;
        for (i, sum) in of_tile.chunks_mut(FEATURES_PER_TASK * tile.columns()).enumerate() {
            let first = i * FEATURES_PER_TASK;
            parts.push(InputPart {
                tile,
                features: first..first + sum.len() / tile.columns(),
                sum,
            });
        }
    }
    parts
}
