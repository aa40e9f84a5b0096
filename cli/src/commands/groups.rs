//! Groups of bots that are compared: bots of one recipe and several training seeds, or fixed bots.

use anyhow::{bail, ensure};
use troel_agents::NamedBot;
use troel_env::RuleSet;
use troel_eval::{DealRange, DuplicateConfig, independent_units};

use crate::commands;

/// Returns the names of bots.
pub fn names(bots: &[NamedBot]) -> Vec<&str> {
    bots.iter().map(NamedBot::name).collect()
}

/// Returns the settings of the comparison of each pair of bots, with enough deals for an interval.
pub fn duplicate_config(
    rules: &'static RuleSet,
    deals: DealRange,
    seed: u64,
) -> anyhow::Result<DuplicateConfig> {
    let config = DuplicateConfig::new(rules, deals, seed);
    ensure!(
        independent_units(&config) > 1,
        "--deals {}: too few for an interval; use at least 2, or 16 where the deck is never \
         shuffled",
        commands::deals_text(deals)
    );
    Ok(config)
}

/// Returns the bots of a group, all different.
pub fn bots(names: &[String], rules: &'static RuleSet) -> anyhow::Result<Vec<NamedBot>> {
    let group =
        names.iter().map(|name| NamedBot::find(name, rules)).collect::<Result<Vec<_>, _>>()?;
    for (nth, bot) in group.iter().enumerate() {
        let same = group[..nth].iter().find(|other| other.identity() == bot.identity());
        ensure!(
            same.is_none(),
            "{} is listed twice in its group, or two runs gave the same weights; name each \
             training seed once",
            bot.name()
        );
    }
    Ok(group)
}

/// Checks that the bots of a group are samples of training seeds. Either all are trained, each with
/// its own seed, or all are fixed bots without a training seed.
pub fn check_group(group: &[NamedBot]) -> anyhow::Result<()> {
    let is_seedless = |bot: &&NamedBot| bot.training().is_none();
    if let Some(seedless) = group.iter().find(is_seedless) {
        ensure!(
            group.iter().all(|bot| is_seedless(&bot)),
            "{} has no training seed, but other bots of its group have one; compare them \
             separately",
            seedless.name()
        );
    }
    let run = |bot: &NamedBot| {
        bot.training().map(|training| (training.seed, training.recipe_hash.clone()))
    };
    for (nth, bot) in group.iter().enumerate() {
        let same = group[..nth].iter().find(|other| run(other).is_some() && run(other) == run(bot));
        if let Some(other) = same {
            bail!(
                "{} and {} have the same recipe and training seed; name one bot per training seed",
                other.name(),
                bot.name()
            );
        }
    }
    Ok(())
}

/// Checks that no option is among the names of bots, where it would be read as a name.
pub fn check_names(names: &[&str]) -> anyhow::Result<()> {
    let option = names.iter().find(|name| name.starts_with("--"));
    ensure!(
        option.is_none(),
        "{}: options come before the bots; move it in front of the first bot",
        option.unwrap_or(&"")
    );
    Ok(())
}
