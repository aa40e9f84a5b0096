//! The released bots: their names, and what is compiled in of them.

/// Names of the released bots, one for each built-in rule set.
pub const RELEASED: [&str; 4] = ["luxembourg-v4", "horesca-v4", "wiezen-v4", "iwwa-v4"];

/// Names of the released bots that play to win matches, not for points, for the built-in rule sets whose matches have a target.
pub const RELEASED_FOR_MATCHES: [&str; 2] = ["luxembourg-match-v1", "horesca-match-v1"];

/// Name of the released bot that is told the rules, and plays under any.
pub const RELEASED_FOR_ANY: &str = "universal-v1";

/// The name of the released bot for a built-in rule set, by the rule set's name.
pub fn released_for(rules: &str) -> Option<&'static str> {
    let is_for = |name: &&&str| name.rsplit_once("-v").is_some_and(|(of, _)| of == rules);
    RELEASED.iter().find(is_for).copied()
}

/// The names of all released bots.
pub fn all_released() -> Vec<&'static str> {
    RELEASED.into_iter().chain(RELEASED_FOR_MATCHES).chain([RELEASED_FOR_ANY]).collect()
}

/// The contents of `bot.toml` and `model.safetensors` of a released bot, if they are compiled in.
#[cfg(feature = "released")]
pub(crate) fn contents(name: &str) -> Option<(&'static str, &'static [u8])> {
    macro_rules! bot {
        ($name:literal) => {
            (
                include_str!(concat!("../../checkpoints/", $name, "/bot.toml")),
                include_bytes!(concat!("../../checkpoints/", $name, "/model.safetensors")),
            )
        };
    }
    Some(match name {
        "horesca-match-v1" => bot!("horesca-match-v1"),
        "luxembourg-match-v1" => bot!("luxembourg-match-v1"),
        "universal-v1" => bot!("universal-v1"),
        "luxembourg-v4" => bot!("luxembourg-v4"),
        "horesca-v4" => bot!("horesca-v4"),
        "wiezen-v4" => bot!("wiezen-v4"),
        "iwwa-v4" => bot!("iwwa-v4"),
        _ => return None,
    })
}

#[cfg(not(feature = "released"))]
pub(crate) fn contents(_: &str) -> Option<(&'static str, &'static [u8])> {
    None
}
