//! Trained bots: a bundle that plays or samples from its policy, or that looks ahead.

use troel_env::RuleSet;
use troel_nn::{BundleError, TrainedBot};

use super::bundles::find_trained_bot;
use super::error::RegistryError;
use super::named_bot::NamedBot;
use super::options::SearchOptions;
use crate::network::Evaluator;
use crate::released::ANY_RULES_BOT;
use crate::search::{Lookahead, SearchBudget};

/// Finds the bot `BUNDLE`, or `BUNDLE:sample` if `is_sampling`. Errors show `name`.
pub(super) fn network(
    name: &str,
    bundle_name: &str,
    is_sampling: bool,
    rules: &RuleSet,
) -> Result<NamedBot, RegistryError> {
    let (trained, evaluator) = usable_bot(bundle_name, name, rules)?;
    let points_per_value = evaluator.points_per_value(trained.info());
    let bot = if is_sampling {
        NamedBot::sampling_network(name, evaluator, points_per_value)
    } else {
        NamedBot::network(name, evaluator, points_per_value)
    };
    Ok(bot.with_bundle_info(&trained, if is_sampling { ":sample" } else { "" }))
}

/// Finds the bot `search:BUNDLE:OPTIONS`. Errors show `name`.
pub(super) fn lookahead(
    name: &str,
    bundle_name: &str,
    options: Option<&str>,
    rules: &RuleSet,
) -> Result<NamedBot, RegistryError> {
    let options = SearchOptions::parse(options)
        .ok_or_else(|| RegistryError::SearchOptions(name.to_string()))?;
    let found = usable_bot(bundle_name, name, rules).map_err(|error| match error {
        RegistryError::Unknown(_) if !bundle_name.is_empty() && !bundle_name.contains(':') => {
            RegistryError::NoBundle(bundle_name.to_string())
        }
        // The path may hold a misspelt option, so this error explains the options.
        RegistryError::Unknown(name) => RegistryError::SearchOptions(name),
        other => other,
    });
    let (trained, evaluator) = found?;
    let advising = evaluator.clone();
    // After training for shares of a match, the search maximises those. Otherwise it maximises
    // points, with a bonus for winning the match.
    let for_points = trained.info().points_per_value().is_some();
    let bot = NamedBot::new(name, move |seed| {
        let bot = Lookahead::new(evaluator.clone(), options.budget, seed);
        let bot = match options.max_solved_cards {
            Some(max_solved_cards) => bot.endings_only(max_solved_cards),
            None => bot,
        };
        Box::new(if for_points { bot } else { bot.maximising_match_share() })
    });
    let mut bot = bot.with_bundle_info(&trained, &options.suffix());
    bot.evaluator = Some(advising);
    bot.is_timed = matches!(options.budget, SearchBudget::Time(_));
    Ok(bot)
}

/// Finds a bundle, checks that it fits the rules, and prepares its network. Errors show the bot's
/// `name`.
fn usable_bot(
    bundle_name: &str,
    name: &str,
    rules: &RuleSet,
) -> Result<(TrainedBot, Evaluator), RegistryError> {
    let (path, trained) = find_trained_bot(bundle_name).map_err(|error| match error {
        RegistryError::NoBundle(_) => RegistryError::Unknown(name.to_string()),
        other => other,
    })?;
    trained.info().check_rules(&path, rules).map_err(name_bot_for_any_rules)?;
    if !trained.info().has_checksums() {
        tracing::warn!(
            "{path} has no checksums, because an earlier version of troel wrote it: damage is not \
             detected. Add them with `troel verify --accept {path}`",
            path = path.display()
        );
    }
    let evaluator = Evaluator::of_trained(&path, &trained)?;
    Ok((trained, evaluator))
}

/// Names the released bot for any rules at the end of a refusal, whose remedy is such a bot.
fn name_bot_for_any_rules(error: BundleError) -> BundleError {
    match error {
        BundleError::Mismatch { path, message } => {
            BundleError::Mismatch { path, message: format!("{message}, such as {ANY_RULES_BOT}") }
        }
        other => other,
    }
}
