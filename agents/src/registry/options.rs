//! Options in the names of bots: `pimc:worlds=N,solve=M`, `search:BOT:worlds=N,endings=K`.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::search::{Pimc, SearchBudget};

/// Number of worlds without `worlds=N`.
pub(super) const DEFAULT_SEARCH_WORLDS: usize = 20;
/// Largest number of worlds.
pub(super) const MAX_WORLDS: usize = 100_000;
/// Largest number of milliseconds of a decision.
pub(super) const MAX_MILLISECONDS: u64 = 60_000;
/// Allowed values of `solve=M`: solve with at most M cards in hand. With more than 11, single
/// worlds can take seconds.
pub(super) const SOLVE_RANGE: RangeInclusive<u32> = 0..=11;
/// Allowed values of `endings=K`: search with at most K cards in hand.
pub(super) const ENDINGS_RANGE: RangeInclusive<u32> = 2..=8;

/// Options of `pimc:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PimcOptions {
    /// Number of worlds.
    pub worlds: usize,
    /// Maximum number of cards in hand at which worlds are solved.
    pub max_solved_cards: u32,
}

impl PimcOptions {
    /// Parses options separated by commas. Returns `None` if one is unknown, repeated or out of
    /// its range.
    pub fn parse(options: Option<&str>) -> Option<PimcOptions> {
        let (mut worlds, mut solve) = (None, None);
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            match option.split_once('=')? {
                ("worlds", n) if worlds.is_none() => worlds = Some(parse_worlds(n)?),
                ("solve", n) if solve.is_none() => {
                    solve = Some(n.parse().ok().filter(|n| SOLVE_RANGE.contains(n))?);
                }
                _ => return None,
            }
        }
        Some(PimcOptions {
            worlds: worlds.unwrap_or(DEFAULT_SEARCH_WORLDS),
            max_solved_cards: solve.unwrap_or(Pimc::DEFAULT_MAX_SOLVED_CARDS),
        })
    }
}

/// Options of `search:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SearchOptions {
    /// Worlds or time of a decision.
    pub budget: SearchBudget,
    /// Maximum number of cards in hand at which the bot searches and solves worlds. `None` if it
    /// always searches.
    pub max_solved_cards: Option<u32>,
}

impl SearchOptions {
    /// Keys of the options.
    pub const KEYS: [&str; 3] = ["worlds", "ms", "endings"];

    /// Parses options separated by commas. Returns `None` if one is unknown, repeated or out of
    /// its range.
    pub fn parse(options: Option<&str>) -> Option<SearchOptions> {
        let (mut budget, mut endings) = (None, None);
        for option in options.into_iter().flat_map(|options| options.split(',')) {
            match option.split_once('=')? {
                ("worlds", n) if budget.is_none() => {
                    budget = Some(SearchBudget::Worlds(parse_worlds(n)?));
                }
                // A page has no clock that a bot could read.
                ("ms", m) if budget.is_none() && !cfg!(target_family = "wasm") => {
                    let m = m.parse().ok().filter(|m| (1..=MAX_MILLISECONDS).contains(m))?;
                    budget = Some(SearchBudget::Time(Duration::from_millis(m)));
                }
                ("endings", k) if endings.is_none() => {
                    endings = Some(k.parse().ok().filter(|k| ENDINGS_RANGE.contains(k))?);
                }
                _ => return None,
            }
        }
        let budget = budget.unwrap_or(SearchBudget::Worlds(DEFAULT_SEARCH_WORLDS));
        Some(SearchOptions { budget, max_solved_cards: endings })
    }

    /// Returns the options as part of a bot's identity.
    pub fn suffix(&self) -> String {
        let endings = self.max_solved_cards.map(|cards| format!(",endings={cards}"));
        let endings = endings.unwrap_or_default();
        match self.budget {
            SearchBudget::Worlds(n) => format!(":search:worlds={n}{endings}"),
            SearchBudget::Time(limit) => format!(":search:ms={}{endings}", limit.as_millis()),
        }
    }
}

fn parse_worlds(text: &str) -> Option<usize> {
    text.parse().ok().filter(|n| (1..=MAX_WORLDS).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_once() {
        let parse = |text| SearchOptions::parse(Some(text));
        let found = parse("endings=5,worlds=50").expect("options");
        assert_eq!(
            found,
            SearchOptions { budget: SearchBudget::Worlds(50), max_solved_cards: Some(5) }
        );
        assert_eq!(found, parse("worlds=50,endings=5").expect("options"));
        assert_eq!(found.suffix(), ":search:worlds=50,endings=5");
        assert_eq!(parse("worlds=7").expect("options").suffix(), ":search:worlds=7");
        let default = SearchOptions::parse(None).expect("options");
        assert_eq!(default.budget, SearchBudget::Worlds(DEFAULT_SEARCH_WORLDS));
        for bad in [
            "endings=1",
            "endings=9",
            "endings=",
            "worlds=5,ms=5",
            "worlds=5,worlds=5",
            "endings=5,endings=5",
            "worlds=5,cards=2",
            "worlds=5,",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
