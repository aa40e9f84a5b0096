//! Means over weighted worlds, and how precise they are.

use super::world_sampling::World;

/// Number of standard errors by which an action must be better than another one. With few worlds,
/// the best of several actions would otherwise be the luckiest one.
pub(super) const REQUIRED_STANDARD_ERRORS: f32 = 1.0;

/// Effective sample size of weighted samples, `(Σw)² / Σw²` (Kish 1965): the number of equally
/// weighted samples whose mean is as precise.
pub(super) fn effective_sample_size(weights: impl Iterator<Item = f32>) -> f32 {
    let (sum, squares) =
        weights.fold((0.0f32, 0.0f32), |(sum, squares), w| (sum + w, squares + w * w));
    sum * sum / squares
}

/// Weighted mean of one value per world, and its standard error: infinite where the effective
/// sample size is 1.
pub(super) fn mean_and_error(worlds: &[World], values: impl Iterator<Item = f32>) -> (f32, f32) {
    let total: f32 = worlds.iter().map(|world| world.weight).sum();
    let (mut mean, mut square) = (0.0, 0.0);
    for (world, value) in worlds.iter().zip(values) {
        let weight = world.weight / total;
        mean += weight * value;
        square += weight * value * value;
    }
    let size = effective_sample_size(worlds.iter().map(|world| world.weight));
    if size <= 1.0 {
        return (mean, f32::INFINITY);
    }
    // Divided by one less, as a sample's mean is nearer to the sample than the true one.
    let variance_of_mean = (square - mean * mean).max(0.0) / (size - 1.0);
    (mean, variance_of_mean.sqrt())
}

#[cfg(test)]
mod tests {
    use troel_env::{Deals, RuleSet, Seat, State};

    use super::*;

    fn worlds(weights: &[f32]) -> Vec<World> {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let state = State::new(rules, &Deals::new(rules, 1).shuffled(0, Seat::North));
        weights.iter().map(|&weight| World { state, weight }).collect()
    }

    #[test]
    fn means_have_errors() {
        let (mean_of_two, error) = mean_and_error(&worlds(&[1.0, 1.0]), [1.0, 3.0].into_iter());
        // The standard deviation of a sample of two is √2, that of its mean 1.
        assert_eq!((mean_of_two, error), (2.0, 1.0));
        let (weighted, error) = mean_and_error(&worlds(&[3.0, 1.0]), [1.0, 3.0].into_iter());
        assert!(weighted == 1.5 && error > 1.0, "{weighted} {error}");
        let of_one = mean_and_error(&worlds(&[2.0]), [4.0].into_iter());
        assert_eq!(of_one, (4.0, f32::INFINITY));
    }

    #[test]
    fn the_effective_sample_size_is_the_number_of_equal_weights() {
        let size = |weights: &[f32]| effective_sample_size(weights.iter().copied());
        assert_eq!(size(&[2.0; 5]), 5.0);
        // Whatever their scale; one that outweighs all others counts alone.
        assert_eq!(size(&[3.0, 1.0]), size(&[6.0, 2.0]));
        assert_eq!(size(&[3.0, 1.0]), 1.6);
        assert!((size(&[1000.0, 1.0, 1.0]) - 1.0).abs() < 0.01);
    }
}
