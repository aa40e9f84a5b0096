use troel_agents::network::{Evaluator, default_device};
use troel_env::RuleSet;
use troel_nn::{NetworkConfig, Weights};

use super::{Actor, UpdateContext, UpdateSettings, update};
use crate::loss::TrainingObjective;
use crate::optimiser::Adam;
use crate::rollout::{CollectSettings, collect};

/// With minibatches of all samples but one, an epoch is two steps over half of the samples. It is
/// not one step over all others and one over the last.
#[test]
fn no_step_is_over_a_remainder() {
    let rules = RuleSet::built_in("wiezen").unwrap();
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let start = Weights::init(config, 3);
    let evaluator = Evaluator::new(&start);
    let mut samples =
        collect(&CollectSettings::self_play(rules, &evaluator, 0, 8)).unwrap().samples;
    samples.truncate(samples.len() / 2 * 2);
    let learn = |minibatch_size: usize| {
        let (mut weights, mut adam) = (start.clone(), Adam::new(start.values.len()));
        let settings = UpdateSettings {
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
        let objective = TrainingObjective::Imitate { label_smoothing: 0.0, vf_coef: 0.5 };
        let actor = Actor { weights: &mut weights, objective, device: &default_device() };
        update(actor, &mut adam, None, &samples, &settings, UpdateContext::alone()).unwrap();
        (weights.values, adam.steps)
    };
    let n = samples.len();
    assert!(n > 100, "{n}");
    assert!(learn(n - 1) == learn(n / 2), "two halves, whatever the size asks beyond them");
    assert_eq!(learn(n - 1).1, 4, "two steps in each of two epochs");
}
