//! The comparisons of a ladder that its file does not have yet.

use std::path::{Path, PathBuf};

use troel_agents::{NamedBot, RegistryError};

use super::file::{LadderFileError, LadderWriter};
use super::stored::{LadderResult, Player, missing_pairs};
use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateBots, DuplicateConfig, play_duplicate};
use crate::error::EvalError;

/// Minimum number of deals of a comparison. Fewer may have no standard error.
pub const MIN_DEALS: u64 = 16;

/// Reason that the comparisons of a ladder were not played.
#[derive(Debug, thiserror::Error)]
pub enum LadderPlayError {
    /// The file has a result of a pair whose deals overlap those to play.
    #[error(
        "{path} already has the deals {stored} of {challenger} against {baseline} (seed {seed}), \
         which overlap the deals {deals}; play other deals"
    )]
    Overlap {
        /// The file.
        path: PathBuf,
        /// Deals of the stored result.
        stored: DealRange,
        /// Name of the challenger.
        challenger: String,
        /// Name of the baseline.
        baseline: String,
        /// Seed of the deals.
        seed: u64,
        /// Deals to play.
        deals: DealRange,
    },
    /// The file cannot be written.
    #[error(transparent)]
    File(#[from] LadderFileError),
    /// A bot failed.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The bot `rules`, which makes the decisions that are not compared, cannot be used.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Progress of [`play_missing`].
#[derive(Clone, Copy, Debug)]
pub enum LadderEvent<'a> {
    /// The comparisons to play are known: for each baseline, their number of deals.
    Planned(&'a [f64]),
    /// A comparison begins.
    Begins {
        /// The challenger.
        challenger: &'a NamedBot,
        /// The baseline.
        baseline: &'a NamedBot,
        /// Index of the baseline among the baselines.
        index: usize,
    },
    /// Deals played, in parts of deals.
    Deals(f64),
}

/// Plays every bot against every baseline, except the comparisons that are among the results.
/// Appends each result to the file as soon as its comparison ends, and returns them. `commit` is
/// that of the program.
///
/// # Errors
/// A result has some of the deals to play and others, the file cannot be written, or a bot failed.
pub fn play_missing(
    path: &Path,
    config: &DuplicateConfig,
    bots: &[NamedBot],
    baselines: &[NamedBot],
    results: &[LadderResult],
    commit: &str,
    watch: &(dyn Fn(LadderEvent<'_>) + Sync),
) -> Result<Vec<LadderResult>, LadderPlayError> {
    let pairs = missing_pairs(config, bots, baselines, results);
    if pairs.is_empty() {
        return Ok(Vec::new());
    }
    for (a, b) in &pairs {
        let is_of_pair = |r: &&LadderResult| r.is_of_pair(config, a.identity(), b.identity());
        let mut of_pair = results.iter().filter(is_of_pair);
        if let Some(stored) = of_pair.find(|r| r.deals.crosses(config.deals)) {
            return Err(LadderPlayError::Overlap {
                path: path.to_path_buf(),
                stored: stored.deals,
                challenger: a.name().to_string(),
                baseline: b.name().to_string(),
                seed: config.seed,
                deals: config.deals,
            });
        }
    }
    let fixed = NamedBot::find("rules", config.rules)?;
    let mut file = LadderWriter::open(path)?;
    // Every pair has one of the baselines.
    let index = |b: &NamedBot| {
        baselines.iter().position(|other| other.identity() == b.identity()).unwrap_or(0)
    };
    let mut totals = vec![0.0; baselines.len()];
    pairs.iter().for_each(|(_, b)| totals[index(b)] += config.deals.len() as f64);
    watch(LadderEvent::Planned(&totals));
    let mut played = Vec::new();
    for (challenger, baseline) in pairs {
        watch(LadderEvent::Begins { challenger, baseline, index: index(baseline) });
        let bots = DuplicateBots { challenger, baseline, fixed: &fixed };
        let result = play_duplicate(config, bots, &|deals| watch(LadderEvent::Deals(deals)))?;
        let [challenger, baseline] = [challenger, baseline].map(Player::from);
        let line = LadderResult::new(config, &challenger, &baseline, &result, commit);
        file.append(&line)?;
        played.push(line);
    }
    Ok(played)
}
