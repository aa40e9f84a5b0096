//! Means over weighted worlds, and their precision.

use super::weighted_world::WeightedWorld;

/// Number of standard errors by which an action must be better than the bot's choice to be the best
/// action. With few worlds, the best of several actions would otherwise be the luckiest one.
///
/// Hints and reviews show this action as the best one. The threshold also decides the actions of
/// `pimc` outside card play, and those of `search:` bots outside endings, which add their prior to
/// the gain.
const MIN_ERRORS_OF_BEST: f32 = 1.0;

/// Number of standard errors by which an action must be worse than another one to be called worse
/// in a review. With one, another seed of the worlds often calls the same action right.
const MIN_ERRORS_OF_MISTAKE: f32 = 2.0;

/// Returns the effective sample size of weighted samples, `(Σw)² / Σw²` (Kish 1965). It is the
/// number of equally weighted samples whose mean is as precise.
pub(in crate::search) fn effective_sample_size(weights: impl Iterator<Item = f32>) -> f32 {
    let (sum, squares) =
        weights.fold((0.0f32, 0.0f32), |(sum, squares), w| (sum + w, squares + w * w));
    sum * sum / squares
}

/// Weighted mean over sampled worlds, and its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightedMean {
    /// The mean.
    pub value: f32,
    /// Standard error; infinite if the effective sample size is 1.
    pub standard_error: f32,
}

impl WeightedMean {
    /// Returns the weighted mean of one value per world.
    pub(in crate::search) fn over(
        worlds: &[WeightedWorld],
        values: impl Iterator<Item = f32>,
    ) -> WeightedMean {
        let total: f32 = worlds.iter().map(|world| world.weight).sum();
        let (mut mean, mut square) = (0.0, 0.0);
        for (world, value) in worlds.iter().zip(values) {
            let weight = world.weight / total;
            mean += weight * value;
            square += weight * value * value;
        }
        let size = effective_sample_size(worlds.iter().map(|world| world.weight));
        if size <= 1.0 {
            return WeightedMean { value: mean, standard_error: f32::INFINITY };
        }
        // The divisor is one less than the size, because the deviations are measured from the
        // sample's own mean, which makes them too small.
        let variance_of_mean = (square - mean * mean).max(0.0) / (size - 1.0);
        WeightedMean { value: mean, standard_error: variance_of_mean.sqrt() }
    }

    /// Returns the mean less the number of standard errors that a better action must gain.
    pub(in crate::search) fn lower_bound(self) -> f32 {
        self.value - MIN_ERRORS_OF_BEST * self.standard_error
    }

    /// Returns the mean if it is positive by more than two standard errors, else 0. To be the best
    /// action, one standard error is enough.
    pub fn if_clear(self) -> f32 {
        let threshold = MIN_ERRORS_OF_MISTAKE * self.standard_error;
        if self.value > threshold { self.value } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet, Seat, State};

    use super::*;

    fn worlds(weights: &[f32]) -> Vec<WeightedWorld> {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        weights.iter().map(|&weight| WeightedWorld { state, weight }).collect()
    }

    #[test]
    fn means_have_standard_errors() {
        let of_two = WeightedMean::over(&worlds(&[1.0, 1.0]), [1.0, 3.0].into_iter());
        // The standard deviation of a sample of two is √2, that of its mean 1.
        assert_eq!(of_two, WeightedMean { value: 2.0, standard_error: 1.0 });
        let weighted = WeightedMean::over(&worlds(&[3.0, 1.0]), [1.0, 3.0].into_iter());
        assert!(weighted.value == 1.5 && weighted.standard_error > 1.0, "{weighted:?}");
        let of_one = WeightedMean::over(&worlds(&[2.0]), [4.0].into_iter());
        assert_eq!(of_one, WeightedMean { value: 4.0, standard_error: f32::INFINITY });
    }

    #[test]
    fn a_difference_of_two_standard_errors_may_be_chance() {
        let mean = |value| WeightedMean { value, standard_error: 1.0 };
        assert_eq!([1.5, 2.0, 2.5].map(|value| mean(value).if_clear()), [0.0, 0.0, 2.5]);
        assert_eq!(mean(1.5).lower_bound(), 0.5, "better than the bot's choice");
    }

    #[test]
    fn the_effective_sample_size_is_the_number_of_equal_weights() {
        let size = |weights: &[f32]| effective_sample_size(weights.iter().copied());
        assert_eq!(size(&[2.0; 5]), 5.0);
        // The scale does not matter; one that outweighs all others counts alone.
        assert_eq!(size(&[3.0, 1.0]), size(&[6.0, 2.0]));
        assert_eq!(size(&[3.0, 1.0]), 1.6);
        assert!((size(&[1000.0, 1.0, 1.0]) - 1.0).abs() < 0.01);
    }
}
