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
    /// Contents of `bot.toml` and `model.safetensors`.
    files: Option<(&'static str, &'static [u8])>,
}

#[cfg(feature = "released")]
macro_rules! files {
    ($name:literal) => {
        Some((
            include_str!(concat!("../../checkpoints/", $name, "/bot.toml")),
            include_bytes!(concat!("../../checkpoints/", $name, "/model.safetensors")),
        ))
    };
}

#[cfg(not(feature = "released"))]
macro_rules! files {
    ($name:literal) => {
        None
    };
}

macro_rules! released {
    ($($name:literal: $purpose:expr,)*) => {
        /// The released bots.
        pub const RELEASED: &[ReleasedBot] =
            &[$(ReleasedBot { name: $name, purpose: $purpose, files: files!($name) },)*];
    };
}

released! {
    "luxembourg-v5": ReleasedFor::Points("luxembourg"),
    "horesca-v5": ReleasedFor::Points("horesca"),
    "wiezen-v5": ReleasedFor::Points("wiezen"),
    "iwwa-v5": ReleasedFor::Points("iwwa"),
    "luxembourg-match-v1": ReleasedFor::Matches("luxembourg"),
    "horesca-match-v1": ReleasedFor::Matches("horesca"),
    "universal-v2": ReleasedFor::AnyRules,
}

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
pub(crate) fn contents(name: &str) -> Option<(&'static str, &'static [u8])> {
    RELEASED.iter().find(|bot| bot.name == name)?.files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bot_for_any_rules_is_released() {
        assert_eq!(released_for(ReleasedFor::AnyRules), Some(ANY_RULES_BOT));
    }
}
