//! `troel train`.

use std::path::PathBuf;
use std::process::ExitCode;

use indicatif::{ProgressBar, ProgressStyle};
use troel_train::{IterationReport, Origin, TrainConfig, Trainer};

use crate::output;

/// Train a bot by self-play
///
/// Reads a recipe, writes checkpoints, metrics and TensorBoard files into the run's folder, and
/// ends with an evaluation. A run that was interrupted goes on exactly with --resume.
///
/// Examples:
///   troel train configs/quickstart.toml
///   troel train configs/quickstart.toml --resume
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Recipe (TOML)
    config: PathBuf,
    /// Go on from the last checkpoint of the run
    #[arg(long)]
    resume: bool,
    /// Folder of the run, instead of the recipe's
    #[arg(long)]
    run: Option<String>,
    /// Master seed, instead of the recipe's
    #[arg(long)]
    seed: Option<u64>,
    /// Number of PPO iterations, instead of the recipe's
    #[arg(long)]
    iterations: Option<u64>,
    /// Number of worker threads (default: all cores); results do not depend on it
    #[arg(long)]
    workers: Option<usize>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(workers) = args.workers {
        rayon::ThreadPoolBuilder::new().num_threads(workers).build_global()?;
    }
    let mut config = TrainConfig::load(&args.config)?;
    if let Some(run) = &args.run {
        config.run.clone_from(run);
    }
    config.seed = args.seed.unwrap_or(config.seed);
    config.iterations = args.iterations.unwrap_or(config.iterations);
    let (baselines, final_deals) = (config.eval.baselines.clone(), config.eval.final_deals);
    let origin = Origin { command: command(args), commit: env!("TROEL_COMMIT").to_string() };
    let mut trainer = if args.resume {
        Trainer::resume(config, origin)?
    } else {
        Trainer::start(config, origin)?
    };

    let bar = ProgressBar::new(trainer.total_iterations());
    if let Ok(style) =
        ProgressStyle::with_template("{bar:30} {pos}/{len} iterations, {eta} left  {msg}")
    {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_position(trainer.iteration());
    bar.reset_eta();
    let total = trainer.total_iterations();
    trainer.train(total, |report| {
        bar.set_message(message(report));
        bar.set_position(report.iteration);
    })?;
    bar.finish_and_clear();

    if final_deals > 0 {
        let deals = ProgressBar::new(final_deals * baselines.len() as u64);
        deals.set_message("evaluation");
        let report = trainer.evaluate(final_deals, &baselines, &|n| deals.inc(n))?;
        deals.finish_and_clear();
        trainer.add_evaluation(&report);
        output::write(report.table().as_bytes())?;
    }
    let path = trainer.save_bot()?;
    output::line(&format!("bot: {}", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn message(report: &IterationReport) -> String {
    let seconds = report.collect_seconds + report.learn_seconds;
    format!(
        "{:.0} decisions/s, {:+.2} points, entropy {:.2}",
        report.samples as f64 / seconds,
        report.points,
        report.losses.entropy
    )
}

/// The command line that leads to the same bot.
fn command(args: &Args) -> String {
    let mut command = format!("troel train {}", args.config.display());
    if let Some(seed) = args.seed {
        command += &format!(" --seed {seed}");
    }
    if let Some(iterations) = args.iterations {
        command += &format!(" --iterations {iterations}");
    }
    command
}
