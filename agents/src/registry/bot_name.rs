//! Names of bots, split into their parts.

use super::options::SearchOptions;

/// Name of a bot, split into its parts. Options are not checked yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BotName<'a> {
    /// Built-in bot, which needs no file and no program.
    BuiltIn(BuiltIn<'a>),
    /// `bot:COMMAND`, an external program.
    Program {
        /// Shell command, after its time limit if it has one.
        command: &'a str,
    },
    /// `BUNDLE` or `BUNDLE:sample`.
    Network {
        /// Name or path of the bundle.
        bundle: &'a str,
        /// Whether actions are sampled from the policy.
        is_sampling: bool,
    },
    /// `search:BUNDLE` or `search:BUNDLE:OPTIONS`, which adds look-ahead.
    Search {
        /// Name or path of the bundle.
        bundle: &'a str,
        /// Options, separated by commas.
        options: Option<&'a str>,
    },
}

/// Name of a built-in bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn<'a> {
    /// `random`.
    Random,
    /// `rules`, the heuristic bot.
    Heuristic,
    /// `expert`.
    Expert,
    /// `pimc` or `pimc:OPTIONS`.
    Pimc {
        /// Options, separated by commas.
        options: Option<&'a str>,
    },
}

impl<'a> BotName<'a> {
    /// Splits a name into its parts. A name of no other form is that of a bundle.
    pub fn parse(name: &'a str) -> BotName<'a> {
        match name.split_once(':') {
            None if name == "random" => BotName::BuiltIn(BuiltIn::Random),
            None if name == "rules" => BotName::BuiltIn(BuiltIn::Heuristic),
            None if name == "expert" => BotName::BuiltIn(BuiltIn::Expert),
            None if name == "pimc" => BotName::BuiltIn(BuiltIn::Pimc { options: None }),
            Some(("pimc", text)) => BotName::BuiltIn(BuiltIn::Pimc { options: Some(text) }),
            Some(("bot", command)) => BotName::Program { command },
            Some(("search", text)) => {
                let (bundle, options) = split_search(text);
                BotName::Search { bundle, options }
            }
            _ => match name.strip_suffix(":sample") {
                Some(bundle) => BotName::Network { bundle, is_sampling: true },
                None => BotName::Network { bundle: name, is_sampling: false },
            },
        }
    }

    /// Returns the name or path of the bundle, or `None` for bots without one.
    pub fn bundle(self) -> Option<&'a str> {
        match self {
            BotName::Network { bundle, .. } | BotName::Search { bundle, .. } => Some(bundle),
            _ => None,
        }
    }
}

/// Splits the text after `search:` into the bundle and its options, if there are any. Text with a
/// slash is part of a path.
fn split_search(text: &str) -> (&str, Option<&str>) {
    let split = text.rsplit_once(':').and_then(|(path, options)| {
        let (key, _) = options.split_once('=')?;
        let is_option = SearchOptions::KEYS.contains(&key);
        (is_option && !options.contains(['/', '\\'])).then_some((path, Some(options)))
    });
    split.unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_into_parts() {
        let network = |bundle, is_sampling| BotName::Network { bundle, is_sampling };
        let pimc = |options| BotName::BuiltIn(BuiltIn::Pimc { options });
        let search = |bundle, options| BotName::Search { bundle, options };
        for (name, parts) in [
            ("rules", BotName::BuiltIn(BuiltIn::Heuristic)),
            ("rules:sample", network("rules", true)),
            ("pimc", pimc(None)),
            ("pimc:", pimc(Some(""))),
            ("pimcs", network("pimcs", false)),
            ("bot:limit=2:x:sample", BotName::Program { command: "limit=2:x:sample" }),
            ("search:a", search("a", None)),
            ("search:a:worlds=5", search("a", Some("worlds=5"))),
            ("search:a:worlds=5/bot", search("a:worlds=5/bot", None)),
            ("C:\\a:b", network("C:\\a:b", false)),
        ] {
            assert_eq!(BotName::parse(name), parts, "{name}");
        }
    }
}
