//! Start and resumption of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use troel_agents::{Registry, network};
use troel_nn::bundle::INFO_FILE;
use troel_nn::{BotInfo, Bundle, BundleError};

use super::bots::Bots;
use super::evaluations::Evaluations;
use super::initial_state::initial_state;
use super::processes::Processes;
use super::run_files::RunFiles;
use super::run_rules::RunRules;
use super::{Provenance, Trainer};
use crate::checkpoint::{self, CheckpointCandidate, RunProgress, RunState};
use crate::collective::Collective;
use crate::config::{CriticConfig, TrainConfig};
use crate::error::{ConfigError, TrainError};
use crate::lock::Lock;
use crate::recipe_diff::changed_keys;
use crate::reward::DealReward;
use crate::run_folder::BOT_FOLDER;

impl Trainer {
    /// Starts a run in a new folder. The bots that the recipe names are looked up in the registry.
    ///
    /// Each process of `collective` calls this, and all see the same files. The result is
    /// bit-identical to a run with one process ([`SingleProcess`](crate::SingleProcess)).
    ///
    /// # Errors
    /// - The recipe is invalid, or a bot or file that it names cannot be used.
    /// - The folder already holds a run.
    /// - The processes do not fit together.
    pub fn start(
        config: TrainConfig,
        provenance: Provenance,
        registry: Registry,
        collective: Arc<dyn Collective>,
    ) -> Result<Trainer, TrainError> {
        if collective.is_first() {
            Trainer::check_start(&config, &registry)?;
        }
        // Before the folder is created: a refused run leaves nothing behind.
        let state = initial_state(&config)?;
        let mut lock = None;
        if collective.is_first() {
            let run = Path::new(&config.run);
            lock = Some(Lock::take(run)?);
            // Checked again, now that no other process can start the run.
            if Trainer::can_resume(&config) {
                return Err(TrainError::RunExists(run.to_path_buf()));
            }
        }
        collective.wait()?;
        Trainer::from_state(config, provenance, registry, collective, lock, state)
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
        let rules = RunRules::from_recipe(config)?;
        Bots::find(config, &rules, registry).map(|_| ())
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
            tracing::warn!("{} has no checksums: damage is not detected", path.display());
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
        let device = network::device(&config.device)?;
        let rules = RunRules::from_recipe(&config)?;
        let rule_sets = rules.hash();
        let RunState { info, train_state, past_selves, progress } = state;
        info.check_rules(Path::new(&config.run), rules.main)?;
        if !progress.rule_sets.is_empty() && progress.rule_sets != rule_sets {
            let fault = "rules, house_rules: a rule file changed since the run began; restore it, \
                         or start a new run";
            return Err(ConfigError::invalid(fault).into());
        }
        let bots = Bots::find(&config, &rules, &registry)?;
        let info = bot_info(&config, &rules, provenance, info)?;
        let progress = RunProgress { rule_sets, ..progress };
        let state = RunState { info, train_state, past_selves, progress };
        let processes = Processes::new(collective);
        processes.check_fit(&state)?;
        Ok(Trainer {
            files: RunFiles::new(PathBuf::from(&config.run), lock),
            evaluations: Evaluations::new(rules.main, registry),
            config,
            rules,
            bots,
            device,
            state,
            processes,
        })
    }
}

/// Returns the metadata of the bot of a run, with the results so far of `earlier`.
fn bot_info(
    config: &TrainConfig,
    rules: &RunRules,
    provenance: Provenance,
    earlier: BotInfo,
) -> Result<BotInfo, TrainError> {
    Ok(BotInfo {
        any_rules: rules.rule_set_pool.is_some(),
        match_totals: config.sees_totals(rules.main),
        value_in_points: config.reward != DealReward::MatchGain,
        command: provenance.command,
        commit: provenance.commit,
        evaluation: earlier.evaluation,
        problems: earlier.problems,
        training: config.to_table()?,
        ..BotInfo::new(rules.main, config.network, config.reward_scale, config.seed)
    })
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
