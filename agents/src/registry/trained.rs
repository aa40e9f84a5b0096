//! Trained bots: a checkpoint that plays or samples from its policy, or that looks ahead.

use troel_env::RuleSet;
use troel_nn::Bundle;

use super::options::{self, SearchOptions};
use super::{Entry, RegistryError, find_bundle};
use crate::network::Evaluator;
use crate::search::{Effort, Lookahead};

/// Finds the bot `CHECKPOINT` or `CHECKPOINT:sample`.
pub(super) fn checkpoint(name: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
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

/// Finds the bot `search:CHECKPOINT`. `text` is the part of `name` after `search:`.
pub(super) fn lookahead(name: &str, text: &str, rules: &RuleSet) -> Result<Entry, RegistryError> {
    let (path, options) = options::split(text);
    let options = SearchOptions::parse(name, options)?;
    let bundle = usable_bundle(path, name, rules).map_err(|error| match error {
        RegistryError::Unknown(_) if !path.is_empty() && !path.contains(':') => {
            RegistryError::NoCheckpoint(path.to_string())
        }
        // The path may hold a misspelt option, so this error explains the options.
        RegistryError::Unknown(name) => RegistryError::Lookahead(name),
        other => other,
    })?;
    let evaluator = Evaluator::new(&bundle.weights);
    let advising = evaluator.clone();
    // After training for shares of a match, the search maximises those. Otherwise it maximises
    // points, with a bonus for winning the match.
    let for_points = bundle.info.points_per_value().is_some();
    let entry = Entry::custom(name, move |seed| {
        let bot = Lookahead::new(evaluator.clone(), options.effort, seed);
        let bot = match options.endings {
            Some(cards) => bot.endings_only(cards),
            None => bot,
        };
        Box::new(if for_points { bot } else { bot.winning_matches() })
    });
    let mut entry = entry.described(&bundle, &options.suffix());
    entry.evaluator = Some(advising);
    entry.is_timed = matches!(options.effort, Effort::Time(_));
    Ok(entry)
}

/// Finds the checkpoint at `path`, and checks that it fits the rules. Errors show `name`.
fn usable_bundle(path: &str, name: &str, rules: &RuleSet) -> Result<Bundle, RegistryError> {
    let (path, bundle) = find_bundle(path).map_err(|error| match error {
        RegistryError::NoCheckpoint(_) => RegistryError::Unknown(name.to_string()),
        other => other,
    })?;
    bundle.info.check_rules(&path, rules)?;
    if !bundle.info.has_checksums() {
        tracing::warn!(
            "{} is of an earlier version and has no checksums, so that damage is not noticed; \
             troel verify --accept adds them",
            path.display()
        );
    }
    Ok(bundle)
}
