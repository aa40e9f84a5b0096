//! Estimate of the training time, measured in a short training with the same recipe.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use troel_agents::Registry;
use troel_train::config::AnchorBot;
use troel_train::{Event, Provenance, SingleProcess, TrainConfig, Trainer};

/// Number of deals per thread in an iteration of the short training. A collection is cut into parts
/// of 128 tables, so fewer deals leave threads idle.
const DEALS_PER_THREAD: u64 = 128;

/// Number of iterations of each stage of the short training. The first is slower than the others.
const ITERATIONS: u64 = 2;

/// Time limit of the short training.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Interval at which the short training looks whether it should stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Smallest ratio of the deals of the training to those of the short one. Below it, measuring would
/// take a large part of the training time.
const MIN_RATIO: u64 = 100;

/// Folder of the short training, removed at the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the seconds of an iteration of imitation and of one of PPO, without evaluations.
///
/// Returns `None` if the training is short, runs programs, or is too slow to be measured.
///
/// It ends early, without an estimate, if `interrupted` is set.
pub fn seconds_per_iteration(
    config: &TrainConfig,
    interrupted: &Arc<AtomicBool>,
) -> Option<[f64; 2]> {
    let threads = rayon::current_num_threads() as u64;
    let deals = (DEALS_PER_THREAD * threads).min(config.deals);
    let all = config.deals.saturating_mul(config.imitation_iterations() + config.iterations);
    let number = ITERATIONS * deals;
    if all < number.saturating_mul(MIN_RATIO) || !config.programs().is_empty() {
        return None;
    }
    let folder =
        Folder(std::env::temp_dir().join(format!("troel-estimate-{}", std::process::id())));
    let mut trainer = Trainer::start(
        short(config, deals, &folder.0),
        Provenance::default(),
        Registry::default(),
        Arc::new(SingleProcess),
    )
    .ok()?;
    let stop = Arc::new(AtomicBool::new(false));
    trainer.stop_with(Arc::clone(&stop));
    let (began, interrupted) = (Instant::now(), Arc::clone(interrupted));
    std::thread::spawn(move || {
        while began.elapsed() < TIME_LIMIT && !interrupted.load(Ordering::Relaxed) {
            std::thread::sleep(POLL_INTERVAL);
        }
        stop.store(true, Ordering::Relaxed);
    });
    let imitation = config.imitation_iterations().min(ITERATIONS);
    let mut seconds = [None; 2];
    let watch = |event: &Event| {
        if let Event::Iteration(report) = event {
            // The last iteration of a stage counts.
            let stage = usize::from(report.iteration > imitation);
            seconds[stage] = Some(report.collect_seconds + report.learn_seconds);
        }
    };
    trainer.train(u64::MAX, watch).ok()?;
    let ratio = config.deals as f64 / deals as f64;
    let of_stage = |stage: usize, iterations: u64| match iterations {
        0 => Some(0.0),
        _ => seconds[stage].map(|seconds| seconds * ratio),
    };
    Some([of_stage(0, config.imitation_iterations())?, of_stage(1, config.iterations)?])
}

/// Returns the recipe of the short training.
fn short(config: &TrainConfig, deals: u64, folder: &Path) -> TrainConfig {
    let mut short = config.clone();
    short.run = folder.display().to_string();
    short.deals = deals;
    short.iterations = config.iterations.min(ITERATIONS);
    short.tensorboard = false;
    short.checkpoint_every = ITERATIONS * 2;
    short.checkpoint_keep_every = 0;
    short.eval.every = 0;
    if let Some(imitation) = &mut short.imitation {
        imitation.iterations = imitation.iterations.min(ITERATIONS);
    }
    if short.init.is_none() && short.anchor.as_ref().is_some_and(|a| a.bot == AnchorBot::Init) {
        short.anchor = None;
    }
    short
}

/// Returns the text of an estimate.
pub fn text(iterations: u64, time: Duration) -> String {
    format!(
        "estimate for this machine: {} for {iterations} iterations, and the evaluations in \
         addition",
        HumanDuration(time)
    )
}
