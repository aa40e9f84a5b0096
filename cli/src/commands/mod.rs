//! The subcommands, one file each.

pub mod bench;
pub mod bot;
pub mod deal;
pub mod eval;
pub mod export;
pub mod page;
pub mod play;
pub mod replay;
pub mod review;
pub mod serve;
pub mod solve;
pub mod train;

/// The rule set of a name or path, as an error for people.
pub fn rules(name: &str) -> anyhow::Result<&'static troel_env::RuleSet> {
    troel_agents::find_rules(name).map_err(anyhow::Error::msg)
}
