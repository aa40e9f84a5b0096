//! The training loop: collect, update, evaluate, save; resumable at every checkpoint.

mod bots;
mod evaluate;
mod plan;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use burn::tensor::Device;
use troel_agents::network::{self, Evaluator};
use troel_agents::{Entry, Registry, find_rules};
use troel_env::rng::{Purpose, Stream};
use troel_env::{RuleSet, Scenario};
use troel_nn::bundle::INFO;
use troel_nn::{BotInfo, Bundle, BundleError, Critic, ForwardCritic, MatchSummary, Weights, files};

use self::bots::Bots;
use self::plan::between;
use crate::changes::changed_keys;
use crate::config::{CriticConfig, TrainConfig};
use crate::error::TrainError;
use crate::lock::Lock;
use crate::loss::Losses;
use crate::metrics::Metrics;
use crate::optimiser::{Adam, Average};
use crate::report::{Event, IterationReport, Values};
use crate::rollout::{Baselines, Learner, Plan, Rollout, TableKind, collect};
use crate::run_folder::{self, BOT, Candidate, KEPT, Progress, Saved};
use crate::sample::{
    explained_variance, normalise_advantages, normalise_advantages_by_contract, select,
};
use crate::update::{Update, update, update_critic};

/// Provenance of a bot, stored in its metadata.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The command that trains it.
    pub command: String,
    /// The commit of the program, if known.
    pub commit: String,
}

/// The stream that draws samples for the value head is that of a shuffle which no epoch has.
const SELECTION: u64 = 255;

/// A training run.
pub struct Trainer {
    config: TrainConfig,
    rules: &'static RuleSet,
    device: Device,
    run: PathBuf,
    origin: Origin,
    weights: Weights,
    adam: Adam,
    pool: VecDeque<Weights>,
    progress: Progress,
    evaluation: Vec<MatchSummary>,
    registry: Registry,
    bots: Vec<Entry>,
    teacher: Option<Entry>,
    /// A bot that plays deals on to give baselines.
    play_on: Option<Entry>,
    /// A bot whose calls the learner's stay close to.
    anchor: Option<Entry>,
    /// A critic that sees all four hands, and the state of its optimiser.
    critic: Option<(Critic, Adam)>,
    average: Option<Average>,
    /// Set from outside to interrupt the training.
    stop: Arc<AtomicBool>,
    /// Held as long as the run may be written to.
    _lock: Lock,
}

impl Trainer {
    /// Starts a run in a new folder. The bots that the recipe names are looked up in the registry.
    ///
    /// # Errors
    /// The recipe is invalid, something that it names cannot be used, or the folder already holds a run.
    pub fn start(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
    ) -> Result<Trainer, TrainError> {
        Trainer::check_start(&config, &registry)?;
        let run = Path::new(&config.run);
        let lock = Lock::take(run)?;
        // Again, now that no other process can begin.
        if Trainer::can_resume(&config) {
            return Err(TrainError::RunExists(run.to_path_buf()));
        }
        let (weights, before) = config.initial()?;
        let mut trainer = Trainer::with(config, origin, registry, lock, weights, None)?;
        trainer.progress = before;
        Ok(trainer)
    }

    /// Checks that a run can begin, as far as it can be told without the checkpoint that it starts from.
    ///
    /// # Errors
    /// As for [`Trainer::start`].
    pub fn check_start(config: &TrainConfig, registry: &Registry) -> Result<(), TrainError> {
        let run = Path::new(&config.run);
        if run.join(INFO).exists() {
            return Err(TrainError::InBot(run.to_path_buf()));
        }
        if Trainer::can_resume(config) || files::recover(&run.join(BOT)).exists() {
            return Err(TrainError::RunExists(run.to_path_buf()));
        }
        config.check()?;
        // Refused now, not when the first checkpoint is written.
        config_table(config)?;
        network::device(&config.device)?;
        Bots::find(config, find_rules(&config.rules)?, registry).map(|_| ())
    }

    /// Checks that a run can go on under this recipe, as far as it can be told without the checkpoint that it started from.
    ///
    /// # Errors
    /// A key of the recipe changed that must not.
    pub fn check_resume(config: &TrainConfig) -> Result<(), TrainError> {
        // Damaged ones are passed over, as on resuming.
        let load =
            |candidate: Candidate| Bundle::load(&candidate.path).ok().map(|b| (candidate, b));
        let mut whole =
            run_folder::checkpoints(Path::new(&config.run)).into_iter().filter_map(load);
        match whole.next() {
            Some((Candidate { path, .. }, bundle)) => check_unchanged(config, &path, &bundle),
            None => Ok(()),
        }
    }

    /// Whether the folder of the recipe's run has a checkpoint to resume from.
    pub fn can_resume(config: &TrainConfig) -> bool {
        !run_folder::checkpoints(Path::new(&config.run)).is_empty()
    }

    /// The bot in the folder of the recipe's run, if the run is finished.
    ///
    /// # Errors
    /// The bot is damaged, or another recipe trained it.
    pub fn finished(config: &TrainConfig) -> Result<Option<PathBuf>, TrainError> {
        let path = files::recover(&Path::new(&config.run).join(BOT));
        if !path.exists() {
            return Ok(None);
        }
        let then = Bundle::load(&path)?.info.training;
        let now = config_table(config)?;
        let mut keys = changed_keys(&then, &now);
        // A run may get another horizon, a finished bot has had its own.
        if let (Some(was), Some(is)) = (then.get("iterations"), now.get("iterations"))
            && was != is
        {
            keys.push(format!("iterations (was {was}, is {is})"));
        }
        match keys.is_empty() {
            true => Ok(Some(path)),
            false => Err(TrainError::Changed { path, keys: keys.join(", ") }),
        }
    }

    /// Resumes the run at its last checkpoint; one that is damaged is passed over with a warning. The number of iterations, evaluation, logging, checkpoint intervals and
    /// the folder may differ from before; learning rate, entropy bonus and the weights of anchor and defence follow the new number.
    ///
    /// # Errors
    /// There is no checkpoint that is whole, another key of the recipe changed since, or another process trains the run.
    pub fn resume(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
    ) -> Result<Trainer, TrainError> {
        let run = Path::new(&config.run);
        if !run.exists() {
            return Err(TrainError::NoCheckpoint(run.to_path_buf()));
        }
        let lock = Lock::take(run)?;
        let mut damaged: Option<BundleError> = None;
        let mut passed_over: Vec<PathBuf> = Vec::new();
        for Candidate { path, .. } in run_folder::checkpoints(run) {
            match Trainer::load(&config, &path) {
                Ok(saved) => {
                    if !passed_over.is_empty() {
                        tracing::warn!("resuming from {} instead", path.display());
                    }
                    passed_over.iter().for_each(|path| run_folder::set_aside(path));
                    let weights = saved.bundle.weights.clone();
                    return Trainer::with(config, origin, registry, lock, weights, Some(saved));
                }
                Err(TrainError::Bundle(
                    error @ (BundleError::Damaged { .. } | BundleError::Io { .. }),
                )) => {
                    tracing::warn!("{error}");
                    damaged = damaged.or(Some(error));
                    passed_over.push(path);
                }
                Err(error) => return Err(error),
            }
        }
        let run = run.to_path_buf();
        Err(match damaged {
            Some(error) => TrainError::AllDamaged { run, error },
            None if files::recover(&run.join(BOT)).exists() => TrainError::OnlyBot(run),
            None => TrainError::NoCheckpoint(run),
        })
    }

    /// Reads a checkpoint, and checks that the recipe can go on from it.
    fn load(config: &TrainConfig, path: &Path) -> Result<Saved, TrainError> {
        let bundle = Bundle::load(path)?;
        if !bundle.info.has_checksums() {
            tracing::warn!("{} has no checksums: damage would not be noticed", path.display());
        }
        check_unchanged(config, path, &bundle)?;
        let path = path.to_path_buf();
        let critic = config.critic.as_ref().map(CriticConfig::network);
        let decay = Some(config.ppo.ema_decay).filter(|&decay| decay > 0.0);
        let saved = run_folder::load(&path, bundle, critic, decay)?;
        let total = config.imitation_iterations() + config.iterations;
        if total < saved.progress.iteration {
            return Err(TrainError::TooShort { path, done: saved.progress.iteration, total });
        }
        Ok(saved)
    }

    fn with(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
        lock: Lock,
        weights: Weights,
        saved: Option<Saved>,
    ) -> Result<Trainer, TrainError> {
        config.check()?;
        let rules = find_rules(&config.rules)?;
        if let Some(saved) = &saved {
            saved.bundle.info.check_rules(Path::new(&config.run), rules)?;
        }
        let device = network::device(&config.device)?;
        let Bots { bots, teacher, play_on, anchor } = Bots::find(&config, rules, &registry)?;
        let run = PathBuf::from(&config.run);
        let adam = Adam::new(weights.values.len());
        let critic = config.critic.as_ref().map(|c| {
            let critic = Critic::init(c.network(), config.seed);
            let adam = Adam::new(critic.values.len());
            (critic, adam)
        });
        let decay = config.ppo.ema_decay;
        let average = (decay > 0.0).then(|| Average::new(&weights.values, decay));
        let mut trainer = Trainer {
            config,
            rules,
            device,
            run,
            origin,
            weights,
            adam,
            pool: VecDeque::new(),
            progress: Progress::default(),
            evaluation: Vec::new(),
            registry,
            bots,
            teacher,
            play_on,
            anchor,
            critic,
            average,
            stop: Arc::default(),
            _lock: lock,
        };
        if let Some(saved) = saved {
            trainer.adam = saved.adam;
            trainer.pool = saved.pool.into();
            trainer.progress = saved.progress;
            trainer.evaluation = saved.bundle.info.evaluation;
            trainer.critic = saved.critic;
            trainer.average = saved.average;
        }
        Ok(trainer)
    }

    /// The folder of the run.
    pub fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Current weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The weights of the bot: their moving average if the recipe asks for one, else the current ones.
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

    /// Lets this flag interrupt [`Trainer::train`] once it is set: an iteration that still collects deals is dropped, one that
    /// learns or evaluates is finished, a checkpoint is written, and `train` returns.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }

    /// Trains until `until` iterations are done, or all if that is fewer, or it is interrupted, and saves checkpoints. `watch`
    /// is called with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint is kept then.
    pub fn train(&mut self, until: u64, mut watch: impl FnMut(&Event)) -> Result<(), TrainError> {
        let mut metrics = Metrics::new(&self.run, self.config.tensorboard, self.progress.iteration);
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
            let mut evaluations = Vec::new();
            if due(self.config.eval.every) && done < self.total_iterations() {
                evaluations = self.evaluate_on_the_way(&mut values)?;
            }
            if due(self.config.checkpoint_keep_every) {
                self.bundle()?.save(&self.run.join(KEPT).join(format!("{done:06}")))?;
            }
            // Metrics come before the checkpoint: a run that is resumed removes lines that come too early, and cannot make up
            // for those that are missing.
            metrics.write(done, &values);
            let stops = self.stop.load(Ordering::Relaxed);
            if due(self.config.checkpoint_every) || done == until || stops {
                metrics.sync();
                self.save_checkpoint()?;
                saved = done;
            }
            watch(&Event::Iteration(report));
            evaluations.into_iter().for_each(|report| watch(&Event::Evaluation(report)));
        }
        if saved < self.progress.iteration {
            metrics.sync();
            self.save_checkpoint()?;
        }
        Ok(())
    }

    /// An iteration; none if it was interrupted while deals were collected.
    #[allow(clippy::type_complexity)]
    fn iterate(&mut self) -> Result<Option<(IterationReport, Vec<(String, f64)>)>, TrainError> {
        let start = Instant::now();
        let imitating = self.progress.iteration < self.config.imitation_iterations();
        let mut rollout = self.collect(imitating)?;
        if self.stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let collect_seconds = start.elapsed().as_secs_f64();
        let explained = explained_variance(&rollout.samples);
        let critic_losses = self.update_critic(&rollout);
        match (self.config.ppo.norm_adv, self.config.ppo.norm_adv_by_contract) {
            (true, true) => normalise_advantages_by_contract(&mut rollout.samples),
            (true, false) => normalise_advantages(&mut rollout.samples),
            (false, _) => {}
        }
        let collected = rollout.samples.len();
        let warms_up = self.ppo_iterations() < self.config.ppo.critic_warmup;
        if !imitating && !warms_up && self.config.ppo.policy_share < 1.0 {
            let counter = self.progress.iteration << 8 | SELECTION;
            let mut stream = Stream::new(self.config.seed, Purpose::Minibatch, counter);
            select(&mut rollout.samples, self.config.ppo.policy_share, &mut stream);
        }
        let plan = self.update_plan(imitating);
        let (weights, adam, average) = (&mut self.weights, &mut self.adam, self.average.as_mut());
        let losses = update(weights, adam, average, &rollout.samples, &plan, &self.device);
        self.check_finite(&losses, critic_losses.as_ref())?;
        let seconds = start.elapsed().as_secs_f64();
        self.progress.iteration += 1;
        self.progress.steps += collected as u64;
        self.progress.deals += rollout.ordinary.deals + rollout.scenarios.deals;
        self.progress.seconds += seconds;
        let report = IterationReport {
            iteration: self.progress.iteration,
            total: self.total_iterations(),
            samples: collected,
            collect_seconds,
            learn_seconds: seconds - collect_seconds,
            losses,
            points: rollout.ordinary.mean_points(),
        };
        let mut values = Values::default();
        values.add_charts(&report, &self.progress, plan.learning_rate);
        values.add_losses(&losses, explained, imitating);
        if self.anchor.is_some() && !imitating {
            values.add_anchor(&losses);
        }
        if self.config.defence.is_some() && !imitating {
            values.add_taught(&losses);
        }
        values.add_critic(critic_losses.as_ref());
        values.add_deals(self.rules, &rollout);
        Ok(Some((report, values.0)))
    }

    /// Checks that the update ended in numbers.
    fn check_finite(&self, losses: &Losses, critic: Option<&Losses>) -> Result<(), TrainError> {
        let all = |values: &[f32]| values.iter().all(|value| value.is_finite());
        let of = |losses: &Losses| {
            (losses.policy_loss + losses.value_loss + losses.grad_norm).is_finite()
        };
        let moments = |adam: &Adam| all(&adam.mean) && all(&adam.square);
        let critic_is_finite =
            self.critic.as_ref().is_none_or(|(c, adam)| all(&c.values) && moments(adam));
        let places = [
            ("the loss or its gradient", of(losses)),
            ("a weight of the network", all(&self.weights.values) && moments(&self.adam)),
            ("the critic's loss or its gradient", critic.is_none_or(of)),
            ("a weight of the critic", critic_is_finite),
        ];
        match places.into_iter().find(|(_, is_finite)| !is_finite) {
            None => Ok(()),
            Some((what, _)) => {
                Err(TrainError::Diverged { iteration: self.progress.iteration + 1, what })
            }
        }
    }

    fn collect(&self, imitating: bool) -> Result<Rollout, TrainError> {
        let mut opponents = self.bots.clone();
        let past = opponents.len()..opponents.len() + self.pool.len();
        let past_selves = self.pool.iter().map(|w| Evaluator::on(w, &self.device));
        opponents.extend(
            past_selves.map(|past| Entry::sampling_network("past", past, self.config.reward_scale)),
        );
        let kinds: Vec<TableKind> = if imitating {
            Vec::new()
        } else {
            let mut bot = 0;
            let kinds = self.config.tables.iter().map(|table| {
                let kind = TableKind {
                    weight: table.weight,
                    learners: table.learners,
                    opponents: match table.opponent.as_str() {
                        "self" => Vec::new(),
                        // While the pool is empty, all four seats learn.
                        "past" => past.clone().collect(),
                        _ => {
                            bot += 1;
                            vec![bot - 1]
                        }
                    },
                };
                (table, kind)
            });
            let done = self.ppo_iterations();
            kinds.filter(|(table, _)| table.is_open(done)).map(|(_, kind)| kind).collect()
        };
        let scenarios = self.config.scenarios.iter();
        let scenarios: Vec<(Scenario, f32)> =
            scenarios.filter_map(|s| Some((Scenario::parse(&s.scenario)?, s.share))).collect();
        let evaluator = Evaluator::on(&self.weights, &self.device);
        let learner = match &self.teacher {
            Some(teacher) if imitating => Learner::Bot(teacher),
            _ => Learner::Network(&evaluator),
        };
        let ppo = &self.config.ppo;
        let lasts = ppo.critic_iterations == 0 || self.ppo_iterations() < ppo.critic_iterations;
        let play_on = self.play_on.as_ref().filter(|_| lasts);
        let critic = self.critic.as_ref().map(|(critic, _)| Arc::new(ForwardCritic::new(critic)));
        Ok(collect(&Plan {
            rules: self.rules,
            seed: self.config.seed,
            iteration: self.progress.iteration,
            deals: self.config.deals,
            series: self.config.series,
            learner,
            kinds: &kinds,
            opponents: &opponents,
            scenarios: &scenarios,
            random_totals: self.config.random_totals,
            reward: self.config.reward,
            reward_scale: self.config.reward_scale,
            gae_lambda: play_on.and(ppo.critic_lambda).unwrap_or(ppo.gae_lambda),
            baselines: match (play_on, &critic) {
                (Some(entry), _) => Baselines::PlayOn(entry),
                (_, Some(critic)) => Baselines::FullCritic(critic),
                _ => Baselines::ValueHead,
            },
            anchor: self.anchor.as_ref().filter(|_| !imitating),
            defence_nodes: self.config.defence.as_ref().filter(|_| !imitating).map(|d| d.nodes),
            positions: &[],
            stop: Some(&self.stop),
        })?)
    }

    /// Trains the critic that sees all hands, if there is one, on the outcomes.
    fn update_critic(&mut self, rollout: &Rollout) -> Option<Losses> {
        let config = self.config.critic.as_ref()?;
        let total = (self.config.imitation_iterations() + self.config.iterations).max(1) as f32;
        let part = (self.progress.iteration as f32 / total).min(1.0);
        let plan = Update {
            learning_rate: between(config.learning_rate, config.learning_rate_end, part),
            epochs: config.update_epochs,
            ..self.update_plan(false)
        };
        let (critic, adam) = self.critic.as_mut()?;
        Some(update_critic(critic, adam, &rollout.samples, &plan))
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
        info.match_totals = config.sees_totals(self.rules);
        info.command.clone_from(&self.origin.command);
        info.commit.clone_from(&self.origin.commit);
        info.evaluation.clone_from(&self.evaluation);
        info.training = config_table(config)?;
        Ok(Bundle { info, weights: self.bot_weights() })
    }

    /// Writes a checkpoint: the weights that learn, not their average, and all else that is needed to resume.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self) -> Result<(), TrainError> {
        let saved = Saved {
            bundle: Bundle { weights: self.weights.clone(), ..self.bundle()? },
            adam: self.adam.clone(),
            pool: self.pool.iter().cloned().collect(),
            critic: self.critic.clone(),
            average: self.average.clone(),
            progress: self.progress.clone(),
        };
        Ok(run_folder::save(&self.run, &saved)?)
    }

    /// Writes the finished bot to `bot/` in the run's folder, and returns that path.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self) -> Result<PathBuf, TrainError> {
        let path = self.run.join(BOT);
        self.bundle()?.save(&path)?;
        Ok(path)
    }
}

/// Refuses a recipe that differs from the checkpoint's in keys that must stay the same.
fn check_unchanged(config: &TrainConfig, path: &Path, bundle: &Bundle) -> Result<(), TrainError> {
    let then = &bundle.info.training;
    // Read and written again, so that keys which came after it was written have their defaults.
    let read = then.clone().try_into().ok().and_then(|then| config_table(&then).ok());
    let keys = changed_keys(read.as_ref().unwrap_or(then), &config_table(config)?);
    match keys.is_empty() {
        true => Ok(()),
        false => Err(TrainError::Changed { path: path.to_path_buf(), keys: keys.join(", ") }),
    }
}

fn config_table(config: &TrainConfig) -> Result<toml::Table, TrainError> {
    Ok(toml::Table::try_from(config)?)
}
