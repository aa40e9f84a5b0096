//! The subcommands, one file each, and the functions that they share.

mod arguments;
pub mod behaviour;
pub mod bench;
pub mod benchmark;
pub mod bid;
pub mod bot;
pub mod calibration;
pub mod compare;
pub mod completions;
pub mod corpus;
pub mod deal;
pub mod doctor;
pub mod eval;
pub mod exploit;
pub mod export;
mod groups;
pub mod ladder;
pub mod merge;
pub mod nashconv;
pub mod page;
pub mod play;
pub mod problems;
pub mod replay;
pub mod review;
pub mod rules;
pub mod serve;
pub mod solve;
pub mod tables;
pub mod train;
pub mod verify;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use troel_agents::NamedBot;
use troel_agents::registry::{self, ReleasedFor};
use troel_env::{RuleSet, Seat};
use troel_web::Words;

use crate::output;

pub use self::arguments::{
    DealSeed, RulesArg, ScopeArg, SeatArg, Threads, WeightsArg, deal_range, deal_range_at_once,
    deals_text, decimal, number, scenario, seed,
};

/// Returns the rule set of a name or path.
pub fn rules(name: &str) -> anyhow::Result<&'static RuleSet> {
    Ok(troel_agents::find_rules(name)?)
}

/// Rule set of commands where neither an option nor a bot names one.
pub const DEFAULT_RULES: &str = "luxembourg";

/// Returns the rule set of the option `--rules`. Without the option, returns that of the trained
/// bots among those named and says so on standard error; without such bots [`DEFAULT_RULES`].
pub fn rules_for(option: Option<&str>, bots: &[&str]) -> anyhow::Result<&'static RuleSet> {
    if let Some(name) = option {
        return rules(name);
    }
    match troel_agents::rules_of_bots(bots)? {
        Some((rules, bot)) => {
            output::note(&format!("rules: {} (from {bot}; --rules changes them)", rules.id()));
            Ok(rules)
        }
        None => rules(DEFAULT_RULES),
    }
}

/// Finds a bot for rules that `source` decides, in a command without an option for them.
///
/// # Errors
/// There is no such bot, or it was trained for other rules.
pub fn bot_for(name: &str, rules: &'static RuleSet, source: &str) -> anyhow::Result<NamedBot> {
    NamedBot::find(name, rules).map_err(|error| {
        let trained_for =
            registry::find_bundle_of_bot(name).ok().flatten().and_then(|(_, found)| {
                let info = found.info();
                let is_other = !info.any_rules && info.rules != rules.id();
                is_other.then(|| info.rules.clone())
            });
        match trained_for {
            Some(own) => anyhow::anyhow!(
                "{name} was trained for rule set {own}, but {source} uses {}: name a bot for these \
                 rules, or one for any rules, such as {}",
                rules.id(),
                registry::ANY_RULES_BOT
            ),
            None => error.into(),
        }
    })
}

/// Returns the default bot for opponents, hints and reviews: the released bot of the rule set, else
/// the bot for any rules. `expert` replaces a released bot that cannot be used.
///
/// # Errors
/// None of them can be used.
pub fn default_bot(rules: &'static RuleSet) -> anyhow::Result<NamedBot> {
    let purposes = [ReleasedFor::Points(rules.id()), ReleasedFor::AnyRules];
    let mut released = purposes.into_iter().filter_map(registry::released_for);
    let found = released.find_map(|name| NamedBot::find(name, rules).ok());
    Ok(found.map_or_else(|| NamedBot::find("expert", rules), Ok)?)
}

/// Reads an option `--language`.
pub fn language_codes() -> PossibleValuesParser {
    PossibleValuesParser::new(troel_web::LANGUAGES)
}

/// Returns the texts of a language, one of [`language_codes`].
pub fn words(language: &str) -> anyhow::Result<Words> {
    Words::from_language(language).context("--language: there are no texts")
}

/// Returns the key of a seat's name in [`Words`].
pub fn seat_key(seat: Seat) -> &'static str {
    ["seats.N", "seats.E", "seats.S", "seats.W"][seat.index()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_bot_is_the_released_one() {
        let name = |rules| default_bot(rules).expect("a released bot").name().to_string();
        let built_in = RuleSet::built_in("wiezen").expect("built in");
        let released = registry::released_for(ReleasedFor::Points("wiezen"));
        assert_eq!(Some(name(built_in).as_str()), released);
        let mut spec = built_in.spec().clone();
        spec.id = "club".to_string();
        let club = RuleSet::from_spec(spec, "a test").expect("rules");
        assert_eq!(name(club), registry::ANY_RULES_BOT);
    }

    #[test]
    fn rules_that_have_changed_are_told_from_others() {
        let refused = |rules: &'static RuleSet| {
            let bot = concat!(env!("CARGO_MANIFEST_DIR"), "/../checkpoints/wiezen-v5");
            bot_for(bot, rules, "the corpus").expect_err("not its rules").to_string()
        };
        let other = refused(RuleSet::built_in("iwwa").expect("built in"));
        assert!(other.contains("for rule set wiezen, but the corpus uses iwwa"), "{other}");
        let mut spec = RuleSet::built_in("wiezen").expect("built in").spec().clone();
        spec.match_target += 1;
        let changed = refused(RuleSet::from_spec(spec, "a test").expect("rules"));
        assert!(changed.contains("have changed since"), "{changed}");
    }
}
