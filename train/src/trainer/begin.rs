//! How a run begins, and how it goes on.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use troel_agents::{Registry, find_rules, network};
use troel_env::RuleSet;
use troel_nn::bundle::INFO;
use troel_nn::{Bundle, BundleError, Critic, Weights};

use super::bots::Bots;
use super::{Origin, Trainer, config_table};
use crate::collective::{Collective, CollectiveError, Local};
use crate::config::{CriticConfig, TrainConfig};
use crate::error::{ConfigError, TrainError};
use crate::house_rules::HouseRules;
use crate::load_balancer::LoadBalancer;
use crate::lock::Lock;
use crate::optimiser::{Adam, Average};
use crate::recipe_diff::{changed_keys, differing_keys};
use crate::run_folder::{self, BOT, Candidate, Progress, Saved};

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
        Trainer::start_among(config, origin, registry, Arc::new(Local))
    }

    /// The same in each of several processes that see the same files. The bot is that of one process, bit for bit.
    ///
    /// # Errors
    /// As for [`Trainer::start`], or the processes do not fit together.
    pub fn start_among(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
        collective: Arc<dyn Collective>,
    ) -> Result<Trainer, TrainError> {
        let mut lock = None;
        if collective.is_first() {
            Trainer::check_start(&config, &registry)?;
            let run = Path::new(&config.run);
            lock = Some(Lock::take(run)?);
            // Again, now that no other process can begin.
            if Trainer::can_resume(&config) {
                return Err(TrainError::RunExists(run.to_path_buf()));
            }
        }
        collective.wait()?;
        let (weights, before) = config.initial()?;
        let mut trainer =
            Trainer::with(config, origin, registry, (collective, lock), weights, None)?;
        let rule_sets = trainer.progress.rule_sets;
        trainer.progress = Progress { rule_sets, even_minibatches: true, ..before };
        trainer.check_fit()?;
        Ok(trainer)
    }

    /// Checks that all processes train the same: program, recipe, rules, and what they begin with.
    fn check_fit(&self) -> Result<(), TrainError> {
        let build = format!("{} {}", env!("CARGO_PKG_VERSION"), self.origin.commit);
        self.collective.agree("version of the program", build)?;
        let recipe = config_table(&self.config)?.to_string();
        let recipes = self.collective.all_gather(recipe.as_bytes())?;
        if let Some(rank) = recipes.iter().position(|other| *other != recipes[0]) {
            let table = |bytes: &[u8]| String::from_utf8_lossy(bytes).parse().unwrap_or_default();
            let keys = differing_keys(&table(&recipes[0]), &table(&recipes[rank])).join(", ");
            if !keys.is_empty() {
                return Err(CollectiveError::Recipe { rank, keys }.into());
            }
        }
        self.collective.agree("recipe", blake3::hash(recipe.as_bytes()))?;
        self.collective.agree("rule sets", &self.progress.rule_sets)?;
        self.collective.agree("number of iterations done", self.progress.iteration)?;
        Ok(self.check_agreement()?)
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
        if Trainer::can_resume(config) || troel_files::recover(&run.join(BOT)).exists() {
            return Err(TrainError::RunExists(run.to_path_buf()));
        }
        config.check()?;
        // Refused now, not when the first checkpoint is written.
        config_table(config)?;
        network::device(&config.device)?;
        let rules = find_rules(&config.rules)?;
        let house_rules = HouseRules::of(config, rules)?;
        Bots::find(config, rules, house_rules.as_ref(), registry).map(|_| ())
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
        let path = troel_files::recover(&Path::new(&config.run).join(BOT));
        if !path.exists() {
            return Ok(None);
        }
        let then = with_defaults(&Bundle::load(&path)?.info.training);
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
        Trainer::resume_among(config, origin, registry, Arc::new(Local))
    }

    /// The same in each of several processes that see the same files; their number may differ from before.
    ///
    /// # Errors
    /// As for [`Trainer::resume`], or the processes do not fit together.
    pub fn resume_among(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
        collective: Arc<dyn Collective>,
    ) -> Result<Trainer, TrainError> {
        let run = Path::new(&config.run);
        if !run.exists() {
            return Err(TrainError::NoCheckpoint(run.to_path_buf()));
        }
        let is_first = collective.is_first();
        let lock = is_first.then(|| Lock::take(run)).transpose()?;
        // The first sets aside what is damaged before the others look.
        if !is_first {
            collective.wait()?;
        }
        let mut damaged: Option<BundleError> = None;
        let mut passed_over: Vec<PathBuf> = Vec::new();
        for Candidate { path, .. } in run_folder::checkpoints(run) {
            match Trainer::load(&config, &path) {
                Ok(saved) => {
                    if !passed_over.is_empty() {
                        tracing::warn!("resuming from {} instead", path.display());
                    }
                    if is_first {
                        passed_over.iter().for_each(|path| run_folder::set_aside(path));
                        collective.wait()?;
                    }
                    let (among, weights) = ((collective, lock), saved.bundle.weights.clone());
                    let trainer =
                        Trainer::with(config, origin, registry, among, weights, Some(saved))?;
                    trainer.check_fit()?;
                    return Ok(trainer);
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
            None if troel_files::recover(&run.join(BOT)).exists() => TrainError::OnlyBot(run),
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
        let critic = config.critic.as_ref().map(CriticConfig::network);
        let decay = Some(config.ppo.ema_decay).filter(|&decay| decay > 0.0);
        let saved = run_folder::load(path, bundle, critic, decay)?;
        let total = config.imitation_iterations() + config.iterations;
        if total < saved.progress.iteration {
            let (path, done) = (path.to_path_buf(), saved.progress.iteration);
            return Err(TrainError::TooShort { path, done, total });
        }
        Ok(saved)
    }

    fn with(
        config: TrainConfig,
        origin: Origin,
        registry: Registry,
        (collective, lock): (Arc<dyn Collective>, Option<Lock>),
        weights: Weights,
        saved: Option<Saved>,
    ) -> Result<Trainer, TrainError> {
        config.check()?;
        let rules = find_rules(&config.rules)?;
        let device = network::device(&config.device)?;
        let house_rules = HouseRules::of(&config, rules)?;
        let rule_sets = rule_sets(rules, house_rules.as_ref());
        if let Some(saved) = &saved {
            saved.bundle.info.check_rules(Path::new(&config.run), rules)?;
            let before = &saved.progress.rule_sets;
            if !before.is_empty() && *before != rule_sets {
                let fault = "rules, house_rules: a rule file has other rules than when the run began; put them back, or begin a new run";
                return Err(ConfigError(fault.to_string()).into());
            }
        }
        let Bots { bots, teacher, play_on, anchor } =
            Bots::find(&config, rules, house_rules.as_ref(), &registry)?;
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
            house_rules,
            device,
            run,
            origin,
            weights,
            adam,
            pool: VecDeque::new(),
            progress: Progress::default(),
            evaluation: Vec::new(),
            answers: Vec::new(),
            problems: OnceLock::new(),
            registry,
            bots,
            teacher,
            play_on,
            anchor,
            critic,
            average,
            stop: Arc::default(),
            load_balancer: LoadBalancer::new(collective.size()),
            collective,
            lock,
        };
        if let Some(saved) = saved {
            trainer.adam = saved.adam;
            trainer.pool = saved.pool.into();
            trainer.progress = saved.progress;
            trainer.evaluation = saved.bundle.info.evaluation;
            trainer.answers = saved.bundle.info.problems;
            trainer.critic = saved.critic;
            trainer.average = saved.average;
        }
        trainer.progress.rule_sets = rule_sets;
        Ok(trainer)
    }
}

/// Stands for all rule sets of a run: 16 hexadecimal digits.
fn rule_sets(rules: &RuleSet, house: Option<&HouseRules>) -> String {
    let others = house.into_iter().flat_map(|house| house.named().iter().chain(house.drawn()));
    let hashes: Vec<&str> = [rules.hash()].into_iter().chain(others.map(|r| r.hash())).collect();
    blake3::hash(hashes.concat().as_bytes()).to_hex()[..16].to_string()
}

/// The recipe of a bot, with the defaults of keys that were added since.
fn with_defaults(recipe: &toml::Table) -> toml::Table {
    let read = recipe.clone().try_into().ok().and_then(|read| config_table(&read).ok());
    read.unwrap_or_else(|| recipe.clone())
}

/// Refuses a recipe that differs from the checkpoint's in keys that must stay the same.
fn check_unchanged(config: &TrainConfig, path: &Path, bundle: &Bundle) -> Result<(), TrainError> {
    let then = with_defaults(&bundle.info.training);
    let keys = changed_keys(&then, &config_table(config)?);
    match keys.is_empty() {
        true => Ok(()),
        false => Err(TrainError::Changed { path: path.to_path_buf(), keys: keys.join(", ") }),
    }
}
