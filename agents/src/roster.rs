//! Names of bots: the same wherever a bot can be named.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use troel_env::{Observation, RuleSet};
use troel_infer::Thought;
use troel_infer::protocol::{self, Player};

use crate::agent::{Agent, Random};
use crate::foreign::{Foreign, Program};
use crate::network::{Bundle, BundleError, Evaluator, NetworkAgent, bundle};
use crate::rule_based::RuleBased;
use crate::search::{Expert, Pimc};

/// Folder of the released bots, looked into for names that are not paths.
pub const CHECKPOINTS: &str = "checkpoints";

/// Worlds of `pimc` without a number.
const WORLDS: usize = 20;
/// More than anybody can wait for.
const MOST_WORLDS: usize = 100_000;

/// A bot that can be seated: built once, seated many times.
#[derive(Clone, Debug)]
pub struct Entry {
    name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Random,
    Rules,
    Expert,
    Pimc { worlds: usize },
    Foreign(Program),
    Network { evaluator: Evaluator, sample: bool, reward_scale: f32 },
}

/// A name that stands for no usable bot.
#[derive(Debug, thiserror::Error)]
pub enum RosterError {
    /// No such bot.
    #[error(
        "{0:?} is not a bot: use random, rules, expert, pimc:worlds=20, bot:COMMAND, the name of a bot in \
         checkpoints/, or the path of a checkpoint folder (with :sample to draw moves from its policy)"
    )]
    Unknown(String),
    /// A searching bot without a usable number of worlds.
    #[error("{0:?}: write pimc:worlds=N with N from 1 to {MOST_WORLDS}")]
    Worlds(String),
    /// A program that cannot play.
    #[error("{name}: the program {fault}; see docs/protocol.md")]
    Foreign {
        /// The name, `bot:` and a command.
        name: String,
        /// What is amiss.
        fault: String,
    },
    /// The checkpoint cannot be used.
    #[error(transparent)]
    Bundle(#[from] BundleError),
}

impl Entry {
    /// Finds the bot of this name for a rule set: `random`, `rules`, `expert`, `pimc:worlds=N`, `bot:COMMAND`, a
    /// checkpoint's path or its name under `checkpoints/`. `:sample` after a checkpoint draws moves from its policy
    /// instead of taking the likeliest.
    ///
    /// # Errors
    /// The name is unknown, or the checkpoint is damaged or for another rule set.
    pub fn find(name: &str, rules: &RuleSet) -> Result<Entry, RosterError> {
        let kind = match name {
            "random" => Kind::Random,
            "rules" => Kind::Rules,
            "expert" => Kind::Expert,
            "pimc" => Kind::Pimc { worlds: WORLDS },
            _ if name.starts_with("bot:") => {
                let program = Program::parse(&name["bot:".len()..]);
                program
                    .and_then(|program| Foreign::new(&program).check(rules).map(|()| program))
                    .map(Kind::Foreign)
                    .map_err(|fault| RosterError::Foreign { name: name.to_string(), fault })?
            }
            _ if name.starts_with("pimc:") => Kind::Pimc { worlds: worlds(name)? },
            _ => {
                let (path, sample) = match name.strip_suffix(":sample") {
                    Some(path) => (path, true),
                    None => (name, false),
                };
                let path = find_folder(path).ok_or_else(|| RosterError::Unknown(name.into()))?;
                let bundle = Bundle::load(&path)?;
                bundle.info.check_rules(&path, rules)?;
                Kind::Network {
                    evaluator: Evaluator::new(&bundle.weights),
                    sample,
                    reward_scale: bundle.info.reward_scale,
                }
            }
        };
        Ok(Entry { name: name.to_string(), kind })
    }

    /// An entry for a network at hand, playing the likeliest action.
    pub fn network(name: &str, evaluator: Evaluator) -> Entry {
        Entry {
            name: name.to_string(),
            kind: Kind::Network { evaluator, sample: false, reward_scale: 1.0 },
        }
    }

    /// An entry for a network at hand, drawing from the policy.
    pub fn sampling_network(name: &str, evaluator: Evaluator) -> Entry {
        Entry {
            name: name.to_string(),
            kind: Kind::Network { evaluator, sample: true, reward_scale: 1.0 },
        }
    }

    /// The name it was found under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Seats the bot; whatever it draws comes from this seed.
    pub fn seat(&self, seed: u64) -> Box<dyn Agent> {
        match &self.kind {
            Kind::Random => Box::new(Random::new(seed)),
            Kind::Rules => Box::new(RuleBased),
            Kind::Expert => Box::new(Expert::new(seed)),
            Kind::Pimc { worlds } => Box::new(Pimc::new(*worlds, seed)),
            Kind::Foreign(program) => Box::new(Foreign::new(program)),
            Kind::Network { evaluator, sample, reward_scale } => {
                let sample = sample.then_some(seed);
                Box::new(NetworkAgent::new(evaluator.clone(), sample).in_points(*reward_scale))
            }
        }
    }
}

/// The number of worlds that a name such as `pimc:worlds=20` asks for.
fn worlds(name: &str) -> Result<usize, RosterError> {
    let number = name.strip_prefix("pimc:worlds=").and_then(|n| n.parse().ok());
    number
        .filter(|n| (1..=MOST_WORLDS).contains(n))
        .ok_or_else(|| RosterError::Worlds(name.to_string()))
}

/// The checkpoint folder of this path, or of this name under `checkpoints/`.
pub fn find_folder(name: &str) -> Option<PathBuf> {
    let path = bundle::recover(Path::new(name));
    if path.is_dir() {
        return Some(path);
    }
    // A name, not a path: nothing may climb out of the folder.
    let plain = !name.is_empty() && !name.contains(['/', '\\']) && name != "..";
    let released = Path::new(CHECKPOINTS).join(name);
    (plain && released.is_dir()).then_some(released)
}

/// The rules of its own that a checkpoint of this name or path was trained for, if they are not built in.
///
/// # Errors
/// The checkpoint is damaged.
pub fn house_rules(name: &str) -> Result<Option<&'static RuleSet>, BundleError> {
    let name = name.strip_suffix(":sample").unwrap_or(name);
    let Some(path) = find_folder(name) else { return Ok(None) };
    let info = Bundle::load(&path)?.info;
    info.house_rules.is_some().then(|| info.rule_set(&path)).transpose()
}

/// The rule set of this name or at this path.
///
/// # Errors
/// It is neither built in nor a readable, valid rule file.
pub fn find_rules(name: &str) -> Result<&'static RuleSet, String> {
    if let Some(rules) = RuleSet::built_in(name) {
        return Ok(rules);
    }
    let text = std::fs::read_to_string(name).map_err(|e| {
        let built_in: Vec<&str> = RuleSet::names().collect();
        format!("{name:?} is neither a rule set ({}) nor a rule file: {e}", built_in.join(", "))
    })?;
    RuleSet::from_toml(&text, name).map_err(|e| e.to_string())
}

/// An entry as the bot protocol asks it: seated anew for each request, since nothing is kept between them.
struct Asked {
    entry: Entry,
    seed: u64,
}

impl Player for Asked {
    fn think(&self, observation: &Observation) -> Thought {
        self.entry.seat(self.seed).think(observation)
    }
}

/// The bot of this name behind the bot protocol, for those of the rule sets that it can play.
///
/// # Errors
/// It can play none of them.
pub fn protocol_bot(
    name: &str,
    sets: &[&'static RuleSet],
    seed: u64,
) -> Result<protocol::Bot, RosterError> {
    let found = sets.iter().map(|rules| Ok((*rules, Entry::find(name, rules)?)));
    let (found, failures): (Vec<_>, Vec<_>) =
        found.partition(|result: &Result<_, RosterError>| result.is_ok());
    if let (true, Some(Err(failure))) = (found.is_empty(), failures.into_iter().next()) {
        return Err(failure);
    }
    let players = found.into_iter().flatten().map(|(rules, entry)| {
        let player: Arc<dyn Player> = Arc::new(Asked { entry, seed });
        (rules, player)
    });
    Ok(protocol::Bot::new(name, players))
}
