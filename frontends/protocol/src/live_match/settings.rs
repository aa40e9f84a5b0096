//! Settings of a match.

use std::num::NonZeroU32;

use troel_agents::NamedBot;
use troel_env::{BySeat, Deal, RuleSet};

/// Rules, bots and cards of a new match.
#[derive(Clone)]
pub struct MatchSettings {
    /// The rules.
    pub rules: &'static RuleSet,
    /// The bot of each seat. The bots of the persons' seats give hints.
    pub bots: BySeat<NamedBot>,
    /// Seed of the deals and of the bots.
    pub seed: u64,
    /// Number of deals. If `None`, the match goes on to the target of the rules, or without end.
    pub length: Option<NonZeroU32>,
    /// The first deal; if `None`, the first deal of the seed.
    pub deal: Option<Deal>,
}

impl MatchSettings {
    /// Creates settings with the same bot at every seat.
    pub fn new(rules: &'static RuleSet, bot: NamedBot, seed: u64) -> MatchSettings {
        MatchSettings {
            rules,
            bots: BySeat::from_fn(|_| bot.clone()),
            seed,
            length: None,
            deal: None,
        }
    }
}
