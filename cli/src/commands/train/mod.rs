//! `troel train`.

mod estimate;
mod next_steps;
mod seeds;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use troel_agents::{NamedBot, Registry};
use troel_eval::Estimate;
use troel_eval::problems::ProblemSheet;
use troel_train::{
    Event, IterationReport, LossTerm, Provenance, TrainConfig, Trainer, gradient_processes,
};

use crate::processes::Processes;
use crate::progress::Progress;
use crate::{commands, interrupt, output};

/// Train a bot by self-play
///
/// Reads a recipe, writes checkpoints, metrics and TensorBoard files into the run's folder, and
/// ends with an evaluation. --resume continues an interrupted run exactly where it stopped; the
/// number of iterations, evaluation, logging and checkpoint intervals may change then. Ctrl-C (or
/// SIGTERM) saves a checkpoint and prints how to resume; a second one ends the program at once.
///
/// --seeds trains one run per seed, one after the other, in the folders 1, 2, … below the run's
/// folder, and prints the mean of the final evaluations with a 95 % interval over seeds. With
/// --resume it skips the finished ones.
///
/// Examples:
///   troel train quickstart
///   troel train quickstart --run runs/a --seeds 1..5
///   troel train quickstart --resume
///   troel train champion --exploit luxembourg-v5 --run runs/exploiter --iterations 100
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Recipe: a TOML file, or the name of a built-in one: quickstart, champion
    #[arg(required_unless_present = "keys")]
    config: Option<PathBuf>,
    /// Print the meaning and the default of every key of a recipe
    #[arg(long, exclusive = true)]
    keys: bool,
    /// Resume from the last checkpoint of the run
    #[arg(long)]
    resume: bool,
    /// Folder of the run, instead of the recipe's
    #[arg(long)]
    run: Option<String>,
    /// Master seed, instead of the recipe's
    #[arg(long, value_parser = commands::seed)]
    seed: Option<u64>,
    /// Master seeds: one run per seed, in folders named by them below the run's folder. A range
    /// includes both ends: 1..5 is five seeds. Lists such as 1,2,7 work too
    #[arg(long, conflicts_with_all = ["seed", "distributed"])]
    seeds: Option<seeds::Seeds>,
    /// Number of PPO iterations, instead of the recipe's
    #[arg(long, value_parser = commands::number(0..=u64::MAX))]
    iterations: Option<u64>,
    /// Set a key of the recipe, such as ppo.update_epochs=1 or 'scenarios=[]', or remove one, as in
    /// defence= (--keys lists them). May be repeated. --resume needs the same settings again
    #[arg(long = "set", value_name = "KEY=VALUE")]
    settings: Vec<String>,
    /// Train an exploiter of this bot (named as for `troel eval`): one seat against three copies of
    /// the bot at every table. Training starts from the bot's weights if it is a checkpoint, else
    /// as the recipe says
    #[arg(long, value_name = "BOT")]
    exploit: Option<String>,
    /// Share the training among the processes that mpirun has started, each of which sees the same
    /// files. The result is bit-identical to a run with one process. Needs a build with the feature
    /// mpi (docs/cluster.md)
    #[arg(long)]
    distributed: bool,
    /// For a program that starts this one: also print `run: DIR` when a run begins, and stop as
    /// after Ctrl-C when standard input ends
    #[arg(long, hide = true, conflicts_with = "distributed")]
    supervised: bool,
    #[command(flatten)]
    threads: commands::Threads,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(recipe) = &args.config else {
        output::text(troel_configs::RECIPE_KEYS)?;
        return Ok(ExitCode::SUCCESS);
    };
    args.threads.apply()?;
    let processes = Processes::new(args.distributed)?;
    // Ends the other processes.
    run_on(recipe, args, &processes).inspect_err(|error| processes.fail(error))
}

fn run_on(recipe: &Path, args: &Args, processes: &Processes) -> anyhow::Result<ExitCode> {
    let mut config = TrainConfig::load_with(recipe, &args.settings)?;
    if let Some(run) = &args.run {
        config.run.clone_from(run);
    }
    config.seed = args.seed.unwrap_or(config.seed);
    config.iterations = args.iterations.unwrap_or(config.iterations);
    if let Some(bot) = &args.exploit {
        NamedBot::find(bot, commands::rules(&config.rules)?).context("--exploit")?;
        config = config.exploiting(bot)?;
        if let Some(setting) = config.overridden(&args.settings) {
            bail!(
                "--set {setting}: --exploit {bot} sets the same key; remove one of the two. \
                 Without --exploit, set init, tables and eval.baselines instead (see troel train \
                 --keys)"
            );
        }
    }
    if config.init.is_some() {
        config.start = None;
    }
    let hint = resume_hint(args, &config.run, processes);
    let stop = interrupt::arm(processes.is_first().then_some(hint.as_str()));
    if args.supervised {
        interrupt::stop_at_end_of_input();
    }
    let start_recipe = config.start_recipe()?;
    for program in start_recipe.iter().chain([&config]).flat_map(TrainConfig::programs) {
        // Escaped as a Rust string, so that control characters cannot hide the command.
        processes.note(&format!("the recipe runs a program: {program:?}"));
    }
    if let Some(seeds) = &args.seeds {
        return seeds::train(
            recipe,
            &config,
            seeds,
            args.resume,
            &hint,
            processes,
            |config, resume| train_run(config, args, &stop, resume, processes),
        );
    }
    let resume = args.resume && (start_recipe.is_none() || Trainer::can_resume(&config));
    let run = config.run.clone();
    let Some(path) = train_run(config, args, &stop, resume, processes)? else {
        processes.interrupted(&hint)
    };
    if processes.is_first() {
        output::line(&format!("bot: {}", path.display()))?;
        output::note(&next_steps::text("What to do next", recipe, &path, &run));
    }
    Ok(ExitCode::SUCCESS)
}

/// Trains the recipe's `start` and then the recipe, and returns the folder of the bot. Returns
/// `None` if the training was interrupted.
fn train_run(
    mut config: TrainConfig,
    args: &Args,
    stop: &Arc<AtomicBool>,
    resume: bool,
    processes: &Processes,
) -> anyhow::Result<Option<PathBuf>> {
    let start_recipe = config.start_recipe()?;
    if start_recipe.is_some() || args.supervised {
        // Reports an error in this recipe before the start recipe is trained.
        if resume {
            Trainer::check_resume(&config)?;
        } else {
            Trainer::check_start(&config, &Registry::default())?;
        }
    }
    announce(args, "run", &config.run)?;
    if let Some(start_recipe) = start_recipe {
        let Some(bot) = train_start_recipe(start_recipe, args, stop, processes)? else {
            return Ok(None);
        };
        config.init = Some(bot.display().to_string());
    }
    let provenance = provenance(args, &config);
    train(config, provenance, stop, resume, processes)
}

/// Tells a program that supervises this one the folder of a run that begins.
fn announce(args: &Args, what: &str, folder: &str) -> anyhow::Result<()> {
    if args.supervised { output::line(&format!("{what}: {folder}")) } else { Ok(()) }
}

/// Returns the message of an interrupted training, with the command that resumes it.
fn resume_hint(args: &Args, run: &str, processes: &Processes) -> String {
    let mut command = command(args, &seed_option(args));
    if let Some(threads) = args.threads.number() {
        command += &format!(" --threads {threads}");
    }
    let command = processes.started(command);
    let options = if processes.is_alone() { "" } else { " the same mpirun options and" };
    format!("interrupted; continue with{options}:\n  {command} --run {} --resume", quoted(run))
}

/// Trains a start recipe, unless it is done, and returns the folder of its bot. Returns `None` if
/// the training was interrupted.
fn train_start_recipe(
    config: TrainConfig,
    args: &Args,
    stop: &Arc<AtomicBool>,
    processes: &Processes,
) -> anyhow::Result<Option<PathBuf>> {
    match Trainer::finished(&config)? {
        Some(bot) if args.resume => Ok(Some(bot)),
        // Training refuses to start if the folder holds a run.
        _ => {
            let resume = args.resume && Trainer::can_resume(&config);
            let recipe = args.config.as_deref().unwrap_or(Path::new(""));
            let iterations = config.imitation_iterations() + config.iterations;
            processes.note(&format!(
                "{} first trains the recipe of its table `start`: {iterations} iterations in {}. A \
                 second estimate follows when the recipe's own iterations begin.",
                recipe.display(),
                config.run
            ));
            announce(args, "start", &config.run)?;
            let provenance = provenance(args, &config);
            train(config, provenance, stop, resume, processes)
        }
    }
}

/// Trains a recipe to its end, and returns the folder of the bot; none if it was interrupted.
pub fn train(
    config: TrainConfig,
    provenance: Provenance,
    stop: &Arc<AtomicBool>,
    resume: bool,
    processes: &Processes,
) -> anyhow::Result<Option<PathBuf>> {
    let (baselines, final_deals) = (config.eval.baselines.clone(), config.eval.final_deals);
    let shards = config.ppo.shards;
    let iterations = [config.imitation_iterations(), config.iterations];
    let recipe = config.clone();
    let mut trainer = if resume {
        Trainer::resume(config, provenance, Registry::default(), processes.collective())?
    } else {
        Trainer::start(config, provenance, Registry::default(), processes.collective())?
    };

    let (size, learning) =
        (processes.collective().size(), gradient_processes(processes.collective().size(), shards));
    if learning < size {
        processes.note(&format!(
            "Only {learning} of {size} processes compute gradients. Raise `ppo.shards` (now \
             {shards})."
        ));
    }
    trainer.stop_with(Arc::clone(stop));
    interrupt::mark_savable();
    let total = trainer.total_iterations();
    if !processes.is_first() {
        // Only the first process writes files and prints.
        trainer.train(total, |_| {})?;
        interrupt::mark_saved();
        return Ok((!stop.load(Ordering::Relaxed)).then(|| trainer.bot_path()));
    }
    let rest = total.saturating_sub(trainer.iteration());
    let seconds = (processes.is_alone() && rest > 0)
        .then(|| estimate::seconds_per_iteration(&recipe, stop))
        .flatten();
    let totals = iterations.map(|number| number as f64);
    let seconds = seconds.as_ref().map(<[f64; 2]>::as_slice);
    let progress = Progress::in_order(&totals, trainer.iteration() as f64, seconds, "iterations");
    if let Some(left) = progress.left() {
        progress.line(&estimate::text(rest, left.time));
    }
    trainer.train(total, |event| show(&progress, event))?;
    progress.finish();
    // A resumed run repeats the rest.
    interrupt::mark_saved();
    if stop.load(Ordering::Relaxed) {
        return Ok(None);
    }
    if final_deals > 0 {
        evaluate(&mut trainer, final_deals, &baselines)?;
    }
    Ok(Some(trainer.save_bot()?))
}

/// Shows an event of a training.
fn show(progress: &Progress, event: &Event) {
    match event {
        Event::Iteration(report) => progress.set(report.iteration as f64, message(report)),
        Event::Evaluation(report) => progress.line(&format!(
            "iteration {}: {} points per deal against {}",
            report.iteration,
            Estimate::new(report.points, report.half_width).text(2),
            report.baseline
        )),
        Event::Problems(report) => progress.line(&format!(
            "iteration {}: {:.1} % of {} solved, {:.1} points lost per problem",
            report.iteration,
            100.0 * report.solved,
            report.suite,
            report.lost
        )),
    }
}

/// Evaluates the trained bot on `deals` deals against each baseline and on problems. Prints the
/// results and adds them to the bot's metadata.
fn evaluate(trainer: &mut Trainer, deals: u64, baselines: &[String]) -> anyhow::Result<()> {
    let progress = Progress::new(deals as f64 * baselines.len() as f64, 0.0, "deals");
    progress.set_message("evaluation".to_string());
    let report = trainer.evaluate(deals, baselines, &|deals| progress.add(deals))?;
    progress.finish();
    trainer.add_evaluation(&report);
    output::text(&report.table())?;
    let sheets = trainer.answer_problems()?;
    trainer.add_answers(&sheets);
    if !sheets.is_empty() {
        output::text(&format!("\n{}", ProblemSheet::table(&sheets)))?;
    }
    Ok(())
}

fn message(report: &IterationReport) -> String {
    let seconds = report.collect_seconds + report.learn_seconds;
    let others =
        report.other_points.map(|points| format!(", other seats {points:+.2}")).unwrap_or_default();
    format!(
        "points per deal: learning seats {:+.2}{others}; entropy {:.2}, {:.0} decisions/s",
        report.points,
        report.losses.mean(LossTerm::Entropy),
        report.samples as f64 / seconds
    )
}

/// Returns the option that sets the seed or seeds, after a space; empty without one.
fn seed_option(args: &Args) -> String {
    match (args.seed, &args.seeds) {
        (Some(seed), _) => format!(" --seed {seed}"),
        (None, Some(seeds)) => format!(" --seeds {seeds}"),
        (None, None) => String::new(),
    }
}

/// Returns the command line that trains the bot of this seed alone, and the commit of the program.
fn provenance(args: &Args, config: &TrainConfig) -> Provenance {
    let seed = match args.seeds {
        Some(_) => format!(" --seed {}", config.seed),
        None => seed_option(args),
    };
    Provenance { command: command(args, &seed), commit: env!("TROEL_COMMIT").to_string() }
}

/// Returns the command line that trains the same bot, with this option for the seed.
fn command(args: &Args, seed: &str) -> String {
    let recipe = args.config.as_deref().unwrap_or(Path::new(""));
    let recipe = word(&recipe.display().to_string());
    let mut command = format!("troel train {recipe}{seed}");
    if let Some(iterations) = args.iterations {
        command += &format!(" --iterations {iterations}");
    }
    if let Some(bot) = &args.exploit {
        command += &format!(" --exploit {}", quoted(bot));
    }
    for setting in &args.settings {
        command += &format!(" --set {}", quoted(setting));
    }
    command
}

/// Returns the text as a word of a shell, in quotes only if it needs them.
fn word(text: &str) -> String {
    let is_plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    if is_plain { text.to_string() } else { quoted(text) }
}

/// Returns the text in single quotes, escaped for a shell.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
