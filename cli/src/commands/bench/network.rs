//! Benchmarks of the network: matrix products, inference, collection and training.

use troel_agents::NetworkBot;
use troel_agents::network::{self, ActionSelection, Evaluator};
use troel_env::rng::{Purpose, Stream};
use troel_env::{BySeat, Deals, N_FEATURES, Observation, RuleSet, Seat, State};
use troel_nn::{NetworkConfig, Weights};
use troel_train::bench_support::matrix_product;
use troel_train::config::{FeatureBlocks, PpoConfig};
use troel_train::{
    Actor, Adam, CollectError, CollectSettings, PpoLoss, Rollout, TrainingObjective, UpdateContext,
    UpdateSettings, collect, normalise_advantages, update,
};

use super::measure::{Bench, Better};

/// Batch sizes of inference.
const BATCHES: [usize; 4] = [1, 16, 256, 4096];

/// Sizes of matrix products: a large one, bound by the CPU's peak, and that of a hidden layer.
const PRODUCTS: [[usize; 3]; 2] = [[1024, 1024, 1024], [256, 256, 256]];

/// Deals per training iteration.
const DEALS: u64 = 1024;

pub fn run(bench: &mut Bench<'_>) -> anyhow::Result<()> {
    let rules = RuleSet::all_built_in()[0];
    let weights = Weights::init(NetworkConfig::default(), 1);
    for [n, k, m] in PRODUCTS {
        let mut product = matrix_product(n, k, m);
        bench.rate(format!("gemm/{n}x{k}x{m}"), "FLOP/s", || {
            product();
            2 * (n * k * m) as u64
        })?;
    }
    let views = observations(rules, BATCHES[BATCHES.len() - 1]);
    let [input_layer, others] = forward_operations(&weights.config, &views);
    for n in BATCHES {
        let mut bot =
            NetworkBot::new(Evaluator::new(&weights), ActionSelection::MostProbable, Some(1.0));
        let mut batches = views.chunks(n).cycle();
        bench.rate(format!("infer/{n}"), "observations/s", || {
            let batch = batches.next().unwrap_or(&views);
            let evaluated = bot.evaluate(batch, |_, evaluation| {
                std::hint::black_box(evaluation);
            });
            if evaluated.is_ok() { batch.len() as u64 } else { 0 }
        })?;
    }
    share_of_peak(bench, "infer/256", input_layer + others, 1)?;
    if !["collect", "ppo-update", "train"].iter().any(|name| bench.may_want(name)) {
        return Ok(());
    }
    let evaluator = Evaluator::new(&weights);
    let mut iteration = 0;
    let mut failure = None;
    bench.rate("collect".to_string(), "decisions/s", || {
        iteration += 1;
        let collected = rollout(rules, &evaluator, iteration);
        collected.map_or_else(|e| note(&mut failure, e), |rollout| rollout.samples.len() as u64)
    })?;
    let recorded = rollout(rules, &evaluator, 0)?;
    let mut student = Student::new(&weights);
    bench.rate("ppo-update".to_string(), "samples/s", || {
        student.learn(&recorded, 1);
        recorded.samples.len() as u64
    })?;
    // The gradients of weights and of activations take as many operations each. The input layer
    // needs no gradient of its inputs.
    let operations = 2.0 * input_layer + 3.0 * others;
    share_of_peak(bench, "ppo-update", operations, rayon::current_num_threads())?;
    let defaults = PpoConfig::default().update_epochs;
    for (name, epochs) in [("train", defaults), ("train/epochs-1", 1), ("train/epochs-4", 4)] {
        let mut student = Student::new(&weights);
        bench.rate(name.to_string(), "decisions/s", || {
            let evaluator = Evaluator::new(&student.weights);
            let mut rollout = match rollout(rules, &evaluator, student.iteration) {
                Ok(rollout) => rollout,
                Err(error) => return note(&mut failure, error),
            };
            normalise_advantages(&mut rollout.samples);
            student.learn(&rollout, epochs);
            rollout.samples.len() as u64
        })?;
    }
    failure.map_or(Ok(()), |error| Err(error.into()))
}

/// Returns the mean numbers of floating-point operations of a forward pass, per observation: in the
/// input layer, and in the others. A multiplication and an addition are two. Features that are zero
/// need none.
fn forward_operations(config: &NetworkConfig, views: &[Observation]) -> [f64; 2] {
    let mut features = vec![0.0; N_FEATURES];
    let mut active = 0;
    for view in views {
        view.encode(&mut features);
        active += features.iter().filter(|&&feature| feature != 0.0).count();
    }
    let layers = config.layers();
    let first = active as f64 / views.len() as f64 * layers[0].outputs as f64;
    let others: usize = layers[1..].iter().map(|layer| layer.inputs * layer.outputs).sum();
    [2.0 * first, 2.0 * others as f64]
}

/// Records which share of the peak of `threads` cores a measurement reached, if both were measured.
/// The peak is the rate of the large matrix product. `operations` are the floating-point operations
/// of one unit of work.
fn share_of_peak(
    bench: &mut Bench<'_>,
    name: &str,
    operations: f64,
    threads: usize,
) -> anyhow::Result<()> {
    let [n, k, m] = PRODUCTS[0];
    let rows = (bench.find(name), bench.find(&format!("gemm/{n}x{k}x{m}")));
    let (Some(rate), Some(peak)) = rows else { return Ok(()) };
    let share = 100.0 * rate.value * operations / (peak.value * threads as f64);
    bench.row(format!("{name}/peak"), share, "% of peak", Better::Higher)
}

/// Keeps an error for the end of the measurement. Returns 1 so that the measurement ends.
fn note(failure: &mut Option<CollectError>, error: CollectError) -> u64 {
    *failure = Some(error);
    1
}

/// Observations of random play.
fn observations(rules: &'static RuleSet, n: usize) -> Vec<Observation> {
    let mut stream = Stream::new(1, Purpose::Action, 0);
    let mut views = Vec::with_capacity(n);
    for deal in 0.. {
        let mut state = State::new(rules, &Deals::new(rules, 1).shuffled(deal, Seat::North));
        while !state.is_done() {
            if views.len() == n {
                return views;
            }
            views.push(state.observe(state.turn(), BySeat::default()));
            let legal = state.legal_actions();
            if let Some(action) = legal.draw(&mut stream) {
                state.apply_unchecked(action);
            }
        }
    }
    views
}

/// Collects self-play of all four seats.
fn rollout(
    rules: &'static RuleSet,
    evaluator: &Evaluator,
    iteration: u64,
) -> Result<Rollout, CollectError> {
    collect(&CollectSettings::self_play(rules, evaluator, iteration, DEALS))
}

/// A network that is trained with the default settings of PPO.
struct Student {
    weights: Weights,
    adam: Adam,
    iteration: u64,
}

impl Student {
    fn new(weights: &Weights) -> Student {
        let adam = Adam::new(weights.values.len());
        Student { weights: weights.clone(), adam, iteration: 0 }
    }

    fn learn(&mut self, rollout: &Rollout, epochs: u32) {
        let ppo = PpoConfig::default();
        self.iteration += 1;
        let settings = UpdateSettings {
            learning_rate: ppo.learning_rate,
            epochs,
            minibatch_size: ppo.minibatch_size,
            even_minibatches: true,
            shards: ppo.shards,
            unused_features: FeatureBlocks::default(),
            max_grad_norm: ppo.max_grad_norm,
            // No epoch is skipped.
            target_kl: f32::INFINITY,
            seed: 1,
            iteration: self.iteration,
        };
        let objective = TrainingObjective::Ppo(PpoLoss {
            clip_coef: ppo.clip_coef,
            ent_coef: ppo.ent_coef,
            vf_coef: ppo.vf_coef,
            ..PpoLoss::default()
        });
        let device = &network::default_device();
        let actor = Actor { weights: &mut self.weights, objective, device };
        update(actor, &mut self.adam, None, &rollout.samples, &settings, UpdateContext::alone())
            .expect("an update without other processes cannot lose one");
    }
}
