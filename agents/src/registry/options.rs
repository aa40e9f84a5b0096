//! Parsing of bot names: `pimc:worlds=N,solve=M`, `BOT:sample`, `search:BOT:worlds=N,endings=K`.

use std::ops::RangeInclusive;
use std::time::Duration;

use super::RegistryError;
use crate::search::{Effort, Pimc};

/// Number of worlds without `worlds=N`.
pub(super) const WORLDS: usize = 20;
/// Largest number of worlds.
pub(super) const MAX_WORLDS: usize = 100_000;
/// Largest number of milliseconds of a decision.
pub(super) const MAX_MILLISECONDS: u64 = 60_000;
/// Cards in hand from which on `pimc` may solve. With more, single worlds can take seconds.
pub(super) const SOLVE: RangeInclusive<u32> = 0..=11;
/// Allowed values of `endings=K`: search with at most K cards in hand.
pub(super) const ENDINGS: RangeInclusive<u32> = 2..=8;

/// Options of `search:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchOptions {
    /// Worlds or time of a decision.
    pub effort: Effort,
    /// Cards in hand from which on the bot searches; `None` if it searches all decisions.
    pub endings: Option<u32>,
}

impl SearchOptions {
    /// The options of the bot `name`, as [`split`] returns them.
    ///
    /// # Errors
    /// An option is unknown, given twice or out of its range.
    pub fn parse(name: &str, options: Option<&str>) -> Result<SearchOptions, RegistryError> {
        let fault = || RegistryError::Lookahead(name.to_string());
        let (mut effort, mut endings) = (None, None);
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            match option.split_once('=').ok_or_else(fault)? {
                ("worlds", n) if effort.is_none() => {
                    let n = n.parse().ok().filter(|n| (1..=MAX_WORLDS).contains(n));
                    effort = Some(Effort::Worlds(n.ok_or_else(fault)?));
                }
                // A page has no clock that a bot could read.
                ("ms", m) if effort.is_none() && !cfg!(target_family = "wasm") => {
                    let m = m.parse().ok().filter(|m| (1..=MAX_MILLISECONDS).contains(m));
                    effort = Some(Effort::Time(Duration::from_millis(m.ok_or_else(fault)?)));
                }
                ("endings", k) if endings.is_none() => {
                    let k = k.parse().ok().filter(|k| ENDINGS.contains(k));
                    endings = Some(k.ok_or_else(fault)?);
                }
                _ => return Err(fault()),
            }
        }
        Ok(SearchOptions { effort: effort.unwrap_or(Effort::Worlds(WORLDS)), endings })
    }

    /// The options as part of a bot's identity.
    pub fn suffix(&self) -> String {
        let endings = self.endings.map(|cards| format!(",endings={cards}")).unwrap_or_default();
        match self.effort {
            Effort::Worlds(n) => format!(":search:worlds={n}{endings}"),
            Effort::Time(limit) => format!(":search:ms={}{endings}", limit.as_millis()),
        }
    }
}

/// Splits the text after `search:` into the checkpoint and its options, if there are any. Text with
/// a slash is part of a path.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    let split = text.rsplit_once(':').and_then(|(path, options)| {
        let (key, _) = options.split_once('=')?;
        let is_option = ["worlds", "ms", "endings"].contains(&key);
        (is_option && !options.contains(['/', '\\'])).then_some((path, Some(options)))
    });
    split.unwrap_or((text, None))
}

/// Returns the name or path of the checkpoint in the name of a bot.
///
/// It is `X` for `X`, `X:sample`, `search:X`, and `search:X:worlds=N` or another option. Names of
/// other bots are returned unchanged.
pub fn checkpoint_of(name: &str) -> &str {
    match name.strip_prefix("search:") {
        Some(text) => split(text).0,
        None => name.strip_suffix(":sample").unwrap_or(name),
    }
}

/// The number of worlds, and the cards in hand from which on they are solved, in a name such as
/// `pimc:worlds=20,solve=9`. Both may be left out.
///
/// # Errors
/// An option is unknown, given twice or out of its range.
pub(super) fn pimc(name: &str) -> Result<(usize, u32), RegistryError> {
    let fault = || RegistryError::Search(name.to_string());
    let (mut worlds, mut solve) = (None, None);
    let options = name.strip_prefix("pimc:").map(|options| options.split(','));
    for option in options.into_iter().flatten() {
        match option.split_once('=').ok_or_else(fault)? {
            ("worlds", n) if worlds.is_none() => {
                let n = n.parse().ok().filter(|n| (1..=MAX_WORLDS).contains(n));
                worlds = Some(n.ok_or_else(fault)?);
            }
            ("solve", n) if solve.is_none() => {
                solve = Some(n.parse().ok().filter(|n| SOLVE.contains(n)).ok_or_else(fault)?);
            }
            _ => return Err(fault()),
        }
    }
    Ok((worlds.unwrap_or(WORLDS), solve.unwrap_or(Pimc::SOLVED_CARDS)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_once() {
        let parse = |text: &str| SearchOptions::parse("search:x", split(text).1);
        let found = parse("x:endings=5,worlds=50").expect("options");
        assert_eq!(found, SearchOptions { effort: Effort::Worlds(50), endings: Some(5) });
        assert_eq!(found, parse("x:worlds=50,endings=5").expect("options"));
        assert_eq!(found.suffix(), ":search:worlds=50,endings=5");
        assert_eq!(parse("x:worlds=7").expect("options").suffix(), ":search:worlds=7");
        assert_eq!(parse("x").expect("options").effort, Effort::Worlds(WORLDS));
        for bad in [
            "x:endings=1",
            "x:endings=9",
            "x:endings=",
            "x:worlds=5,ms=5",
            "x:worlds=5,worlds=5",
            "x:endings=5,endings=5",
            "x:worlds=5,cards=2",
            "x:worlds=5,",
        ] {
            assert!(matches!(parse(bad), Err(RegistryError::Lookahead(_))), "{bad}");
        }
        assert_eq!(split("a:worlds=5"), ("a", Some("worlds=5")));
        assert_eq!(split("a:worlds=5/bot"), ("a:worlds=5/bot", None));
    }
}
