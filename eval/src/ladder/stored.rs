//! Results of comparisons as a ladder stores them: lines of JSON in an append-only file.

use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_env::RuleSet;

use crate::deal_range::{DealRange, MAX_DEALS};
use crate::duplicate::{DuplicateConfig, DuplicateResult, Scope};
use crate::forfeits::{Forfeits, TooManyForfeits};
use crate::report::MAX_STORED_POINTS;

/// Maximum seconds of training that a result may claim: three thousand years.
const MAX_SECONDS: f64 = 1e11;

/// Result of a comparison of two bots, as a line of JSON in the file of a ladder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LadderResult {
    /// Hash of the rule set.
    pub rules: String,
    /// Name of the rule set, if it is not a built-in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules_id: Option<String>,
    /// The challenger.
    pub challenger: Player,
    /// The baseline.
    pub baseline: Player,
    /// Decisions that were compared.
    pub scope: Scope,
    /// Seed of the deals.
    pub seed: u64,
    /// Deals that were played.
    pub deals: DealRange,
    /// Mean points per deal of the challenger minus the baseline's. One challenger plays against
    /// three copies of the baseline.
    pub points: f64,
    /// Standard error of the mean.
    #[serde(rename = "error")]
    pub standard_error: f64,
    /// Deals that challenger and baseline forfeited.
    #[serde(default)]
    pub forfeits: Forfeits,
    /// Commit of the program that played, if known.
    pub commit: String,
}

/// A number of a stored result that is out of range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LadderResultError {
    /// The range of deals is empty or too far out.
    #[error("deals {0} is out of range")]
    Deals(DealRange),
    /// Another number is out of range.
    #[error("{key} {value:e} is out of range")]
    Number {
        /// Key of the number in the file.
        key: &'static str,
        /// The number.
        value: f64,
    },
    /// There are more forfeits than seats.
    #[error(transparent)]
    Forfeits(#[from] TooManyForfeits),
}

/// A bot as a ladder knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Player {
    /// Name.
    pub name: String,
    /// Identity: a hash of the weights of a trained bot, the name of another.
    pub id: String,
    /// Decisions that a trained bot was trained on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<u64>,
    /// Seconds that a trained bot was trained for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Master seed of its training.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Hash of its recipe without the seed: [`recipe_hash`](troel_agents::TrainingSummary).
    #[serde(default, rename = "recipe", skip_serializing_if = "Option::is_none")]
    pub recipe_hash: Option<String>,
}

impl From<&NamedBot> for Player {
    /// Returns the bot as results name it.
    fn from(bot: &NamedBot) -> Player {
        let training = bot.training();
        Player {
            name: bot.name().to_string(),
            id: bot.identity().to_string(),
            steps: training.map(|training| training.steps),
            seconds: training.map(|training| training.seconds),
            seed: training.map(|training| training.seed),
            recipe_hash: training.map(|training| training.recipe_hash.clone()),
        }
    }
}

impl LadderResult {
    /// Returns the line of a comparison.
    pub fn new(
        config: &DuplicateConfig,
        challenger: &Player,
        baseline: &Player,
        result: &DuplicateResult,
        commit: &str,
    ) -> LadderResult {
        LadderResult {
            rules: config.rules.hash().to_string(),
            rules_id: (!config.rules.is_built_in()).then(|| config.rules.id().to_string()),
            challenger: challenger.clone(),
            baseline: baseline.clone(),
            scope: config.scope,
            seed: config.seed,
            deals: config.deals,
            points: result.difference.mean(),
            standard_error: result.difference.standard_error(),
            forfeits: result.forfeits,
            commit: commit.to_string(),
        }
    }

    /// Returns challenger and baseline, each with the number of deals that it forfeited.
    pub(super) fn players_with_forfeits(&self) -> [(&Player, u64); 2] {
        let Forfeits { challenger, baseline } = self.forfeits;
        [(&self.challenger, challenger), (&self.baseline, baseline)]
    }

    /// Checks that the numbers of a result, which may come from anywhere, are in range.
    ///
    /// # Errors
    /// A number is out of range.
    pub fn check(&self) -> Result<(), LadderResultError> {
        if self.deals.is_empty() || self.deals.end > MAX_DEALS {
            return Err(LadderResultError::Deals(self.deals));
        }
        let max_points = MAX_STORED_POINTS as f64;
        let players = [&self.challenger, &self.baseline];
        let seconds = players.map(|player| player.seconds.unwrap_or(0.0));
        let ranges = [
            ("points", self.points, -max_points, max_points),
            ("error", self.standard_error, 0.0, max_points),
            ("seconds", seconds[0], 0.0, MAX_SECONDS),
            ("seconds", seconds[1], 0.0, MAX_SECONDS),
        ];
        let bad = ranges.into_iter().find(|(_, value, low, high)| !(low..=high).contains(&value));
        match bad {
            Some((key, value, ..)) => Err(LadderResultError::Number { key, value }),
            None => Ok(self.forfeits.check(self.deals.len())?),
        }
    }

    /// Returns whether this is the result of comparing these bots with these settings.
    pub fn is_of(&self, config: &DuplicateConfig, challenger: &str, baseline: &str) -> bool {
        self.is_of_pair(config, challenger, baseline) && self.deals == config.deals
    }

    /// Returns whether this is a result of these bots with these settings, on any deals.
    pub fn is_of_pair(&self, config: &DuplicateConfig, challenger: &str, baseline: &str) -> bool {
        self.is_comparable(config)
            && self.challenger.id == challenger
            && self.baseline.id == baseline
            && self.seed == config.seed
    }

    /// Returns whether two results share deals, and neither has all deals of the other. The shared
    /// deals would count twice. False unless bots, seed, rules and scope are the same.
    pub fn overlaps(&self, other: &LadderResult) -> bool {
        let id = |r: &LadderResult| (r.challenger.id.clone(), r.baseline.id.clone(), r.seed);
        self.deals.crosses(other.deals)
            && (&self.rules, self.scope) == (&other.rules, other.scope)
            && id(self) == id(other)
    }

    /// Returns whether a bot of this identity is one of the two.
    pub fn has(&self, identity: &str) -> bool {
        [&self.challenger, &self.baseline].iter().any(|player| player.id == identity)
    }

    /// Returns whether the result has these rules and this scope. It then belongs on the same
    /// ladder.
    pub fn is_comparable(&self, config: &DuplicateConfig) -> bool {
        self.rules == config.rules.hash() && self.scope == config.scope
    }
}

/// Returns the bots of the results.
fn players(results: &[LadderResult]) -> impl DoubleEndedIterator<Item = &Player> {
    results.iter().flat_map(|result| [&result.challenger, &result.baseline])
}

/// Returns the identity of the last bot of this name in the results. It need not exist any more.
pub fn identity_of<'a>(results: &'a [LadderResult], name: &str) -> Option<&'a str> {
    players(results).rfind(|player| player.name == name).map(|player| player.id.as_str())
}

/// Returns the rule set of the results, if they are all of one built-in rule set.
pub fn built_in_rules(results: &[LadderResult]) -> Option<&'static RuleSet> {
    let hash = &results.first()?.rules;
    let is_of_one = results.iter().all(|result| result.rules == *hash);
    let mut built_in = RuleSet::all_built_in().into_iter();
    built_in.find(|rules| is_of_one && rules.hash() == hash)
}

/// Returns each pair of challenger and baseline that has no comparison among the results. No pair
/// is returned twice.
pub fn missing_pairs<'a>(
    config: &DuplicateConfig,
    bots: &'a [NamedBot],
    baselines: &'a [NamedBot],
    results: &[LadderResult],
) -> Vec<(&'a NamedBot, &'a NamedBot)> {
    let pairs = bots.iter().flat_map(|a| baselines.iter().map(move |b| (a, b)));
    let mut pairs: Vec<(&NamedBot, &NamedBot)> = pairs
        .filter(|(a, b)| a.identity() != b.identity())
        .filter(|(a, b)| !results.iter().any(|r| r.is_of(config, a.identity(), b.identity())))
        .collect();
    let mut seen = Vec::new();
    pairs.retain(|(a, b)| {
        let pair = (a.identity(), b.identity());
        let is_new = !seen.contains(&pair);
        seen.push(pair);
        is_new
    });
    pairs
}

/// Returns the results that count. They have a standard error, and no other result of the same bots
/// and seed has all their deals.
pub(super) fn distinct(results: &[LadderResult]) -> Vec<&LadderResult> {
    let of_same_bots = |a: &LadderResult, b: &LadderResult| {
        (&a.challenger.id, &a.baseline.id, a.seed) == (&b.challenger.id, &b.baseline.id, b.seed)
    };
    let covers = |a: &LadderResult, b: &LadderResult| of_same_bots(a, b) && a.deals.covers(b.deals);
    let counts = |(i, r): &(usize, &LadderResult)| {
        let others = results.iter().enumerate().filter(|(j, _)| j != i);
        let mut covering = others.filter(|(_, other)| covers(other, r));
        // Of two results on the same deals the first counts.
        r.standard_error.is_finite() && covering.all(|(j, other)| covers(r, other) && *i < j)
    };
    results.iter().enumerate().filter(counts).map(|(_, r)| r).collect()
}

/// All results of one challenger against three copies of one baseline. They are over all seeds and
/// ranges of deals.
pub(super) struct Pooled {
    /// Mean points per deal.
    pub points: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Number of deals.
    pub deals: u64,
}

/// Returns the results of a pair together, if it was played. No deal may be in two of the results.
pub(super) fn pooled(
    results: &[&LadderResult],
    challenger: &str,
    baseline: &str,
) -> Option<Pooled> {
    let is_of_pair =
        |r: &&&LadderResult| r.challenger.id == challenger && r.baseline.id == baseline;
    let (mut deals, mut sum, mut squares) = (0, 0.0, 0.0);
    for result in results.iter().filter(is_of_pair) {
        let n = result.deals.len();
        deals += n;
        sum += result.points * n as f64;
        squares += (result.standard_error * n as f64).powi(2);
    }
    let n = deals as f64;
    (deals > 0).then(|| Pooled { points: sum / n, standard_error: squares.sqrt() / n, deals })
}

/// Returns a result of 100 deals between bots with these identities, for tests.
#[cfg(test)]
pub(super) fn sample_result(
    challenger: &str,
    baseline: &str,
    points: f64,
    standard_error: f64,
) -> LadderResult {
    let player =
        |id: &str| Player { name: id.to_uppercase(), id: id.to_string(), ..Player::default() };
    LadderResult {
        rules: "r".to_string(),
        rules_id: None,
        challenger: player(challenger),
        baseline: player(baseline),
        scope: Scope::Full,
        seed: 1,
        deals: DealRange::new(0, 100),
        points,
        standard_error,
        forfeits: Forfeits::default(),
        commit: String::new(),
    }
}
