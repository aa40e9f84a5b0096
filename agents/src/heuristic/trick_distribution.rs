//! Distribution of the tricks of a contract.

/// Distribution of the tricks that a side takes: a normal one, cut at the certain tricks.
#[derive(Clone, Copy)]
pub(super) struct TrickDistribution {
    /// Smallest number of tricks: the certain ones.
    pub least: u8,
    /// Mean before the cut at `least`.
    pub mean: f32,
    /// Standard deviation before the cut.
    pub spread: f32,
}

impl TrickDistribution {
    /// Returns the expected points, given the points for 0, 1, … tricks.
    pub fn expected_points(self, points: &[f32]) -> f32 {
        let TrickDistribution { least, mean, spread } = self;
        // A normal density at 0, 1, … tricks: each is the one before times a ratio that itself
        // shrinks evenly.
        let (mean, variance) = (f64::from(mean), f64::from(spread * spread));
        let mut density = (-0.5 * mean * mean / variance).exp();
        let mut ratio = ((mean - 0.5) / variance).exp();
        let shrink = (-1.0 / variance).exp();
        let (mut weight, mut sum) = (0.0, 0.0);
        for (n, &points) in points.iter().enumerate() {
            if n >= usize::from(least) {
                weight += density;
                sum += density * f64::from(points);
            }
            density *= ratio;
            ratio *= shrink;
        }
        if weight > 0.0 { (sum / weight) as f32 } else { points[usize::from(least)] }
    }
}
