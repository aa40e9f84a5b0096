//! The released bots: name, purpose and, where they are compiled in, files.

/// Purpose of a released bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleasedFor {
    /// Points, under the built-in rule set of this name.
    Points(&'static str),
    /// Winning matches, under the built-in rule set of this name, which has a target.
    Matches(&'static str),
    /// Points, under any rule set.
    AnyRules,
}

/// A released bot.
#[derive(Clone, Copy, Debug)]
pub struct ReleasedBot {
    /// Name, which is also that of its folder in `checkpoints`.
    pub name: &'static str,
    /// Purpose of the bot.
    pub purpose: ReleasedFor,
}

/// The released bots.
pub const RELEASED: &[ReleasedBot] = &[
    ReleasedBot { name: "luxembourg-v5", purpose: ReleasedFor::Points("luxembourg") },
    ReleasedBot { name: "horesca-v5", purpose: ReleasedFor::Points("horesca") },
    ReleasedBot { name: "wiezen-v5", purpose: ReleasedFor::Points("wiezen") },
    ReleasedBot { name: "iwwa-v5", purpose: ReleasedFor::Points("iwwa") },
    ReleasedBot { name: "luxembourg-match-v1", purpose: ReleasedFor::Matches("luxembourg") },
    ReleasedBot { name: "horesca-match-v1", purpose: ReleasedFor::Matches("horesca") },
    ReleasedBot { name: "universal-v2", purpose: ReleasedFor::AnyRules },
];

/// Name of the released bot for any rules.
pub const ANY_RULES_BOT: &str = "universal-v2";

/// Returns the name of the bot that was released for this purpose.
pub fn released_for(purpose: ReleasedFor) -> Option<&'static str> {
    RELEASED.iter().find(|bot| bot.purpose == purpose).map(|bot| bot.name)
}

/// Returns the names of the bots that play for points under one built-in rule set each.
pub fn released_for_points() -> impl Iterator<Item = &'static str> {
    let is_for_points = |bot: &&ReleasedBot| matches!(bot.purpose, ReleasedFor::Points(_));
    RELEASED.iter().filter(is_for_points).map(|bot| bot.name)
}

/// Returns the names of all released bots.
pub fn all_released() -> Vec<&'static str> {
    RELEASED.iter().map(|bot| bot.name).collect()
}

/// Returns `bot.toml` and `model.safetensors` of a released bot, if they are compiled in.
#[cfg(feature = "released")]
pub(crate) fn contents(name: &str) -> Option<(&'static str, &'static [u8])> {
    let bot = troel_bots::BOTS.iter().find(|bot| bot.name == name)?;
    Some((bot.info, bot.weights))
}

/// Returns the files of a released bot: none are compiled in.
#[cfg(not(feature = "released"))]
pub(crate) fn contents(_name: &str) -> Option<(&'static str, &'static [u8])> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bot_for_any_rules_is_released() {
        assert_eq!(released_for(ReleasedFor::AnyRules), Some(ANY_RULES_BOT));
    }

    #[cfg(feature = "released")]
    #[test]
    fn the_released_bots_are_compiled_in() {
        let compiled: Vec<&str> = troel_bots::BOTS.iter().map(|bot| bot.name).collect();
        assert_eq!(all_released(), compiled);
    }
}
