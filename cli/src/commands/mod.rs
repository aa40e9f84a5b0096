//! The subcommands, one file each.

pub mod behaviour;
pub mod bench;
pub mod bot;
pub mod calibration;
pub mod compare;
pub mod corpus;
pub mod deal;
pub mod eval;
pub mod exploit;
pub mod export;
pub mod ladder;
pub mod merge;
pub mod nashconv;
pub mod page;
pub mod play;
pub mod problems;
pub mod replay;
pub mod review;
pub mod serve;
pub mod solve;
pub mod tables;
pub mod train;
pub mod verify;

use std::num::NonZeroUsize;
use std::thread::available_parallelism;

use troel_agents::{NamedBot, registry};
use troel_env::{RuleSet, Seat};
use troel_eval::Scope;

use crate::output;

/// Number of threads of a command.
#[derive(Clone, Copy, clap::Args)]
pub struct Threads {
    /// Number of threads (default: all cores); results do not depend on it
    #[arg(long, alias = "workers", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Returns the requested number, if any.
    pub fn number(self) -> Option<u16> {
        self.threads
    }

    /// Returns the requested number, or that of the cores.
    pub fn number_or_cores(self) -> NonZeroUsize {
        let asked = self.threads.and_then(|threads| NonZeroUsize::new(threads.into()));
        asked.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Sets the number of threads of the whole program; call it once, before anything runs in
    /// parallel.
    pub fn apply(self) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
            pool.map_err(|error| {
                anyhow::anyhow!("--threads {threads}: they cannot be started ({error}); use fewer")
            })?;
        }
        Ok(())
    }
}

/// Parses a seed.
///
/// # Errors
/// The text is not a whole number of 64 bits.
pub fn seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("write a whole number from 0 to {}", u64::MAX))
}

/// A seat in an option.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum SeatArg {
    N,
    E,
    S,
    W,
}

impl From<SeatArg> for Seat {
    fn from(seat: SeatArg) -> Seat {
        Seat::from_index_wrapping(seat as usize)
    }
}

/// Decisions to compare.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeArg {
    Full,
    Bidding,
    Play,
    All,
}

impl ScopeArg {
    /// Returns the scopes, one comparison each.
    pub fn scopes(self) -> Vec<Scope> {
        match self {
            ScopeArg::Full => vec![Scope::Full],
            ScopeArg::Bidding => vec![Scope::Bidding],
            ScopeArg::Play => vec![Scope::Play],
            ScopeArg::All => vec![Scope::Full, Scope::Bidding, Scope::Play],
        }
    }
}

/// Returns the rule set of a name or path.
pub fn rules(name: &str) -> anyhow::Result<&'static RuleSet> {
    Ok(troel_agents::find_rules(name)?)
}

/// Rule set of commands where neither an option nor a bot names one.
pub const DEFAULT_RULES: &str = "luxembourg";

/// Returns the rule set of the option `--rules`. Without the option, returns that of the trained
/// bots among those named and says so on standard error; without such bots [`DEFAULT_RULES`].
pub fn rules_for(option: Option<&str>, bots: &[&str]) -> anyhow::Result<&'static RuleSet> {
    if let Some(name) = option {
        return rules(name);
    }
    match troel_agents::rules_of_bots(bots)? {
        Some((rules, bot)) => {
            output::note(&format!("rules: {} (those of {bot}; --rules names others)", rules.id()));
            Ok(rules)
        }
        None => rules(DEFAULT_RULES),
    }
}

/// Finds a bot for rules that `source` decides, in a command without an option for them.
///
/// # Errors
/// There is no such bot, or it was trained for other rules.
pub fn bot_for(name: &str, rules: &'static RuleSet, source: &str) -> anyhow::Result<NamedBot> {
    NamedBot::find(name, rules).map_err(|error| {
        let trained_for =
            registry::find_bundle_of_bot(name).ok().flatten().and_then(|(_, found)| {
                let is_other = !found.info.any_rules && found.info.rules != rules.id();
                is_other.then_some(found.info.rules)
            });
        match trained_for {
            Some(own) => anyhow::anyhow!(
                "{name} was trained for rule set {own}, but {source} is of {}: name a bot for \
                 these rules, or one for any rules, such as universal-v1",
                rules.id()
            ),
            None => error.into(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_that_have_changed_are_told_from_others() {
        let refused = |rules: &'static RuleSet| {
            let bot = concat!(env!("CARGO_MANIFEST_DIR"), "/../checkpoints/wiezen-v5");
            bot_for(bot, rules, "the corpus").expect_err("not its rules").to_string()
        };
        let other = refused(RuleSet::built_in("iwwa").expect("built in"));
        assert!(other.contains("for rule set wiezen, but the corpus is of iwwa"), "{other}");
        let mut spec = RuleSet::built_in("wiezen").expect("built in").spec().clone();
        spec.match_target += 1;
        let changed = refused(RuleSet::from_spec(spec, "a test").expect("rules"));
        assert!(changed.contains("have changed since"), "{changed}");
    }
}
