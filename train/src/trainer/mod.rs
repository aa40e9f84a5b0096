//! The training loop: collect, update, evaluate, save; resumable at every checkpoint.

mod begin;
mod bots;
mod checks;
mod evaluate;
mod folder;
mod plan;
mod problems;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use burn::tensor::Device;
use troel_agents::network::Evaluator;
use troel_agents::{Entry, Registry};
use troel_env::rng::{Purpose, Stream};
use troel_env::{RuleSet, Scenario};
use troel_eval::problems::PosedProblem;
use troel_nn::{BotInfo, Bundle, Critic, ForwardCritic, MatchSummary, ProblemSummary, Weights};

use self::plan::between;
use crate::collective::{Collective, CollectiveError};
use crate::config::TrainConfig;
use crate::error::TrainError;
use crate::house_rules::HouseRules;
use crate::load_balancer::LoadBalancer;
use crate::lock::Lock;
use crate::loss::Losses;
use crate::metrics::Metrics;
use crate::optimiser::{Adam, Average};
use crate::report::{Event, IterationReport, Values};
use crate::reward::DealReward;
use crate::rollout::{
    Baselines, Chunks, Learner, Plan, Rollout, TableKind, VineShares, collect_chunks,
};
use crate::run_folder::{self, BOT, KEPT, Progress};
use crate::sample::{
    explained_variance, normalise_advantages, normalise_advantages_by_contract,
    normalise_advantages_by_rules, select,
};
use crate::update::{Team, Update, UpdateError, update, update_critic};

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

/// What a training has come to.
struct Learned {
    weights: Weights,
    adam: Adam,
    average: Option<Average>,
    critic: Option<(Critic, Adam)>,
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
    /// The processes that train together; the first alone writes to the run.
    collective: Arc<dyn Collective>,
    /// How what is to be collected is divided among them.
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

    /// Lets this flag interrupt [`Trainer::train`] once it is set: an iteration that collects deals or learns is dropped, an
    /// evaluation is finished, a checkpoint is written, and `train` returns.
    pub fn stop_with(&mut self, flag: Arc<AtomicBool>) {
        self.stop = flag;
    }

    /// Trains until `until` iterations are done, or all if that is fewer, or it is interrupted, and saves checkpoints. `watch`
    /// is called with each event.
    ///
    /// # Errors
    /// A checkpoint cannot be written, a bot failed, or the training diverged; the last checkpoint is kept then.
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
                let path = self.run.join(KEPT).join(format!("{done:06}"));
                let bundle = self.bundle()?;
                self.write(|| bundle.save(&path))?;
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
        // Nobody ends before the first has saved, as the end of one may be the end of all; and all end for the same reason.
        let stops = self.collective.any(self.stop.load(Ordering::Relaxed))?;
        self.stop.fetch_or(stops, Ordering::Relaxed);
        Ok(())
    }

    /// An iteration; none if it was interrupted, and all is as before it.
    #[allow(clippy::type_complexity)]
    fn iterate(&mut self) -> Result<Option<(IterationReport, Vec<(String, f64)>)>, TrainError> {
        let start = Instant::now();
        let imitating = self.progress.iteration < self.config.imitation_iterations();
        let Some(mut rollout) = self.collect(imitating)? else { return Ok(None) };
        let collect_seconds = start.elapsed().as_secs_f64();
        let explained = explained_variance(&rollout.samples);
        let before = self.learned();
        let collected = rollout.samples.len();
        let plan = self.update_plan(imitating);
        let (losses, critic_losses) = match self.learn(&mut rollout, &plan, imitating) {
            Ok(losses) => losses,
            Err(UpdateError::Interrupted) => {
                // As if it had not begun: resumed, it is done again.
                self.restore(before);
                return Ok(None);
            }
            Err(UpdateError::Collective(error)) => return Err(error.into()),
        };
        self.check_agreement()?;
        self.check_finite(&losses, critic_losses.as_ref())?;
        let seconds = start.elapsed().as_secs_f64();
        self.progress.iteration += 1;
        self.progress.steps += collected as u64;
        self.progress.deals += rollout.ordinary.deals + rollout.scenarios.deals;
        self.progress.seconds += seconds;
        let threads = rayon::current_num_threads() * self.collective.size();
        if let Some(sum) = &mut self.progress.core_seconds {
            *sum += seconds * threads as f64;
        }
        let report = IterationReport {
            iteration: self.progress.iteration,
            total: self.total_iterations(),
            samples: collected,
            collect_seconds,
            learn_seconds: seconds - collect_seconds,
            losses,
            points: rollout.ordinary.mean_points(),
            other_points: rollout.ordinary.mean_points_of_others(),
        };
        let mut values = Values::default();
        values.add_charts(&report, &self.progress, plan.learning_rate);
        values.add_losses(&losses, explained, imitating);
        if self.anchor.is_some() && !imitating {
            values.add_anchor(&losses);
        }
        let teaches = self.config.defence.is_some() || self.config.sure_calls.is_some();
        if teaches && !imitating {
            values.add_taught(&losses);
        }
        if self.config.vine.is_some() && !imitating {
            values.add_vine(&losses);
        }
        values.add_critic(critic_losses.as_ref());
        let sets = self.house_rules.as_ref().map(HouseRules::named);
        values.add_deals(sets.unwrap_or(&[self.rules]), &rollout);
        Ok(Some((report, values.0)))
    }

    /// Learns from a rollout; returns the losses, and those of the critic if there is one.
    fn learn(
        &mut self,
        rollout: &mut Rollout,
        plan: &Update,
        imitating: bool,
    ) -> Result<(Losses, Option<Losses>), UpdateError> {
        let critic_losses = self.update_critic(rollout)?;
        let ppo = &self.config.ppo;
        match (ppo.norm_adv, ppo.norm_adv_by_contract, &self.house_rules) {
            (false, _, _) => {}
            (true, true, _) => normalise_advantages_by_contract(&mut rollout.samples),
            (true, false, Some(house)) => {
                normalise_advantages_by_rules(&mut rollout.samples, house);
            }
            (true, false, None) => normalise_advantages(&mut rollout.samples),
        }
        let warms_up = self.ppo_iterations() < self.config.ppo.value_warmup;
        if !imitating && !warms_up && self.config.ppo.policy_share < 1.0 {
            let counter = self.progress.iteration << 8 | SELECTION;
            let mut stream = Stream::new(self.config.seed, Purpose::Minibatch, counter);
            select(&mut rollout.samples, self.config.ppo.policy_share, &mut stream);
        }
        let team = Team { collective: self.collective.as_ref(), stop: Some(&self.stop) };
        let (weights, adam, average) = (&mut self.weights, &mut self.adam, self.average.as_mut());
        let samples = &rollout.samples;
        let losses = update(weights, adam, average, samples, plan, &self.device, team)?;
        Ok((losses, critic_losses))
    }

    /// All that an update changes.
    fn learned(&self) -> Learned {
        Learned {
            weights: self.weights.clone(),
            adam: self.adam.clone(),
            average: self.average.clone(),
            critic: self.critic.clone(),
        }
    }

    fn restore(&mut self, learned: Learned) {
        let Learned { weights, adam, average, critic } = learned;
        (self.weights, self.adam, self.average, self.critic) = (weights, adam, average, critic);
    }

    /// The rollout of all processes; none if one of them is interrupted.
    fn collect(&mut self, imitating: bool) -> Result<Option<Rollout>, TrainError> {
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
        let learns = !imitating && self.ppo_iterations() >= ppo.value_warmup;
        let lasts = ppo.baseline_iterations == 0 || self.ppo_iterations() < ppo.baseline_iterations;
        let play_on = self.play_on.as_ref().filter(|_| lasts);
        let critic = self.critic.as_ref().map(|(critic, _)| Arc::new(ForwardCritic::new(critic)));
        let plan = Plan {
            rules: self.rules,
            house_rules: self.house_rules.as_ref(),
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
            gae_lambda: play_on.and(ppo.baseline_lambda).unwrap_or(ppo.gae_lambda),
            baselines: match (play_on, &critic) {
                (Some(entry), _) => Baselines::PlayOn(entry),
                (_, Some(critic)) => Baselines::FullCritic(critic),
                _ => Baselines::ValueHead,
            },
            vine: self.config.vine.as_ref().filter(|_| learns).map_or_else(
                VineShares::default,
                |vine| VineShares { ordinary: vine.share, scenarios: vine.scenario_share },
            ),
            anchor: self.anchor.as_ref().filter(|_| !imitating),
            defence_nodes: self.config.defence.as_ref().filter(|_| !imitating).map(|d| d.nodes),
            sure_calls: self.config.sure_calls.is_some() && !imitating,
            positions: &[],
            stop: Some(&self.stop),
        };
        let (rank, size) = (self.collective.rank(), self.collective.size());
        let own = collect_chunks(&plan, self.load_balancer.of(rank, plan.chunks()))?;
        let stops = self.stop.load(Ordering::Relaxed);
        let (chunks, stops) = match size {
            1 => (own, stops),
            _ => self.exchange(own, stops)?,
        };
        // One that is interrupted interrupts all.
        Ok((!stops).then(|| chunks.merged()))
    }

    /// Gives this process's chunks to the others, and gets theirs. The second value says whether any of them is to stop.
    fn exchange(&mut self, own: Chunks, stops: bool) -> Result<(Chunks, bool), CollectiveError> {
        let unreadable = |rank, error: postcard::Error| CollectiveError::Unreadable {
            rank,
            reason: error.to_string(),
        };
        let own_rank = self.collective.rank();
        let bytes = postcard::to_stdvec(&(stops, &own));
        let bytes = bytes.map_err(|error| unreadable(own_rank, error))?;
        let mut paces = vec![(own.threads, own.seconds_of_one); self.collective.size()];
        let (mut all, mut any_stops) = (own, stops);
        for (rank, theirs) in self.collective.all_gather(&bytes)?.iter().enumerate() {
            if rank != own_rank {
                let (stops, chunks): (bool, Chunks) =
                    postcard::from_bytes(theirs).map_err(|error| unreadable(rank, error))?;
                paces[rank] = (chunks.threads, chunks.seconds_of_one);
                any_stops |= stops;
                all.add(chunks);
            }
        }
        // Chunks that were left out took no time, which says nothing.
        if !any_stops {
            for (rank, (threads, seconds)) in paces.into_iter().enumerate() {
                self.load_balancer.measured(rank, threads, seconds);
            }
        }
        Ok((all, any_stops))
    }

    /// Trains the critic that sees all hands, if there is one, on the outcomes.
    fn update_critic(&mut self, rollout: &Rollout) -> Result<Option<Losses>, UpdateError> {
        let Some(config) = &self.config.critic else { return Ok(None) };
        let total = (self.config.imitation_iterations() + self.config.iterations).max(1) as f32;
        let part = (self.progress.iteration as f32 / total).min(1.0);
        let plan = Update {
            learning_rate: between(config.learning_rate, config.learning_rate_end, part),
            epochs: config.update_epochs,
            ..self.update_plan(false)
        };
        let Some((critic, adam)) = &mut self.critic else { return Ok(None) };
        let team = Team { collective: self.collective.as_ref(), stop: Some(&self.stop) };
        update_critic(critic, adam, &rollout.samples, &plan, team).map(Some)
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

    /// Writes a checkpoint: the weights that learn, not their average, and all else that is needed to resume.
    ///
    /// # Errors
    /// It cannot be written; the previous one is then kept.
    pub fn save_checkpoint(&self) -> Result<(), TrainError> {
        let saved = self.saved()?;
        self.write(|| run_folder::save(&self.run, &saved))
    }

    /// Where the finished bot is written.
    pub fn bot_path(&self) -> PathBuf {
        self.run.join(BOT)
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
