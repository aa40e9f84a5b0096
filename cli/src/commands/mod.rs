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

/// The released bots, one for each rule set.
pub const RELEASED: [&str; 4] = ["luxembourg-v1", "horesca-v1", "wiezen-v1", "iwwa-v1"];

/// The rule set of a name or path, as an error for people.
pub fn rules(name: &str) -> anyhow::Result<&'static troel_env::RuleSet> {
    troel_agents::find_rules(name).map_err(anyhow::Error::msg)
}
