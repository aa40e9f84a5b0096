//! Choice of the samples that the policy and the value head learn from.

use troel_env::rng::Stream;

use super::types::Sample;

/// Keeps the samples that the policy and the value head learn from; calls and cards separately.
///
/// The policy keeps `share` of the samples: of those marked for the policy, the ones with the
/// largest advantages, positive or negative. If fewer are marked than that, nothing of the kind is
/// dropped. The value head keeps a random share of the same size. All other samples are dropped,
/// unless they are taught or have a vine.
pub fn select(samples: &mut Vec<Sample>, share: f32, stream: &mut Stream) {
    for is_call in [false, true] {
        let magnitude = |s: &Sample| s.targets.advantage.abs();
        let all = samples.iter().filter(|s| s.is_call() == is_call).count();
        let candidates = samples.iter().filter(|s| s.is_call() == is_call && s.targets.for_policy);
        let mut magnitudes: Vec<f32> = candidates.map(magnitude).collect();
        let kept = (all as f32 * share).ceil() as usize;
        if kept == 0 || kept >= magnitudes.len() {
            continue;
        }
        let (_, &mut min_magnitude, _) =
            magnitudes.select_nth_unstable_by(kept - 1, |a, b| b.total_cmp(a));
        for sample in samples.iter_mut().filter(|s| s.is_call() == is_call) {
            sample.targets.for_policy &= magnitude(sample) >= min_magnitude;
            sample.targets.for_value = stream.unit() < share;
        }
    }
    samples.retain(|Sample { targets, .. }| {
        let has_lesson = !targets.taught.is_empty() || !targets.vine.is_empty();
        targets.for_policy || targets.for_value || has_lesson
    });
}
