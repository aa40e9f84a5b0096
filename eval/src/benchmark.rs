//! Benchmark for results from different groups: tasks with fixed opponents, deals and seeds.
//!
//! A result consists of bots of one recipe, one per training seed. They play against
//! [`REFERENCE`] on the first [`Task::deals`] deals of [`SEED`], in both directions, as in
//! [`compare_groups`]. Under [`Task::UnseenRules`] the interval is over rule files, not deals.

use troel_agents::NamedBot;
use troel_configs::UNSEEN_RULES;
use troel_env::{RuleSet, RulesError};

use crate::compare::{SeedComparison, SeedComparisonEvent, compare_groups};
use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateConfig, Scope};
use crate::error::EvalError;

/// Version of the protocol. Results of different versions are not comparable.
pub const PROTOCOL: u32 = 1;
/// Name of the opponent. It also makes the decisions that a task does not compare.
pub const REFERENCE: &str = "expert";
/// Seed of the deals. No recipe and no released bot was chosen by deals of this seed.
pub const SEED: u64 = 20_261_126;

/// Number of deals under a built-in rule set.
const DEALS: u64 = 2000;
/// Number of deals under each rule file of [`Task::UnseenRules`].
const DEALS_PER_RULE_FILE: u64 = 64;
/// Classes of results: the largest numbers of training decisions, and their names.
const BUDGETS: [(u64, &str); 3] =
    [(1_000_000, "1 M"), (10_000_000, "10 M"), (100_000_000, "100 M")];

/// Task of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// The auction; the reference plays all cards.
    Bidding,
    /// The cards; the reference bids for all seats.
    Play,
    /// All decisions.
    Full,
    /// All decisions, under the rule files of [`unseen_rules`].
    UnseenRules,
}

impl Task {
    /// Returns the name used in results.
    pub const fn name(self) -> &'static str {
        ["bidding", "play", "full", "unseen-rules"][self as usize]
    }

    const fn scope(self) -> Scope {
        match self {
            Task::Bidding => Scope::Bidding,
            Task::Play => Scope::Play,
            Task::Full | Task::UnseenRules => Scope::Full,
        }
    }

    /// Returns the number of deals under each rule set.
    pub const fn deals(self) -> u64 {
        if matches!(self, Task::UnseenRules) { DEALS_PER_RULE_FILE } else { DEALS }
    }
}

/// Returns the rule files of [`Task::UnseenRules`].
///
/// # Errors
/// A file is not a rule file. A test reads them all.
pub fn unseen_rules() -> Result<Vec<&'static RuleSet>, RulesError> {
    UNSEEN_RULES.iter().map(|(name, text)| RuleSet::from_toml(text, name)).collect()
}

/// Plays a task under one rule set, on the first `deals` deals. Results have [`Task::deals`].
///
/// `bots` are of one recipe, one per training seed.
///
/// # Errors
/// A bot failed.
///
/// # Panics
/// There are no bots, or fewer than two independent units of deals.
pub fn play_task(
    task: Task,
    rules: &'static RuleSet,
    deals: u64,
    bots: &[NamedBot],
    reference: &NamedBot,
    watch: &(dyn Fn(SeedComparisonEvent<'_>) + Sync),
) -> Result<SeedComparison, EvalError> {
    let config = DuplicateConfig {
        scope: task.scope(),
        ..DuplicateConfig::new(rules, DealRange::new(0, deals), SEED)
    };
    compare_groups(&config, bots, std::slice::from_ref(reference), Some(reference), watch)
}

/// Returns the class of a result: the smallest budget that has room for these decisions. `None` if
/// there were more.
pub fn budget(decisions: u64) -> Option<&'static str> {
    BUDGETS.iter().find(|(most, _)| decisions <= *most).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rule files of protocol 1 are variants of the built-in rule sets, eight of each, and a
    /// change of any would make results incomparable.
    #[test]
    fn the_unseen_rules_are_those_of_the_protocol() {
        let files = unseen_rules().expect("rule files");
        let mut hash = 0u64;
        for (nth, rules) in files.iter().enumerate() {
            let base = RuleSet::all_built_in()[nth / 8];
            let variant = base.variant(SEED, nth as u64 % 8);
            assert_eq!(rules.hash(), variant.hash(), "{}", rules.id());
            assert!(files[..nth].iter().all(|other| other.hash() != rules.hash()));
            hash = rules
                .hash()
                .bytes()
                .fold(hash, |hash, byte| hash.rotate_left(5).wrapping_mul(31) ^ u64::from(byte));
        }
        assert_eq!((files.len(), hash), (32, 6_100_517_378_963_665_549));
    }

    /// Results are comparable only while the reference plays the same. If this test fails, raise
    /// [`PROTOCOL`].
    #[test]
    fn the_reference_is_that_of_the_protocol() {
        let points = |rules| {
            let bot = |name| NamedBot::find(name, rules).expect("built in");
            let (rules_bot, reference) = (bot("rules"), bot(REFERENCE));
            play_task(Task::Full, rules, 32, &[rules_bot], &reference, &|_| ())
                .expect("bots of Troel do not fail")
                .mean
        };
        let means: Vec<f64> = RuleSet::all_built_in().into_iter().map(points).collect();
        assert_eq!(
            (PROTOCOL, &means[..]),
            (1, &[-1.71875, -1.61328125, -0.328125, -0.8984375][..])
        );
    }

    #[test]
    fn budgets_are_the_smallest_with_room() {
        let classes = [0, 1_000_000, 1_000_001, 100_000_000, 100_000_001].map(budget);
        assert_eq!(classes, [Some("1 M"), Some("1 M"), Some("10 M"), Some("100 M"), None]);
    }
}
