//! The bot registry: built-in bots, checkpoints, external programs and custom bots by name.

mod options;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use troel_env::RuleSet;
use troel_nn::{Bundle, BundleError, NetworkConfig};

use crate::bot::{Bot, Factory, Random};
#[cfg(not(target_family = "wasm"))]
use crate::external::{External, ExternalError, Program};
use crate::heuristic::Heuristic;
use crate::network::{Choice, Evaluator, NetworkBot};
use crate::released;
pub use crate::released::{
    RELEASED, Released, ReleasedFor, all_released, released_for, released_for_points,
};
use crate::search::{Advisor, Effort, Expert, Lookahead, Pimc};
use options::{ENDINGS, MAX_MILLISECONDS, MAX_WORLDS, SOLVE, SearchOptions, WORLDS};

/// Default folder of named checkpoints, searched after the one in `TROEL_CHECKPOINTS`.
const CHECKPOINTS: &str = "checkpoints";

/// Environment variable that names a folder of checkpoints.
const VARIABLE: &str = "TROEL_CHECKPOINTS";

/// Description of a bot in its folder.
const INFO: &str = "bot.toml";

/// Folder of the finished bot in the folder of a training run.
const RUN_BOT: &str = "bot";

/// Folder of the last checkpoints in the folder of a training run.
const RUN_CHECKPOINTS: &str = "checkpoint";

/// The end of an error about an unknown name that looks like an earlier version of a released bot.
fn replaced(name: &str) -> String {
    let series = |name: &str| name.rsplit_once("-v").map(|(series, _)| series.to_string());
    let newer = series(name)
        .and_then(|of| all_released().into_iter().find(|n| series(n) == Some(of.clone())));
    newer.map_or(String::new(), |newer| format!("; {newer} is the version in this program"))
}

/// A named bot that can be instantiated any number of times; see [`Entry::seat`].
#[derive(Clone)]
pub struct Entry {
    name: String,
    identity: String,
    trained: Option<Trained>,
    network: Option<NetworkConfig>,
    evaluator: Option<Evaluator>,
    is_for_one_rule_set: bool,
    is_timed: bool,
    factory: Factory,
}

/// How the bot of a checkpoint was trained.
#[derive(Clone, Debug, PartialEq)]
pub struct Trained {
    /// Decisions that it was trained on.
    pub steps: u64,
    /// Seconds of training.
    pub seconds: f64,
    /// Master seed.
    pub seed: u64,
    /// Hash of the recipe without the seed ([`troel_nn::BotInfo::recipe_hash`]).
    pub recipe: String,
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Why a name does not give a usable bot.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No bot has this name.
    #[error(
        "{0:?} is not a bot: use random, rules, expert, pimc:worlds=20, bot:COMMAND, a released bot ({released}), \
         the name of one in {CHECKPOINTS}/ or ${VARIABLE}, or the folder of a checkpoint \
         or a training run (with :sample to draw moves from its policy, search: before it to have it look ahead){replaced}",
        released = all_released().join(", "),
        replaced = replaced(.0)
    )]
    Unknown(String),
    /// No checkpoint has this name or path, where only a trained bot is accepted.
    #[error(
        "{0:?} is not a checkpoint: use a released bot ({released}), the name of one in \
         {CHECKPOINTS}/ or ${VARIABLE}, or the folder of a checkpoint or a training run",
        released = all_released().join(", ")
    )]
    NoCheckpoint(String),
    /// No such bot, where only one that needs no file and no program will do.
    #[error("{0:?} is not a bot without a file: use random, rules, expert or pimc:worlds=20")]
    NotBuiltIn(String),
    /// Two bots that do not play the same rules.
    #[error(
        "{} was trained for rule set {} and {} for {}: they cannot play each other; name bots for one rule set, or one for any \
         rules, such as universal-v1",
        bots[0], rules[0], bots[1], rules[1]
    )]
    DifferentRules {
        /// Their names.
        bots: [String; 2],
        /// The names of their rule sets.
        rules: [String; 2],
    },
    /// The folder of a training run that has no bot yet.
    #[error(
        "{0} is the folder of a training run without a finished bot; resume it with \
         `troel train … --resume`, or name one of its checkpoints, which lie in {checkpoints}",
        checkpoints = .0.join(RUN_CHECKPOINTS).display()
    )]
    Unfinished(PathBuf),
    /// A searching bot with an unusable option.
    #[error(
        "{0:?}: write pimc:worlds=N with N from 1 to {MAX_WORLDS}, or pimc:worlds=N,solve=M to solve worlds from M cards in \
         hand downwards, M from {least} to {most}",
        least = SOLVE.start(),
        most = SOLVE.end()
    )]
    Search(String),
    /// A network that is to look ahead, with an unusable option.
    #[error(
        "{0:?}: write search:BOT:worlds=N with a checkpoint and N from 1 to {MAX_WORLDS}, search:BOT for {WORLDS}, or search:BOT:ms=M for about \
         M milliseconds a decision, 1 to {MAX_MILLISECONDS}; add endings=K, as in search:BOT:worlds=N,endings=K, to search with K cards \
         in hand or fewer only, K from {least} to {most}",
        least = ENDINGS.start(),
        most = ENDINGS.end()
    )]
    Lookahead(String),
    /// An external program cannot be used.
    #[error("{name}: the program {fault}; see docs/protocol.md")]
    External {
        /// Name of the bot: `bot:` and the command.
        name: String,
        /// What is wrong with the program.
        fault: String,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl Entry {
    /// A custom bot. `factory` creates an instance from a seed, which should determine all of its random draws.
    pub fn custom(
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> Entry {
        Entry {
            name: name.to_string(),
            identity: name.to_string(),
            trained: None,
            network: None,
            evaluator: None,
            is_for_one_rule_set: false,
            is_timed: false,
            factory: Arc::new(factory),
        }
    }

    /// The bot of this name for a rule set; see [`Registry::find`].
    ///
    /// # Errors
    /// The name is unknown, the number of worlds is invalid, the checkpoint is damaged or for another rule set, or the
    /// external program cannot be used.
    pub fn find(name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
        Registry::default().find(name, rules)
    }

    /// A bot that plays the likeliest action of a network. `reward_scale` is the number of points per unit of its
    /// value, `None` if its values are no points.
    pub fn network(
        name: &str,
        evaluator: Evaluator,
        reward_scale: impl Into<Option<f32>>,
    ) -> Entry {
        let (reward_scale, advising) = (reward_scale.into(), evaluator.clone());
        let entry = Entry::custom(name, move |_| {
            Box::new(NetworkBot::new(evaluator.clone(), Choice::Likeliest, reward_scale))
        });
        Entry { evaluator: Some(advising), ..entry }
    }

    /// A bot that samples from a network's policy; with one seed, equal observations get the same action.
    /// `reward_scale` as for [`Entry::network`].
    pub fn sampling_network(
        name: &str,
        evaluator: Evaluator,
        reward_scale: impl Into<Option<f32>>,
    ) -> Entry {
        let (reward_scale, advising) = (reward_scale.into(), evaluator.clone());
        let entry = Entry::custom(name, move |seed| {
            Box::new(NetworkBot::new(evaluator.clone(), Choice::Sampled(seed), reward_scale))
        });
        Entry { evaluator: Some(advising), ..entry }
    }

    /// The trained bot of a checkpoint, playing the likeliest action.
    pub fn of_bundle(name: &str, bundle: &Bundle) -> Entry {
        let evaluator = Evaluator::new(&bundle.weights);
        Entry::network(name, evaluator, bundle.info.points_per_value()).described(bundle, "")
    }

    /// The entry with what its checkpoint says of it; `suffix` tells it from others of the same weights.
    fn described(mut self, bundle: &Bundle, suffix: &str) -> Entry {
        self.identity = format!("{}{suffix}", bundle.weights.hash());
        let info = &bundle.info;
        self.trained = Some(Trained {
            steps: info.steps,
            seconds: info.train_seconds,
            seed: info.seed,
            recipe: info.recipe_hash(),
        });
        self.network = Some(bundle.weights.config);
        self.is_for_one_rule_set = !bundle.info.any_rules;
        self
    }

    /// The name under which the bot was found or created.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells the bot from others whatever its name: of a checkpoint a hash of its weights, with `:sample` if it
    /// samples, and with its worlds if it looks ahead; of another bot its name.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// How the bot of a checkpoint was trained.
    pub fn trained(&self) -> Option<&Trained> {
        self.trained.as_ref()
    }

    /// The network of the bot of a checkpoint.
    pub fn network_config(&self) -> Option<NetworkConfig> {
        self.network
    }

    /// Whether the bot is a network that was trained for one rule set alone.
    pub fn is_for_one_rule_set(&self) -> bool {
        self.is_for_one_rule_set
    }

    /// Whether what it does depends on how much time there is, so that it may do something else the next time.
    pub fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// A search that judges the actions of a decision, in `worlds` sampled worlds: with the bot's
    /// network if it has one, else by rules of thumb.
    pub fn advisor(&self, worlds: usize, seed: u64) -> Advisor {
        match &self.evaluator {
            Some(evaluator) => Advisor::with_network(evaluator.clone(), worlds, seed),
            None => Advisor::by_rules(worlds, seed),
        }
    }

    /// Creates an instance of the bot; the seed determines all of its random draws.
    pub fn seat(&self, seed: u64) -> Box<dyn Bot> {
        (self.factory)(seed)
    }
}

/// Bots by name: built-in ones, checkpoints, external programs, and the caller's custom bots.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    own: BTreeMap<String, Entry>,
}

impl Registry {
    /// Adds a custom bot under a name, which this registry then finds before any other of that name: as an opponent or a
    /// critic in training, in evaluations that take a registry. Recipes reserve `self` and `past` for opponents.
    #[must_use]
    pub fn custom(
        mut self,
        name: &str,
        factory: impl Fn(u64) -> Box<dyn Bot> + Send + Sync + 'static,
    ) -> Registry {
        self.own.insert(name.to_string(), Entry::custom(name, factory));
        self
    }

    /// Finds a bot for a rule set: a custom bot, `random`, `rules`, `expert`, `pimc:worlds=N,solve=M`, `bot:COMMAND`, or a
    /// checkpoint (see [`find_bundle`]). With `:sample` after its name a checkpoint samples from its policy instead of
    /// playing the likeliest action; `search:` before it, and `:worlds=N`, `:ms=M` or `:endings=K` after it, make it look ahead.
    ///
    /// # Errors
    /// The name is unknown, the number of worlds is invalid, the checkpoint is damaged or for another rule set, or the
    /// external program cannot be used.
    pub fn find(&self, name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
        if let Some(entry) = self.own.get(name) {
            return Ok(entry.clone());
        }
        if let Some(entry) = built_in(name)? {
            return Ok(entry);
        }
        if let Some(command) = name.strip_prefix("bot:") {
            return external(name, command, rules);
        }
        match name.strip_prefix("search:") {
            Some(options) => lookahead(name, options, rules),
            None => checkpoint(name, rules),
        }
    }
}

/// The bot of this name if it needs neither a file nor another program: `random`, `rules`, `expert`, `pimc:worlds=N`. For
/// callers that hand on names from elsewhere: nothing is read and nothing is started.
///
/// # Errors
/// A searching bot without a usable number of worlds.
pub fn built_in(name: &str) -> Result<Option<Entry>, RegistryError> {
    Ok(Some(match name {
        "random" => Entry::custom(name, |seed| Box::new(Random::new(seed))),
        "rules" => Entry::custom(name, |_| Box::new(Heuristic)),
        "expert" => Entry::custom(name, |seed| Box::new(Expert::new(seed))),
        _ if name == "pimc" || name.starts_with("pimc:") => {
            let (worlds, solve) = options::pimc(name)?;
            Entry::custom(name, move |seed| Box::new(Pimc::solving(solve, worlds, seed)))
        }
        _ => return Ok(None),
    }))
}

#[cfg(not(target_family = "wasm"))]
fn external(name: &str, command: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let fault = |error: ExternalError| RegistryError::External {
        name: name.to_string(),
        fault: error.to_string(),
    };
    let program = Program::parse(command).map_err(fault)?;
    External::new(&program).check(rules).map_err(fault)?;
    Ok(Entry::custom(name, move |_| Box::new(External::new(&program))))
}

#[cfg(target_family = "wasm")]
fn external(name: &str, _: &str, _: &RuleSet) -> Result<Entry, RegistryError> {
    let fault = "cannot be started: WebAssembly has no processes".to_string();
    Err(RegistryError::External { name: name.to_string(), fault })
}

fn checkpoint(name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let (path, sampled) = match name.strip_suffix(":sample") {
        Some(path) => (path, true),
        None => (name, false),
    };
    let bundle = usable_bundle(path, name, rules)?;
    let (evaluator, scale) = (Evaluator::new(&bundle.weights), bundle.info.points_per_value());
    let entry = match sampled {
        true => Entry::sampling_network(name, evaluator, scale),
        false => Entry::network(name, evaluator, scale),
    };
    Ok(entry.described(&bundle, if sampled { ":sample" } else { "" }))
}

/// The bot `search:BOT`, with the text after `search:`.
fn lookahead(name: &str, text: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let (path, options) = options::split(text);
    let options = SearchOptions::parse(name, options)?;
    let bundle = usable_bundle(path, name, rules).map_err(|error| match error {
        // What could be meant as an option is told how to write one.
        RegistryError::Unknown(_) if !path.is_empty() && !path.contains(':') => {
            RegistryError::NoCheckpoint(path.to_string())
        }
        RegistryError::Unknown(name) => RegistryError::Lookahead(name),
        other => other,
    })?;
    let evaluator = Evaluator::new(&bundle.weights);
    let advising = Some(evaluator.clone());
    // A network that was rewarded for shares of a match looks for those; others for points, until a deal may end the match.
    let for_points = bundle.info.points_per_value().is_some();
    let entry = Entry::custom(name, move |seed| {
        let bot = Lookahead::new(evaluator.clone(), options.effort, seed);
        let bot = match options.endings {
            Some(cards) => bot.endings_only(cards),
            None => bot,
        };
        Box::new(if for_points { bot } else { bot.winning_matches() })
    });
    let is_timed = matches!(options.effort, Effort::Time(_));
    let entry = entry.described(&bundle, &options.suffix());
    Ok(Entry { is_timed, evaluator: advising, ..entry })
}

/// The checkpoint at this path or of this name, for these rules. `name` is what was asked for.
fn usable_bundle(path: &str, name: &str, rules: &RuleSet) -> Result<Bundle, RegistryError> {
    let (path, bundle) = find_bundle(path).map_err(|error| match error {
        RegistryError::NoCheckpoint(_) => RegistryError::Unknown(name.to_string()),
        other => other,
    })?;
    bundle.info.check_rules(&path, rules)?;
    if !bundle.info.has_checksums() {
        tracing::warn!(
            "{} is of an earlier version and has no checksums, so that damage is not noticed; troel verify --accept adds them",
            path.display()
        );
    }
    Ok(bundle)
}

/// Finds a checkpoint by path or name, and returns it with the path that error messages should use. Looks for a folder
/// of a checkpoint or a training run at this path, for one of this name in the folder that
/// `TROEL_CHECKPOINTS` names and in `checkpoints/`, then for a released bot.
///
/// # Errors
/// There is no such checkpoint, or it is damaged.
pub fn find_bundle(name: &str) -> Result<(PathBuf, Bundle), RegistryError> {
    if let Some(folder) = find_folder(name) {
        let folder = bot_folder(folder)?;
        let bundle = Bundle::load(&folder)?;
        warn_of_shadowed(name, &folder, &bundle);
        return Ok((folder, bundle));
    }
    let path = PathBuf::from(name);
    match released::contents(name) {
        Some((info, weights)) => {
            let bundle = Bundle::parse(&path, info, weights)?;
            Ok((path, bundle))
        }
        None => Err(RegistryError::NoCheckpoint(name.to_string())),
    }
}

/// The folder of a checkpoint, or that of the bot in the folder of a training run.
fn bot_folder(folder: PathBuf) -> Result<PathBuf, RegistryError> {
    if folder.join(INFO).exists() {
        return Ok(folder);
    }
    let bot = troel_files::recover(&folder.join(RUN_BOT));
    match bot.join(INFO).exists() {
        true => Ok(bot),
        false if folder.join(RUN_CHECKPOINTS).is_dir() => Err(RegistryError::Unfinished(folder)),
        false => Ok(folder),
    }
}

/// Warns, once for a folder, where a checkpoint of the name of a released bot is another bot.
fn warn_of_shadowed(name: &str, folder: &Path, bundle: &Bundle) {
    static WARNED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let Some((info, weights)) = released::contents(name) else { return };
    let is_released = Bundle::parse(Path::new(name), info, weights)
        .is_ok_and(|released| released.weights.hash() == bundle.weights.hash());
    let is_new = || WARNED.lock().is_ok_and(|mut warned| warned.insert(folder.to_path_buf()));
    if !is_released && is_new() {
        tracing::warn!(
            "{name} is the bot in {}, which is not the released bot of this name; rename the folder to use the released one",
            folder.display()
        );
    }
}

fn find_folder(name: &str) -> Option<PathBuf> {
    let path = troel_files::recover(Path::new(name));
    let is_run = || path.join(RUN_BOT).join(INFO).exists();
    if path.join(INFO).exists() || path.is_dir() && name.contains(['/', '\\']) || is_run() {
        return Some(path);
    }
    // Only plain names, not paths: nothing may escape the folder.
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    let named = std::env::var_os(VARIABLE).map(PathBuf::from);
    let folders = named.map(Cow::Owned).into_iter().chain([Cow::Borrowed(Path::new(CHECKPOINTS))]);
    // A folder without a description is no checkpoint, and hides no released bot of its name.
    let mut folders = folders.map(|folder| folder.join(name));
    folders.find(|folder| plain && folder.join(INFO).exists())
}

/// The name or path of the checkpoint in the name of a bot: `X` in `X`, `X:sample`, `search:X`, `search:X:worlds=N` (or another option). Names of other
/// bots stay as they are.
pub fn checkpoint_of(name: &str) -> &str {
    match name.strip_prefix("search:") {
        Some(text) => options::split(text).0,
        None => name.strip_suffix(":sample").unwrap_or(name),
    }
}

/// The house rules that a checkpoint of this name or path was trained for; `None` for built-in rules and other bots.
///
/// # Errors
/// The checkpoint is damaged.
pub fn house_rules(name: &str) -> Result<Option<&'static RuleSet>, RegistryError> {
    match find_bundle(checkpoint_of(name)) {
        Ok((path, bundle)) if bundle.info.house_rules.is_some() => {
            Ok(Some(bundle.info.rule_set(&path)?))
        }
        // Only checkpoints carry house rules.
        Ok(_) | Err(RegistryError::NoCheckpoint(_)) => Ok(None),
        Err(error) => Err(error),
    }
}
