//! Division of the samples of an epoch into minibatches.

/// Cuts samples into the fewest minibatches of at most `size` samples.
///
/// With `even` their lengths differ by at most one. Without, all but the last have `size` samples
/// and the last has the rest: a step of the optimiser over one sample counts as much as one over
/// thousands, so only runs that began like this do so.
pub(super) fn minibatches(samples: &[u32], size: usize, even: bool) -> Vec<&[u32]> {
    if !even {
        return samples.chunks(size).collect();
    }
    let (n, count) = (samples.len(), samples.len().div_ceil(size));
    (0..count).map(|i| &samples[i * n / count..(i + 1) * n / count]).collect()
}

#[cfg(test)]
mod tests {
    use troel_agents::network::{Evaluator, default_device};
    use troel_env::RuleSet;
    use troel_nn::{NetworkConfig, Weights};

    use super::*;
    use crate::loss::Objective;
    use crate::optimiser::Adam;
    use crate::rollout::{Plan, collect};
    use crate::update::{Team, Update, update};

    #[test]
    fn lengths_differ_by_at_most_one() {
        for n in [0u32, 1, 7, 8, 9, 2047, 2048, 2049, 5000, 8193] {
            let samples: Vec<u32> = (0..n).collect();
            for size in [1, 3, 8, 2048, 10_000] {
                let cut = minibatches(&samples, size, true);
                assert_eq!(cut.concat(), samples, "each sample once, in order");
                assert_eq!(cut.len(), samples.len().div_ceil(size), "{n} by {size}");
                let lengths = cut.iter().map(|minibatch| minibatch.len());
                let (least, most) = (lengths.clone().min(), lengths.max());
                let (least, most) = (least.unwrap_or(0), most.unwrap_or(0));
                assert!(most <= size && most - least <= 1, "{n} by {size}: {least} to {most}");
            }
        }
    }

    #[test]
    fn runs_of_before_cut_as_before() {
        let samples: Vec<u32> = (0..9).collect();
        let cut = minibatches(&samples, 4, false);
        assert_eq!(cut, [&[0, 1, 2, 3][..], &[4, 5, 6, 7], &[8]]);
    }

    /// An epoch of all samples but one in a minibatch is two halves, not one step over all others
    /// and one over the last.
    #[test]
    fn no_step_is_over_a_remainder() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
        let start = Weights::init(config, 3);
        let evaluator = Evaluator::new(&start);
        let mut samples = collect(&Plan::self_play(rules, &evaluator, 0, 8)).unwrap().samples;
        samples.truncate(samples.len() / 2 * 2);
        let learn = |minibatch_size: usize| {
            let (mut weights, mut adam) = (start.clone(), Adam::new(start.values.len()));
            let settings = Update {
                objective: Objective::Imitate { label_smoothing: 0.0, vf_coef: 0.5 },
                learning_rate: 1e-3,
                epochs: 2,
                minibatch_size,
                even_minibatches: true,
                shards: 2,
                max_grad_norm: 0.5,
                target_kl: f32::INFINITY,
                seed: 1,
                iteration: 0,
            };
            let (device, team) = (default_device(), Team::alone());
            update(&mut weights, &mut adam, None, &samples, &settings, &device, team).unwrap();
            (weights.values, adam.steps)
        };
        let n = samples.len();
        assert!(n > 100, "{n}");
        assert!(learn(n - 1) == learn(n / 2), "two halves, whatever the size asks beyond them");
        assert_eq!(learn(n - 1).1, 4, "two steps in each of two epochs");
    }
}
