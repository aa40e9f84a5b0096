use troel_agents::network::{Evaluator, default_device};
use troel_env::RuleSet;
use troel_env::features::PackedFeatures;
use troel_nn::{Critic, NetworkConfig, Weights};

use super::{Actor, UpdateContext, UpdateSettings, update, update_critic};
use crate::config::FeatureBlocks;
use crate::loss::TrainingObjective;
use crate::optimiser::Adam;
use crate::rollout::{CollectSettings, collect};
use crate::sample::Sample;

/// Returns samples of self-play by a small network, and its weights.
fn samples() -> (Vec<Sample>, Weights) {
    let rules = RuleSet::built_in("wiezen").unwrap();
    let config = NetworkConfig { hidden: 8, blocks: 0, ..NetworkConfig::default() };
    let weights = Weights::init(config, 3);
    let evaluator = Evaluator::new(&weights);
    let rollout = collect(&CollectSettings::self_play(rules, &evaluator, 0, 8)).unwrap();
    (rollout.samples, weights)
}

/// Settings of two epochs with the whole rollout as a minibatch.
fn settings() -> UpdateSettings {
    UpdateSettings {
        learning_rate: 1e-3,
        epochs: 2,
        minibatch_size: 100_000,
        even_minibatches: true,
        shards: 2,
        unused_features: FeatureBlocks::default(),
        max_grad_norm: 0.5,
        target_kl: f32::INFINITY,
        seed: 1,
        iteration: 0,
    }
}

/// Returns the weights and the optimiser after imitation.
fn imitate(start: &Weights, samples: &[Sample], settings: &UpdateSettings) -> (Weights, Adam) {
    let (mut weights, mut adam) = (start.clone(), Adam::new(start.values.len()));
    let objective = TrainingObjective::Imitate { label_smoothing: 0.0, vf_coef: 0.5 };
    let actor = Actor { weights: &mut weights, objective, device: &default_device() };
    update(actor, &mut adam, None, samples, settings, UpdateContext::alone()).unwrap();
    (weights, adam)
}

/// With minibatches of all samples but one, an epoch is two steps over half of the samples. It is
/// not one step over all others and one over the last.
#[test]
fn no_step_is_over_a_remainder() {
    let (mut samples, start) = samples();
    samples.truncate(samples.len() / 2 * 2);
    let learn = |minibatch_size: usize| {
        let settings = UpdateSettings { minibatch_size, ..settings() };
        let (weights, adam) = imitate(&start, &samples, &settings);
        (weights.values, adam.steps)
    };
    let n = samples.len();
    assert!(n > 100, "{n}");
    assert!(learn(n - 1) == learn(n / 2), "two halves, whatever the size asks beyond them");
    assert_eq!(learn(n - 1).1, 4, "two steps in each of two epochs");
}

/// The weights of unused features stay zero. The others learn as if these features were zero.
#[test]
fn unused_features_do_not_learn() {
    let (samples, mut start) = samples();
    let hidden = start.config.hidden;
    // The own hand, the first block.
    let hand = 0..52 * hidden;
    let unused_features = FeatureBlocks::try_from(vec!["HAND".to_string()]).unwrap();
    unused_features.clear_rows(&mut start.values, hidden);
    let without = imitate(&start, &samples, &UpdateSettings { unused_features, ..settings() }).0;
    let with = imitate(&start, &samples, &settings()).0;
    assert!(without.values[hand.clone()].iter().all(|&w| w == 0.0));
    assert!(with.values[hand.clone()].iter().any(|&w| w != 0.0), "the control learns");
    assert!(without.values[hand.end..] != start.values[hand.end..], "the others learn");
    // Without the features themselves.
    let mut handless = samples;
    for Sample { decision, .. } in &mut handless {
        let mut bytes = decision.input.features.to_bytes();
        bytes[..6].fill(0);
        bytes[6] &= 0xf0;
        decision.input.features = PackedFeatures::from_bytes(&bytes).unwrap();
    }
    let control = imitate(&start, &handless, &settings()).0;
    assert!(without.values == control.values, "as if there were no such features");
}

/// The input layer of a critic has the same features first.
#[test]
fn a_critic_does_not_learn_unused_features() {
    let (samples, _) = samples();
    let unused_features = FeatureBlocks::try_from(vec!["HAND".to_string()]).unwrap();
    let config = NetworkConfig { hidden: 12, blocks: 1, ..NetworkConfig::default() };
    let mut critic = Critic::init(config, 5);
    unused_features.clear_rows(&mut critic.values, config.hidden);
    let start = critic.values.clone();
    let mut adam = Adam::new(start.len());
    let settings = UpdateSettings { unused_features, ..settings() };
    update_critic(&mut critic, &mut adam, &samples, &settings, UpdateContext::alone()).unwrap();
    let (hand, others) = critic.values.split_at(52 * config.hidden);
    assert!(hand.iter().all(|&w| w == 0.0));
    assert!(others != &start[hand.len()..], "the others learn");
}
