//! The training loop: collect, update, evaluate, save; resumable at every checkpoint.

mod begin;
mod bots;
mod checks;
mod collect;
mod evaluate;
mod folder;
mod iterate;
mod problems;
mod update_settings;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use burn::tensor::Device;
use troel_agents::{Entry, Registry};
use troel_env::RuleSet;
use troel_eval::problems::PosedProblem;
use troel_nn::{BotInfo, Bundle, Critic, MatchSummary, ProblemSummary, Weights};

use crate::collective::Collective;
use crate::config::TrainConfig;
use crate::error::TrainError;
use crate::house_rules::HouseRules;
use crate::load_balancer::LoadBalancer;
use crate::lock::Lock;
use crate::metrics::Metrics;
use crate::optimiser::{Adam, Average};
use crate::report::Event;
use crate::reward::DealReward;
use crate::run_folder::{self, BOT_FOLDER, KEPT_BOTS_FOLDER, Progress};

/// Provenance of a bot, stored in its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The command that trains it.
    pub command: String,
    /// The commit of the program, if known.
    pub commit: String,
}

/// A training run.
pub struct Trainer {
    config: TrainConfig,
    rules: &'static RuleSet,
    house_rules: Option<HouseRules>,
    device: Device,
    run: PathBuf,
    origin: Origin,
    weights: Weights,
    adam: Adam,
    pool: VecDeque<Weights>,
    progress: Progress,
    evaluation: Vec<MatchSummary>,
    answers: Vec<ProblemSummary>,
    /// Problems of the evaluations, once they are generated.
    problems: OnceLock<Vec<PosedProblem>>,
    registry: Registry,
    /// Opponents, one entry per kind of table of the recipe; `None` where the opponent is no bot.
    table_bots: Vec<Option<Entry>>,
    teacher: Option<Entry>,
    /// A bot that provides the baselines, by playing deals to their end.
    baseline_bot: Option<Entry>,
    /// A bot whose calls the learner's stay close to.
    anchor: Option<Entry>,
    /// A critic that sees all four hands, and the state of its optimiser.
    critic: Option<(Critic, Adam)>,
    average: Option<Average>,
    /// Set from outside to interrupt the training.
    stop: Arc<AtomicBool>,
    /// The processes that train together; the first alone writes to the run.
    collective: Arc<dyn Collective>,
    /// Division of the chunks of a rollout among the processes.
    load_balancer: LoadBalancer,
    /// Held by the first process as long as the run may be written to.
    lock: Option<Lock>,
}

impl Trainer {
    /// The folder of the run.
    pub fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Current weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weights of the bot: their moving average if the recipe asks for one, else the current
    /// ones.
    pub fn bot_weights(&self) -> Weights {
        let values = self.average.as_ref().map_or(&self.weights.values, |average| &average.values);
        Weights { config: self.weights.config, values: values.clone() }
    }

    /// Iterations done.
    pub fn iteration(&self) -> u64 {
        self.progress.iteration
    }

    /// PPO iterations done.
    fn ppo_iterations(&self) -> u64 {
        self.progress.iteration.saturating_sub(self.config.imitation_iterations())
    }

    /// Total number of iterations, imitation included.
    pub fn total_iterations(&self) -> u64 {
        self.config.imitation_iterations() + self.config.iterations
    }

    /// Lets this flag interrupt [`Trainer::train`] once it is set. An iteration that collects deals
    /// or learns is dropped, an evaluation is finished, a checkpoint is written, and `train`
    /// returns.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }

    /// Trains until `until` iterations are done, or all if that is fewer, or it is interrupted, and
    /// saves checkpoints. `watch` is called with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint
    /// is kept then.
    pub fn train(&mut self, until: u64, mut watch: impl FnMut(&Event)) -> Result<(), TrainError> {
        let is_first = self.collective.is_first();
        // Metrics would create the folder again, too.
        self.check_folder()?;
        let new = || Metrics::new(&self.run, self.config.tensorboard, self.progress.iteration);
        let mut metrics = is_first.then(new);
        let until = until.min(self.total_iterations());
        let mut saved = self.progress.iteration;
        while self.progress.iteration < until {
            let Some((report, mut values)) = self.iterate()? else { break };
            let done = self.progress.iteration;
            let due = |every: u64| every > 0 && done.is_multiple_of(every);
            if done > self.config.imitation_iterations() && due(self.config.pool.every) {
                self.pool.push_back(self.weights.clone());
                if self.pool.len() > self.config.pool.size {
                    self.pool.pop_front();
                }
            }
            self.check_folder()?;
            let is_evaluated = due(self.config.eval.every) && done < self.total_iterations();
            let Some(metrics) = &mut metrics else {
                if is_evaluated {
                    self.collective.wait()?;
                }
                continue;
            };
            let mut events = vec![Event::Iteration(report)];
            if is_evaluated {
                events.extend(self.evaluate_on_the_way(&mut values)?);
            }
            if due(self.config.checkpoint_keep_every) {
                let path = self.run.join(KEPT_BOTS_FOLDER).join(format!("{done:06}"));
                let bundle = self.bundle()?;
                self.write(|| bundle.save(&path))?;
            }
            // Metrics come before the checkpoint: a run that is resumed removes lines that come too
            // early, and cannot make up for those that are missing.
            metrics.write(done, &values);
            let stops = self.stop.load(Ordering::Relaxed);
            if due(self.config.checkpoint_every) || done == until || stops {
                metrics.sync();
                self.save_checkpoint()?;
                saved = done;
            }
            if is_evaluated {
                self.collective.wait()?;
            }
            events.iter().for_each(&mut watch);
        }
        // One that is interrupted before its first checkpoint can go on, too.
        let has_none = || run_folder::checkpoints(&self.run).is_empty();
        if let Some(metrics) = metrics
            && (saved < self.progress.iteration || self.progress.iteration < until && has_none())
        {
            metrics.sync();
            self.save_checkpoint()?;
        }
        // Nobody ends before the first has saved, as the end of one may be the end of all; and all
        // end for the same reason.
        let stops = self.collective.any(self.stop.load(Ordering::Relaxed))?;
        self.stop.fetch_or(stops, Ordering::Relaxed);
        Ok(())
    }

    /// The current bot as a bundle.
    ///
    /// # Errors
    /// The recipe cannot be serialised as TOML.
    pub fn bundle(&self) -> Result<Bundle, TrainError> {
        let config = &self.config;
        let mut info = BotInfo::new(self.rules, config.network, config.reward_scale, config.seed);
        info.deals = self.progress.deals;
        info.steps = self.progress.steps;
        info.train_seconds = self.progress.seconds;
        info.core_seconds = self.progress.core_seconds;
        info.any_rules = self.house_rules.is_some();
        info.match_totals = config.sees_totals(self.rules);
        info.value_in_points = config.reward != DealReward::MatchGain;
        info.command.clone_from(&self.origin.command);
        info.commit.clone_from(&self.origin.commit);
        info.evaluation.clone_from(&self.evaluation);
        info.problems.clone_from(&self.answers);
        info.training = config_table(config)?;
        Ok(Bundle { info, weights: self.bot_weights() })
    }

    /// Writes a checkpoint: the weights that learn, not their average, and all else that is needed
    /// to resume.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self) -> Result<(), TrainError> {
        let state = self.state()?;
        self.write(|| run_folder::save(&self.run, &state))
    }

    /// Path of the finished bot.
    pub fn bot_path(&self) -> PathBuf {
        self.run.join(BOT_FOLDER)
    }

    /// Writes the finished bot to `bot/` in the run's folder, and returns that path.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self) -> Result<PathBuf, TrainError> {
        let (path, bundle) = (self.bot_path(), self.bundle()?);
        self.write(|| bundle.save(&path))?;
        Ok(path)
    }
}

fn config_table(config: &TrainConfig) -> Result<toml::Table, TrainError> {
    Ok(toml::Table::try_from(config)?)
}
