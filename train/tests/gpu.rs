//! Training on a GPU by wgpu. A software implementation of Vulkan, such as Mesa's lavapipe, will
//! do.

use std::path::Path;
use std::sync::Arc;

use troel_agents::Registry;
use troel_nn::Weights;
use troel_train::{Provenance, SingleProcess, TrainConfig, Trainer};

/// Largest difference of a weight after an epoch of imitation on both devices: two learning rates.
///
/// Both compute in single precision, and add in different orders. Adam divides by the size of the
/// gradient, so a gradient near zero may move its weight by a whole learning rate, in opposite
/// directions.
const MAX_DIFFERENCE: f32 = 2e-3;

/// Largest share of the weights that differ by more than a hundredth of [`MAX_DIFFERENCE`].
const MAX_SHARE_DIFFERING: f64 = 0.01;

/// Trains by imitation, and then by self-play for these iterations. Returns the weights.
fn trained(run: &Path, device: &str, iterations: u64) -> Weights {
    let text = format!(
        r#"
        rules = "luxembourg"
        run = {run:?}
        device = "{device}"
        iterations = {iterations}
        deals = 16
        tensorboard = false
        network = {{ hidden = 16, blocks = 1 }}
        [imitation]
        bot = "rules"
        iterations = 1
        update_epochs = 1
        learning_rate = 1e-3
        minibatch_size = 128
        [ppo]
        minibatch_size = 256
        [eval]
        every = 1000
        "#
    );
    let config = TrainConfig::parse(&text).expect("a valid recipe");
    let (registry, processes) = (Registry::default(), Arc::new(SingleProcess));
    let mut trainer =
        Trainer::start(config, Provenance::default(), registry, processes).expect("the run starts");
    trainer.train(u64::MAX, |_| {}).expect("the run ends");
    assert_eq!(trainer.iteration(), 1 + iterations);
    trainer.weights().clone()
}

#[test]
fn imitation_agrees_on_gpu_and_cpu() {
    let folder = tempfile::tempdir().expect("a folder");
    let gpu = trained(&folder.path().join("gpu"), "wgpu", 0);
    let cpu = trained(&folder.path().join("cpu"), "cpu", 0);
    let before = Weights::init(cpu.config, 1);
    let differences = |others: &Weights| -> Vec<f32> {
        cpu.values.iter().zip(&others.values).map(|(a, b)| (a - b).abs()).collect()
    };
    let share = |differences: &[f32]| {
        let large = differences.iter().filter(|&&d| d > MAX_DIFFERENCE / 100.0).count();
        large as f64 / differences.len() as f64
    };
    let between = differences(&gpu);
    let largest = between.iter().copied().fold(0.0, f32::max);
    assert!(largest <= MAX_DIFFERENCE, "a weight differs by {largest}");
    assert!(share(&between) <= MAX_SHARE_DIFFERING, "{} of the weights differ", share(&between));
    // Both have learnt.
    assert!(share(&differences(&before)) > 0.3, "{} have moved", share(&differences(&before)));
}

#[test]
fn self_play_on_a_gpu_repeats() {
    let folder = tempfile::tempdir().expect("a folder");
    let runs = ["one", "two"].map(|name| trained(&folder.path().join(name), "wgpu", 2));
    assert!(runs[0].values.iter().all(|weight| weight.is_finite()));
    assert_eq!(runs[0], runs[1]);
}
