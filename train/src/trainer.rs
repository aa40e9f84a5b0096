//! The training loop: collect, learn, evaluate, save; resumable at every checkpoint.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, ensure};
use burn::tensor::Device;
use troel_agents::network::{self, BotInfo, Bundle, Evaluator, MatchSummary, Weights};
use troel_agents::{Entry, find_rules};
use troel_env::{ContractKind, RuleSet, Scenario};
use troel_eval::{Format, Match, MatchConfig, Report, Scope, play_match};

use crate::adam::Adam;
use crate::config::TrainConfig;
use crate::learner::{Losses, Objective, Update, explained_variance, normalise_advantages, update};
use crate::metrics::Metrics;
use crate::rollout::{Learner, Plan, Rollout, Summary, TableKind, collect};
use crate::saved::{self, Progress};

/// Name of the checkpoint folder within a run.
pub const CHECKPOINT: &str = "checkpoint";
/// Name of the finished bot's folder within a run.
pub const BOT: &str = "bot";

/// Where a bot comes from; kept in its description.
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
    device: Device,
    run: PathBuf,
    origin: Origin,
    weights: Weights,
    adam: Adam,
    pool: VecDeque<Weights>,
    progress: Progress,
    evaluation: Vec<MatchSummary>,
    bots: Vec<Entry>,
    teacher: Option<Entry>,
    critic: Option<Entry>,
}

/// What a finished iteration tells a watcher.
#[derive(Clone, Debug)]
pub struct IterationReport {
    /// Iterations done, imitation included.
    pub iteration: u64,
    /// Iterations in all.
    pub total: u64,
    /// Decisions learnt from in this iteration.
    pub samples: usize,
    /// Seconds of collection.
    pub collect_seconds: f64,
    /// Seconds of learning.
    pub learn_seconds: f64,
    /// Losses.
    pub losses: Losses,
    /// Mean points of a learning seat.
    pub points: f64,
}

impl Trainer {
    /// Starts a run in a fresh folder.
    ///
    /// # Errors
    /// The configuration does not hold together, or the folder holds a run already.
    pub fn start(config: TrainConfig, origin: Origin) -> anyhow::Result<Trainer> {
        let run = PathBuf::from(&config.run);
        ensure!(
            !run.join(CHECKPOINT).exists() && !run.join(BOT).exists(),
            "{} holds a run already; go on with --resume, or name another folder with --run",
            run.display()
        );
        let weights = config.initial_weights()?;
        Trainer::with(config, origin, weights, None)
    }

    /// Goes on where the last checkpoint of the run was written.
    ///
    /// # Errors
    /// There is no checkpoint, it is damaged, or it belongs to another configuration.
    pub fn resume(config: TrainConfig, origin: Origin) -> anyhow::Result<Trainer> {
        let path = network::bundle::recover(&Path::new(&config.run).join(CHECKPOINT));
        ensure!(
            path.exists(),
            "{} holds no checkpoint; start without --resume",
            Path::new(&config.run).display()
        );
        let saved = saved::load(&path)?;
        let wanted = config_table(&config)?;
        ensure!(
            saved.bundle.info.training == wanted,
            "{}: the configuration has changed since the checkpoint was written; go back to it, \
             or start a new run with --run",
            path.display()
        );
        let weights = saved.bundle.weights.clone();
        Trainer::with(config, origin, weights, Some(saved))
    }

    fn with(
        config: TrainConfig,
        origin: Origin,
        weights: Weights,
        saved: Option<saved::Saved>,
    ) -> anyhow::Result<Trainer> {
        config.check().map_err(anyhow::Error::msg)?;
        let rules = find_rules(&config.rules).map_err(anyhow::Error::msg)?;
        if let Some(saved) = &saved {
            saved.bundle.info.check_rules(Path::new(&config.run), rules)?;
        }
        let device = network::device(&config.device).map_err(anyhow::Error::msg)?;
        let find = |name: &str| Entry::find(name, rules).with_context(|| format!("bot {name}"));
        let named = |t: &&crate::config::TableConfig| t.opponent != "self" && t.opponent != "past";
        let bots = config.tables.iter().filter(named).map(|t| find(&t.opponent));
        let bots = bots.collect::<anyhow::Result<Vec<_>>>()?;
        let teacher = config.imitation.as_ref().map(|i| find(&i.bot)).transpose()?;
        let critic = match config.ppo.critic.as_str() {
            "" => None,
            name => Some(find(name)?),
        };
        for name in &config.eval.baselines {
            find(name)?;
        }
        let run = PathBuf::from(&config.run);
        std::fs::create_dir_all(&run).with_context(|| run.display().to_string())?;
        let (adam, pool, progress, evaluation) = match saved {
            Some(s) => (s.adam, s.pool.into(), s.progress, s.bundle.info.evaluation),
            None => {
                (Adam::new(weights.values.len()), VecDeque::new(), Progress::default(), Vec::new())
            }
        };
        Ok(Trainer {
            config,
            rules,
            device,
            run,
            origin,
            weights,
            adam,
            pool,
            progress,
            evaluation,
            bots,
            teacher,
            critic,
        })
    }

    /// The folder of the run.
    pub fn run_folder(&self) -> &Path {
        &self.run
    }

    /// Current weights.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// Iterations done.
    pub fn iteration(&self) -> u64 {
        self.progress.iteration
    }

    /// Iterations in all, imitation included.
    pub fn total_iterations(&self) -> u64 {
        self.config.imitation_iterations() + self.config.iterations
    }

    /// Trains until `until` iterations are done (or all), telling `watch` of each, and saves
    /// checkpoints on the way.
    ///
    /// # Errors
    /// A checkpoint cannot be written.
    pub fn train(
        &mut self,
        until: u64,
        mut watch: impl FnMut(&IterationReport),
    ) -> anyhow::Result<()> {
        let mut metrics = Metrics::new(&self.run, self.config.tensorboard, self.progress.iteration);
        let until = until.min(self.total_iterations());
        while self.progress.iteration < until {
            let (report, values) = self.iterate();
            let done = self.progress.iteration;
            let due = |every: u64| every > 0 && done.is_multiple_of(every);
            if done > self.config.imitation_iterations() && due(self.config.pool.every) {
                self.pool.push_back(self.weights.clone());
                if self.pool.len() > self.config.pool.size {
                    self.pool.pop_front();
                }
            }
            let mut values = values;
            if due(self.config.eval.every) && done < self.total_iterations() {
                values.extend(self.evaluate_on_the_way()?);
            }
            // A checkpoint is worth more than a metric: it comes first.
            if due(self.config.checkpoint_every) || done == until {
                self.save_checkpoint()?;
            }
            metrics.write(done, &values);
            watch(&report);
        }
        Ok(())
    }

    fn iterate(&mut self) -> (IterationReport, Vec<(String, f64)>) {
        let start = Instant::now();
        let imitating = self.progress.iteration < self.config.imitation_iterations();
        let mut rollout = self.collect(imitating);
        let collect_seconds = start.elapsed().as_secs_f64();
        let explained = explained_variance(&rollout.samples);
        if self.config.ppo.norm_adv {
            normalise_advantages(&mut rollout.samples);
        }
        let plan = self.update_plan(imitating);
        let losses =
            update(&mut self.weights, &mut self.adam, &rollout.samples, &plan, &self.device);
        let seconds = start.elapsed().as_secs_f64();
        self.progress.iteration += 1;
        self.progress.steps += rollout.samples.len() as u64;
        self.progress.deals += rollout.summary.deals;
        self.progress.seconds += seconds;
        let report = IterationReport {
            iteration: self.progress.iteration,
            total: self.total_iterations(),
            samples: rollout.samples.len(),
            collect_seconds,
            learn_seconds: seconds - collect_seconds,
            losses,
            points: rollout.summary.points as f64 / rollout.summary.seats.max(1) as f64,
        };
        let mut values = vec![
            ("charts/learning_rate".to_string(), f64::from(plan.learning_rate)),
            ("losses/explained_variance".to_string(), explained),
        ];
        self.add_values(&mut values, &report, &rollout.summary);
        (report, values)
    }

    fn collect(&self, imitating: bool) -> Rollout {
        let mut opponents = self.bots.clone();
        let past = opponents.len()..opponents.len() + self.pool.len();
        let past_selves = self.pool.iter().map(|w| Evaluator::on(w, &self.device));
        opponents.extend(past_selves.map(|past| Entry::sampling_network("past", past)));
        let kinds: Vec<TableKind> = if imitating {
            Vec::new()
        } else {
            let mut bot = 0;
            let kind = self.config.tables.iter().map(|table| TableKind {
                weight: table.weight,
                learners: table.learners,
                opponents: match table.opponent.as_str() {
                    "self" => Vec::new(),
                    // Until there is a past, all four seats learn.
                    "past" => past.clone().collect(),
                    _ => {
                        bot += 1;
                        vec![bot - 1]
                    }
                },
            });
            kind.collect()
        };
        let suites: Vec<(Scenario, f32)> = self
            .config
            .suites
            .iter()
            .filter_map(|s| Some((Scenario::parse(&s.suite)?, s.share)))
            .collect();
        let evaluator = Evaluator::on(&self.weights, &self.device);
        let learner = match &self.teacher {
            Some(teacher) if imitating => Learner::Bot(teacher),
            _ => Learner::Network(&evaluator),
        };
        collect(&Plan {
            rules: self.rules,
            seed: self.config.seed,
            iteration: self.progress.iteration,
            deals: self.config.deals,
            series: self.config.series,
            learner,
            kinds: &kinds,
            opponents: &opponents,
            suites: &suites,
            reward: self.config.reward,
            reward_scale: self.config.reward_scale,
            gae_lambda: self.config.ppo.gae_lambda,
            critic: self.critic.as_ref().filter(|_| !imitating),
            positions: &[],
        })
    }

    fn update_plan(&self, imitating: bool) -> Update {
        let ppo = &self.config.ppo;
        let done = self.progress.iteration.saturating_sub(self.config.imitation_iterations());
        let part = done as f32 / self.config.iterations.max(1) as f32;
        let between = |start: f32, end: f32| start + (end - start) * part.min(1.0);
        let (objective, learning_rate, epochs) = match &self.config.imitation {
            Some(imitation) if imitating => (
                Objective::Imitate {
                    label_smoothing: imitation.label_smoothing,
                    vf_coef: ppo.vf_coef,
                },
                imitation.learning_rate,
                imitation.update_epochs,
            ),
            _ => (
                Objective::Ppo {
                    clip_coef: ppo.clip_coef,
                    ent_coef: between(ppo.ent_coef, ppo.ent_coef_end),
                    vf_coef: ppo.vf_coef,
                    policy_coef: if done < ppo.critic_warmup { 0.0 } else { 1.0 },
                },
                between(ppo.learning_rate, ppo.learning_rate_end),
                ppo.update_epochs,
            ),
        };
        Update {
            objective,
            learning_rate,
            epochs,
            minibatch_size: ppo.minibatch_size,
            shards: ppo.shards,
            max_grad_norm: ppo.max_grad_norm,
            target_kl: ppo.target_kl,
            seed: self.config.seed,
            iteration: self.progress.iteration,
        }
    }

    fn add_values(
        &self,
        values: &mut Vec<(String, f64)>,
        report: &IterationReport,
        summary: &Summary,
    ) {
        let l = &report.losses;
        let seconds = report.collect_seconds + report.learn_seconds;
        let deals = summary.deals.max(1) as f64;
        let plain = [
            ("charts/SPS", report.samples as f64 / seconds),
            ("charts/collect_seconds", report.collect_seconds),
            ("charts/learn_seconds", report.learn_seconds),
            ("charts/episodic_return", report.points),
            ("charts/global_step", self.progress.steps as f64),
            ("losses/policy_loss", l.policy_loss),
            ("losses/value_loss", l.value_loss),
            ("losses/entropy", l.entropy),
            ("losses/approx_kl", l.approx_kl),
            ("losses/clipfrac", l.clipfrac),
            ("losses/grad_norm", l.grad_norm),
            ("bids/void", summary.void as f64 / deals),
        ];
        values.extend(plain.map(|(name, value)| (name.to_string(), value)));
        for kind in ContractKind::ALL {
            let i = kind.index();
            if !self.rules.rows().iter().any(|row| row.kind == kind) {
                continue;
            }
            values.push((format!("bids/{}", kind.name()), summary.played[i] as f64 / deals));
            if summary.declared[i] > 0 {
                let rate = summary.made[i] as f64 / summary.declared[i] as f64;
                values.push((format!("made/{}", kind.name()), rate));
            }
        }
    }

    fn evaluate_on_the_way(&mut self) -> anyhow::Result<Vec<(String, f64)>> {
        let report = self.evaluate(self.config.eval.deals, &self.config.eval.baselines, &|_| {})?;
        let mut values = Vec::new();
        for m in &report.matches {
            tracing::info!(
                "iteration {}: {:+.2} ± {:.2} points per deal against {}",
                self.progress.iteration,
                m.points_per_deal,
                m.detail.difference.half_width(),
                m.baseline
            );
            values.push((format!("eval/{}", m.baseline), m.points_per_deal));
        }
        Ok(values)
    }

    /// Judges the current weights against each baseline.
    ///
    /// # Errors
    /// A baseline is not to be found.
    pub fn evaluate(
        &self,
        deals: u64,
        baselines: &[String],
        progress: &(dyn Fn(u64) + Sync),
    ) -> anyhow::Result<Report> {
        let config = MatchConfig {
            rules: self.rules,
            deals: (0, deals),
            seed: self.config.eval.seed,
            scenario: Scenario::Any,
            scope: Scope::Full,
            format: Format::OneVsThree,
            regret: false,
        };
        let challenger = Entry::network("trained", Evaluator::on(&self.weights, &self.device));
        let fixed = Entry::find("rules", self.rules)?;
        let mut report = Report::new(&config, "any");
        for name in baselines {
            let baseline = Entry::find(name, self.rules)?;
            let result = play_match(&config, &challenger, &baseline, &fixed, progress);
            report.matches.push(Match::new("trained", name, config.scope.name(), result));
        }
        Ok(report)
    }

    /// Takes the results of an evaluation into the bot's description.
    pub fn add_evaluation(&mut self, report: &Report) {
        self.evaluation.extend(report.matches.iter().map(|m| MatchSummary {
            baseline: m.baseline.clone(),
            scope: m.scope.clone(),
            points_per_deal: m.points_per_deal,
            ci95: m.detail.difference.ci95(),
            deals: m.deals,
            seed: report.seed,
        }));
    }

    /// The bot as it stands.
    ///
    /// # Errors
    /// The configuration cannot be written as TOML.
    pub fn bundle(&self) -> anyhow::Result<Bundle> {
        let config = &self.config;
        let mut info = BotInfo::new(self.rules, config.network, config.reward_scale, config.seed);
        info.deals = self.progress.deals;
        info.steps = self.progress.steps;
        info.train_seconds = self.progress.seconds;
        info.command.clone_from(&self.origin.command);
        info.commit.clone_from(&self.origin.commit);
        info.evaluation.clone_from(&self.evaluation);
        info.training = config_table(config)?;
        Ok(Bundle { info, weights: self.weights.clone() })
    }

    /// Writes a checkpoint: the bot, and all that is needed to go on.
    ///
    /// # Errors
    /// It cannot be written; the one before is still there then.
    pub fn save_checkpoint(&self) -> anyhow::Result<()> {
        let path = self.run.join(CHECKPOINT);
        let pool: Vec<&Weights> = self.pool.iter().collect();
        saved::save(&path, &self.bundle()?, &self.adam, &pool, &self.progress)?;
        Ok(())
    }

    /// Writes the finished bot.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn save_bot(&self) -> anyhow::Result<PathBuf> {
        let path = self.run.join(BOT);
        self.bundle()?.save(&path)?;
        Ok(path)
    }
}

fn config_table(config: &TrainConfig) -> anyhow::Result<toml::Table> {
    Ok(toml::Table::try_from(config)?)
}
