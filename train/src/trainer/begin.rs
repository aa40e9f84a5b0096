//! Start and resumption of a run.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use troel_agents::{Registry, find_rules, network};
use troel_env::RuleSet;
use troel_nn::bundle::INFO_FILE;
use troel_nn::{Bundle, BundleError};

use super::bots::Bots;
use super::initial_state::initial_state;
use super::{Provenance, Trainer};
use crate::checkpoint::{self, CheckpointCandidate, RunProgress, RunState};
use crate::collective::{Collective, CollectiveError};
use crate::config::{CriticConfig, TrainConfig};
use crate::error::{ConfigError, TrainError};
use crate::load_balancer::LoadBalancer;
use crate::lock::Lock;
use crate::recipe_diff::{changed_keys, differing_keys};
use crate::rule_set_pool::RuleSetPool;
use crate::run_folder::BOT_FOLDER;

impl Trainer {
    /// Starts a run in a new folder. The bots that the recipe names are looked up in the registry.
    ///
    /// Each process of `collective` calls this, and all see the same files. The result is
    /// bit-identical to a run with one process ([`SingleProcess`](crate::SingleProcess)).
    ///
    /// # Errors
    /// The recipe is invalid, a bot or file that it names cannot be used, the folder already holds
    /// a run, or the processes do not fit together.
    pub fn start(
        config: TrainConfig,
        provenance: Provenance,
        registry: Registry,
        collective: Arc<dyn Collective>,
    ) -> Result<Trainer, TrainError> {
        let mut lock = None;
        if collective.is_first() {
            Trainer::check_start(&config, &registry)?;
            let run = Path::new(&config.run);
            lock = Some(Lock::take(run)?);
            // Checked again, now that no other process can start the run.
            if Trainer::can_resume(&config) {
                return Err(TrainError::RunExists(run.to_path_buf()));
            }
        }
        collective.wait()?;
        let state = initial_state(&config)?;
        Trainer::from_state(config, provenance, registry, collective, lock, state)
    }

    /// Checks that all processes have the same program, recipe, rules and weights.
    fn check_fit(&self) -> Result<(), TrainError> {
        let build = format!("{} {}", env!("CARGO_PKG_VERSION"), self.provenance.commit);
        self.collective.agree("version of the program", build)?;
        let recipe = self.config.to_table()?.to_string();
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

    /// Checks that a run can begin, except for the checkpoint that it starts from.
    ///
    /// # Errors
    /// As for [`Trainer::start`].
    pub fn check_start(config: &TrainConfig, registry: &Registry) -> Result<(), TrainError> {
        let run = Path::new(&config.run);
        if run.join(INFO_FILE).exists() {
            return Err(TrainError::BotFolder(run.to_path_buf()));
        }
        if Trainer::can_resume(config) || troel_files::recover(&run.join(BOT_FOLDER)).exists() {
            return Err(TrainError::RunExists(run.to_path_buf()));
        }
        config.check()?;
        // A recipe that TOML cannot hold is refused now, not when the first checkpoint is written.
        config.to_table()?;
        network::device(&config.device)?;
        let rules = find_rules(&config.rules)?;
        let rule_set_pool = RuleSetPool::from_recipe(config, rules)?;
        Bots::find(config, rules, rule_set_pool.as_ref(), registry).map(|_| ())
    }

    /// Checks that a run can resume with this recipe. The checkpoint that it started from is not
    /// checked.
    ///
    /// # Errors
    /// A key of the recipe changed that must stay the same.
    pub fn check_resume(config: &TrainConfig) -> Result<(), TrainError> {
        // Damaged checkpoints are skipped, as on resuming.
        let load = |candidate: CheckpointCandidate| {
            Bundle::load(&candidate.path).ok().map(|b| (candidate, b))
        };
        let mut whole = checkpoint::candidates(Path::new(&config.run)).into_iter().filter_map(load);
        match whole.next() {
            Some((CheckpointCandidate { path, .. }, bundle)) => {
                check_unchanged(config, &path, &bundle)
            }
            None => Ok(()),
        }
    }

    /// Returns whether the folder of the recipe's run has a checkpoint to resume from.
    pub fn can_resume(config: &TrainConfig) -> bool {
        !checkpoint::candidates(Path::new(&config.run)).is_empty()
    }

    /// Returns the bot in the folder of the recipe's run, if the run is finished.
    ///
    /// # Errors
    /// The bot is damaged, or another recipe trained it.
    pub fn finished(config: &TrainConfig) -> Result<Option<PathBuf>, TrainError> {
        let path = troel_files::recover(&Path::new(&config.run).join(BOT_FOLDER));
        if !path.exists() {
            return Ok(None);
        }
        let old = with_defaults(&Bundle::load(&path)?.info.training);
        let new = config.to_table()?;
        let mut keys = changed_keys(&old, &new);
        // A run may be resumed with another number of iterations, a finished bot may not.
        if let (Some(was), Some(is)) = (old.get("iterations"), new.get("iterations"))
            && was != is
        {
            keys.push(format!("iterations (was {was}, is {is})"));
        }
        if keys.is_empty() {
            Ok(Some(path))
        } else {
            Err(TrainError::RecipeChanged { path, keys: keys.join(", ") })
        }
    }

    /// Resumes the run at its last checkpoint. Damaged checkpoints are skipped with a warning.
    ///
    /// The number of iterations, evaluation, logging, checkpoint intervals, the folder and the
    /// number of processes may differ from before. The learning rate, the entropy bonus and the
    /// weights of anchor and defence follow the new number of iterations.
    ///
    /// # Errors
    /// No checkpoint is whole, another key of the recipe changed since, another process trains the
    /// run, or the processes do not fit together.
    pub fn resume(
        config: TrainConfig,
        provenance: Provenance,
        registry: Registry,
        collective: Arc<dyn Collective>,
    ) -> Result<Trainer, TrainError> {
        let run = Path::new(&config.run);
        if !run.exists() {
            return Err(TrainError::NoCheckpoint(run.to_path_buf()));
        }
        let is_first = collective.is_first();
        let lock = is_first.then(|| Lock::take(run)).transpose()?;
        // The first process sets damaged checkpoints aside before the others look.
        if !is_first {
            collective.wait()?;
        }
        let mut damaged: Option<BundleError> = None;
        let mut skipped: Vec<PathBuf> = Vec::new();
        for CheckpointCandidate { path, .. } in checkpoint::candidates(run) {
            match Trainer::load(&config, &path) {
                Ok(state) => {
                    if !skipped.is_empty() {
                        tracing::warn!("resuming from {} instead", path.display());
                    }
                    if is_first {
                        skipped.iter().for_each(|path| checkpoint::set_aside(path));
                        collective.wait()?;
                    }
                    return Trainer::from_state(
                        config, provenance, registry, collective, lock, state,
                    );
                }
                Err(TrainError::Bundle(
                    error @ (BundleError::Damaged { .. } | BundleError::Io(_)),
                )) => {
                    tracing::warn!("{error}");
                    damaged = damaged.or(Some(error));
                    skipped.push(path);
                }
                Err(error) => return Err(error),
            }
        }
        let run = run.to_path_buf();
        Err(match damaged {
            Some(error) => TrainError::AllDamaged { run, error },
            None if troel_files::recover(&run.join(BOT_FOLDER)).exists() => {
                TrainError::OnlyBot(run)
            }
            None => TrainError::NoCheckpoint(run),
        })
    }

    /// Reads a checkpoint, and checks that the recipe can resume from it.
    fn load(config: &TrainConfig, path: &Path) -> Result<RunState, TrainError> {
        let bundle = Bundle::load(path)?;
        if !bundle.info.has_checksums() {
            tracing::warn!("{} has no checksums: damage would not be noticed", path.display());
        }
        check_unchanged(config, path, &bundle)?;
        let critic = config.critic.as_ref().map(CriticConfig::network);
        let decay = Some(config.ppo.ema_decay).filter(|&decay| decay > 0.0);
        let state = checkpoint::load(path, bundle, critic, decay)?;
        let total = config.imitation_iterations() + config.iterations;
        if total < state.progress.iteration {
            let (path, done) = (path.to_path_buf(), state.progress.iteration);
            return Err(TrainError::TooFewIterations { path, done, total });
        }
        Ok(state)
    }

    /// Returns the trainer of a run in this state, and checks that all processes train the same.
    fn from_state(
        config: TrainConfig,
        provenance: Provenance,
        registry: Registry,
        collective: Arc<dyn Collective>,
        lock: Option<Lock>,
        state: RunState,
    ) -> Result<Trainer, TrainError> {
        config.check()?;
        let rules = find_rules(&config.rules)?;
        let device = network::device(&config.device)?;
        let rule_set_pool = RuleSetPool::from_recipe(&config, rules)?;
        let rule_sets = rule_sets(rules, rule_set_pool.as_ref());
        let RunState { info, train_state, pool, progress } = state;
        info.check_rules(Path::new(&config.run), rules)?;
        if !progress.rule_sets.is_empty() && progress.rule_sets != rule_sets {
            let fault = "rules, house_rules: a rule file has other rules than when the run began; \
             put them back, or begin a new run";
            return Err(ConfigError::invalid(fault).into());
        }
        let bots = Bots::find(&config, rules, rule_set_pool.as_ref(), &registry)?;
        let trainer = Trainer {
            run: PathBuf::from(&config.run),
            config,
            rules,
            rule_set_pool,
            device,
            provenance,
            train_state,
            pool: pool.into(),
            progress: RunProgress { rule_sets, ..progress },
            evaluation: info.evaluation,
            answers: info.problems,
            problems: OnceLock::new(),
            registry,
            bots,
            stop: Arc::default(),
            load_balancer: LoadBalancer::new(collective.size()),
            collective,
            lock,
        };
        trainer.check_fit()?;
        Ok(trainer)
    }
}

/// Returns a hash of all rule sets of a run: 16 hexadecimal digits.
fn rule_sets(rules: &RuleSet, pool: Option<&RuleSetPool>) -> String {
    let others = pool.into_iter().flat_map(|pool| pool.named().iter().chain(pool.drawn()));
    let hashes: Vec<&str> = [rules.hash()].into_iter().chain(others.map(|r| r.hash())).collect();
    blake3::hash(hashes.concat().as_bytes()).to_hex()[..16].to_string()
}

/// Returns the recipe of a bot, with the defaults of keys that later versions added.
fn with_defaults(recipe: &toml::Table) -> toml::Table {
    let read: Option<TrainConfig> = recipe.clone().try_into().ok();
    let table = read.and_then(|read| read.to_table().ok());
    table.unwrap_or_else(|| recipe.clone())
}

/// Refuses a recipe that differs from the checkpoint's in keys that must stay the same.
fn check_unchanged(config: &TrainConfig, path: &Path, bundle: &Bundle) -> Result<(), TrainError> {
    let old = with_defaults(&bundle.info.training);
    let keys = changed_keys(&old, &config.to_table()?);
    if keys.is_empty() {
        Ok(())
    } else {
        Err(TrainError::RecipeChanged { path: path.to_path_buf(), keys: keys.join(", ") })
    }
}
