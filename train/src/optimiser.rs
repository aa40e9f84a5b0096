//! Adam on a flat vector of weights, and the moving average of weights.

use rayon::prelude::*;

/// Adam (Kingma and Ba 2015) with CleanRL's ε, 1e-5. Its state is kept as plain vectors, so that a
/// resumed run continues exactly.
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// Exponential moving average of the gradients.
    pub mean: Vec<f32>,
    /// Exponential moving average of their squares.
    pub square: Vec<f32>,
    /// Steps taken.
    pub steps: u64,
}

/// Number of weights per parallel task.
pub(crate) const WEIGHTS_PER_TASK: usize = 16_384;

const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-5;

impl Adam {
    /// Returns the initial state for `len` weights.
    pub fn new(len: usize) -> Adam {
        Adam { mean: vec![0.0; len], square: vec![0.0; len], steps: 0 }
    }

    /// Updates the weights by one step against the gradients.
    pub fn step(&mut self, weights: &mut [f32], gradients: &[f32], learning_rate: f32) {
        self.steps += 1;
        let exponent = self.steps.min(100_000) as i32;
        let rate =
            learning_rate * (1.0 - BETA2.powi(exponent)).sqrt() / (1.0 - BETA1.powi(exponent));
        // ε applies to the bias-corrected second moment.
        let epsilon = EPSILON * (1.0 - BETA2.powi(exponent)).sqrt();
        let moments = self
            .mean
            .par_chunks_mut(WEIGHTS_PER_TASK)
            .zip(self.square.par_chunks_mut(WEIGHTS_PER_TASK));
        let weights =
            weights.par_chunks_mut(WEIGHTS_PER_TASK).zip(gradients.par_chunks(WEIGHTS_PER_TASK));
        weights.zip(moments).for_each(|((weights, gradients), (mean, square))| {
            let moments = mean.iter_mut().zip(square);
            for ((w, &g), (m, v)) in weights.iter_mut().zip(gradients).zip(moments) {
                *m = BETA1 * *m + (1.0 - BETA1) * g;
                *v = BETA2 * *v + (1.0 - BETA2) * g * g;
                *w -= rate * *m / (v.sqrt() + epsilon);
            }
        });
    }
}

/// Exponential moving average of weights.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightAverage {
    /// The averages.
    pub values: Vec<f32>,
    /// Weight of the past in each step, below 1.
    pub decay: f32,
    /// Steps taken.
    pub steps: u64,
}

impl WeightAverage {
    /// Returns an average that starts at these weights.
    pub fn new(weights: &[f32], decay: f32) -> WeightAverage {
        WeightAverage { values: weights.to_vec(), decay, steps: 0 }
    }

    /// Updates the averages with the weights after a step. The decay is smaller in the first steps,
    /// so that the initial weights are soon forgotten.
    pub fn step(&mut self, weights: &[f32]) {
        self.steps += 1;
        let steps = self.steps as f32;
        let decay = self.decay.min((1.0 + steps) / (10.0 + steps));
        let chunks =
            self.values.par_chunks_mut(WEIGHTS_PER_TASK).zip(weights.par_chunks(WEIGHTS_PER_TASK));
        chunks.for_each(|(averages, weights)| {
            for (average, &w) in averages.iter_mut().zip(weights) {
                *average += (1.0 - decay) * (w - *average);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_step_has_the_length_of_the_rate() {
        let mut adam = Adam::new(2);
        let mut weights = [1.0, 1.0];
        adam.step(&mut weights, &[3.0, -0.5], 0.1);
        assert!((weights[0] - 0.9).abs() < 1e-4 && (weights[1] - 1.1).abs() < 1e-4, "{weights:?}");
    }

    #[test]
    fn an_average_follows_slowly_and_forgets_the_start() {
        let mut average = WeightAverage::new(&[1000.0], 0.9);
        for step in 0..300 {
            average.step(&[if step % 2 == 0 { 1.0 } else { 3.0 }]);
        }
        // By hand: the last step was a 3, and the average swings around 2 by 0.1 / 1.9.
        assert!((average.values[0] - (2.0 + 0.1 / 1.9)).abs() < 1e-3, "{average:?}");
    }

    #[test]
    fn finds_a_minimum() {
        let mut adam = Adam::new(1);
        let mut weights = [5.0];
        for _ in 0..2000 {
            let gradient = [2.0 * (weights[0] - 1.5)];
            adam.step(&mut weights, &gradient, 0.01);
        }
        assert!((weights[0] - 1.5).abs() < 0.01, "{weights:?}");
    }
}
