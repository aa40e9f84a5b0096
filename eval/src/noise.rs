//! Noise for tests of intervals.

use troel_env::rng::Stream;

/// Draws a number that is nearly standard normal: the sum of twelve uniform ones, less 6.
pub(crate) fn standard_normal(stream: &mut Stream) -> f64 {
    f64::from((0..12).map(|_| stream.unit()).sum::<f32>()) - 6.0
}
