//! Decisions per second of collection, and samples per second of a PPO epoch, on all cores.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use troel_agents::network::{Evaluator, default_device};
use troel_env::RuleSet;
use troel_nn::{NetworkConfig, Weights};
use troel_train::config::FeatureBlocks;
use troel_train::{
    Actor, Adam, CollectSettings, PpoLoss, Rollout, TrainingObjective, UpdateContext,
    UpdateSettings, collect, update,
};

fn collected(evaluator: &Evaluator) -> Rollout {
    let rules = RuleSet::built_in("luxembourg").expect("built in");
    collect(&CollectSettings::self_play(rules, evaluator, 0, 256)).expect("no bot fails")
}

fn training(c: &mut Criterion) {
    let weights = Weights::init(NetworkConfig::default(), 1);
    let evaluator = Evaluator::new(&weights);
    let rollout = collected(&evaluator);
    let mut group = c.benchmark_group("training");
    group.sample_size(10);
    group.throughput(Throughput::Elements(rollout.samples.len() as u64));
    group.bench_function("collect", |b| b.iter(|| collected(&evaluator).samples.len()));
    let settings = UpdateSettings {
        learning_rate: 1e-4,
        epochs: 1,
        minibatch_size: 4096,
        even_minibatches: true,
        shards: 2,
        unused_features: FeatureBlocks::default(),
        max_grad_norm: 0.5,
        target_kl: 1.0,
        seed: 1,
        iteration: 0,
    };
    let objective = TrainingObjective::Ppo(PpoLoss { ent_coef: 0.01, ..PpoLoss::default() });
    group.bench_function("ppo-epoch", |b| {
        let mut weights = weights.clone();
        let mut adam = Adam::new(weights.values.len());
        b.iter(|| {
            let actor = Actor { weights: &mut weights, objective, device: &default_device() };
            update(actor, &mut adam, None, &rollout.samples, &settings, UpdateContext::alone())
                .expect("alone")
        });
    });
}

criterion_group!(benches, training);
criterion_main!(benches);
