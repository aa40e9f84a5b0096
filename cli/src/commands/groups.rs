//! Groups of bots that are compared: bots of one recipe and several training seeds, or fixed bots.

use anyhow::ensure;
use troel_agents::NamedBot;
use troel_env::RuleSet;
use troel_eval::{DealRange, DuplicateConfig, check_distinct, independent_units};

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
    check_distinct(&group)?;
    Ok(group)
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
