//! Groups of bots that are compared: bots of one recipe and several training seeds, or fixed bots.

use troel_agents::NamedBot;

/// Reason that bots are not a group of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroupError {
    /// Two bots have the same identity.
    #[error(
        "{0} is listed twice in its group, or two runs gave the same weights; name each training \
         seed once"
    )]
    SameBot(String),
    /// Some bots have a training seed, and this one has none.
    #[error(
        "{0} has no training seed, but other bots of its group have one; compare them separately"
    )]
    NoSeed(String),
    /// Two bots were trained by the same recipe with the same seed.
    #[error("{0} and {1} have the same recipe and training seed; name one bot per training seed")]
    SameSeed(String, String),
}

/// Checks that the bots of a group are all different.
///
/// # Errors
/// Two have the same identity.
pub fn check_distinct(group: &[NamedBot]) -> Result<(), GroupError> {
    for (nth, bot) in group.iter().enumerate() {
        if group[..nth].iter().any(|other| other.identity() == bot.identity()) {
            return Err(GroupError::SameBot(bot.name().to_string()));
        }
    }
    Ok(())
}

/// Checks that the bots of a group are samples of training seeds. Either all are trained, each with
/// its own seed, or all are fixed bots without a training seed.
///
/// # Errors
/// They are not.
pub fn check_seeds(group: &[NamedBot]) -> Result<(), GroupError> {
    let is_seedless = |bot: &&NamedBot| bot.training().is_none();
    if let Some(seedless) = group.iter().find(is_seedless)
        && !group.iter().all(|bot| is_seedless(&bot))
    {
        return Err(GroupError::NoSeed(seedless.name().to_string()));
    }
    let run = |bot: &NamedBot| {
        bot.training().map(|training| (training.seed, training.recipe_hash.clone()))
    };
    for (nth, bot) in group.iter().enumerate() {
        let same = group[..nth].iter().find(|other| run(other).is_some() && run(other) == run(bot));
        if let Some(other) = same {
            return Err(GroupError::SameSeed(other.name().to_string(), bot.name().to_string()));
        }
    }
    Ok(())
}
