//! Best responses: largest gain of several methods against three copies of a bot.
//!
//! Each candidate plays one seat against three copies of the bot. The largest of several noisy
//! means is biased upwards, so one set of deals chooses the candidate and other deals measure its
//! gain. That gain is a lower bound of the bot's exploitability: no candidate is a best response,
//! only an approximation (Lisý and Bowling 2017, on local best responses).

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_env::{RuleSet, printable};

use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateBots, DuplicateConfig, play_duplicate};
use crate::error::EvalError;
use crate::series::DEALS_PER_SERIES;
use crate::statistics::{ClusteredMean, Estimate, Interval};

/// Method that finds a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// Trained against the bot by PPO.
    Ppo,
    /// A search that knows the bot's policy.
    Search,
    /// The bot itself, with its last cards chosen by a search.
    Endings,
    /// An existing bot: released, `expert` or `rules`.
    Released,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 4] = [Method::Ppo, Method::Search, Method::Endings, Method::Released];

    /// Returns the name used in options and results.
    pub const fn name(self) -> &'static str {
        ["ppo", "search", "endings", "released"][self as usize]
    }

    /// Returns the method of this name.
    pub fn parse(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// A bot that may exploit another.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Method that found it.
    pub method: Method,
    /// The bot.
    pub bot: NamedBot,
    /// Number of deals that decide whether it is chosen.
    pub deals: u64,
    /// Number of deals that measure its gain if it is chosen.
    pub held_out: u64,
}

/// Gain of a candidate over some deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gain {
    /// Method that found the candidate.
    pub method: Method,
    /// Name of the candidate.
    pub bot: String,
    /// Identity of the candidate: a hash of the weights of a trained bot, the name of another.
    pub identity: String,
    /// Deals played.
    pub deals: DealRange,
    /// Points per deal beyond those of the exploited bot in the same seat on the same deals.
    pub points_per_deal: f64,
    /// 95 % confidence interval.
    pub ci95: Interval,
}

/// Gains of all candidates, and the gain of the chosen one on other deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploitation {
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// Name of the exploited bot.
    pub bot: String,
    /// Its identity.
    pub identity: String,
    /// Seed of the deals and of the bots' random draws.
    pub seed: u64,
    /// Gains on the deals that choose.
    pub candidates: Vec<Gain>,
    /// Gain of the candidate with the highest mean, on deals that did not choose it; `None` if no
    /// candidate gained.
    pub held_out: Option<Gain>,
}

/// Progress of [`exploit`].
#[derive(Clone, Copy, Debug)]
pub enum ExploitEvent<'a> {
    /// The candidate of this index begins: its deals that choose, or the held-out ones.
    Begins {
        /// Index of the candidate.
        candidate: usize,
        /// Whether these are the held-out deals.
        held_out: bool,
    },
    /// Deals played, in parts of deals.
    Deals(f64),
    /// A candidate is done.
    Done(&'a Gain),
}

/// Plays every candidate, one seat against three copies of `bot`, on deals from 0 on. Then plays
/// the one with the highest mean, if that is above 0, on deals after all of these; without such a
/// candidate `held_out` is `None`. Ties go to the first candidate.
///
/// # Errors
/// A bot failed.
pub fn exploit(
    rules: &'static RuleSet,
    seed: u64,
    bot: &NamedBot,
    candidates: &[Candidate],
    watch: &(dyn Fn(ExploitEvent<'_>) + Sync),
) -> Result<Exploitation, EvalError> {
    let play = |candidate: usize, deals: DealRange, held_out: bool| {
        watch(ExploitEvent::Begins { candidate, held_out });
        let Candidate { method, bot: challenger, .. } = &candidates[candidate];
        let config = DuplicateConfig::new(rules, deals, seed);
        let bots = DuplicateBots::full(challenger, bot);
        let result = play_duplicate(&config, bots, &|n| watch(ExploitEvent::Deals(n)))?;
        let gain = Gain::new(*method, challenger, deals, &result.difference);
        watch(ExploitEvent::Done(&gain));
        Ok::<_, EvalError>(gain)
    };
    let mut gains = Vec::new();
    for (nth, candidate) in candidates.iter().enumerate() {
        gains.push(play(nth, DealRange::new(0, candidate.deals), false)?);
    }
    let held_out = match best(&gains) {
        Some(nth) => {
            // Deals from one gathered deck are not cut in two.
            let played = candidates.iter().map(|candidate| candidate.deals).max().unwrap_or(0);
            let first = played.next_multiple_of(DEALS_PER_SERIES);
            let deals = DealRange::new(first, first + candidates[nth].held_out);
            Some(play(nth, deals, true)?)
        }
        None => None,
    };
    Ok(Exploitation {
        rules: rules.id().to_string(),
        rules_hash: rules.hash().to_string(),
        bot: bot.name().to_string(),
        identity: bot.identity().to_string(),
        seed,
        candidates: gains,
        held_out,
    })
}

/// Returns the index of the candidate with the highest positive mean.
fn best(gains: &[Gain]) -> Option<usize> {
    let gaining = (0..gains.len()).filter(|&nth| gains[nth].points_per_deal > 0.0);
    gaining.max_by(|&a, &b| {
        gains[a].points_per_deal.total_cmp(&gains[b].points_per_deal).then(b.cmp(&a))
    })
}

impl Gain {
    fn new(method: Method, bot: &NamedBot, deals: DealRange, difference: &ClusteredMean) -> Gain {
        Gain {
            method,
            bot: bot.name().to_string(),
            identity: bot.identity().to_string(),
            deals,
            points_per_deal: difference.mean(),
            ci95: difference.interval(),
        }
    }

    /// Returns whether the interval excludes zero.
    pub fn is_significant(&self) -> bool {
        self.ci95.is_clear_of(0.0)
    }

    /// Formats the mean with its interval.
    pub fn cell(&self) -> String {
        let mean = self.points_per_deal;
        Estimate::new(mean, self.ci95.high - mean).text(2)
    }

    fn row(&self, width: usize) -> String {
        let note = match (self.ci95.is_finite(), self.is_significant()) {
            (true, true) => "",
            (true, false) => "  not significant",
            (false, _) => "  too few deals for an interval",
        };
        format!(
            "{:<9} {:<width$}  {:>6}  {}{note}\n",
            self.method.name(),
            printable(&self.bot),
            self.deals.len(),
            self.cell()
        )
    }
}

impl Exploitation {
    /// Formats the gains as a text table, and the lower bound in words.
    pub fn table(&self) -> String {
        let name = printable(&self.bot);
        let names = self.candidates.iter().map(|gain| printable(&gain.bot).chars().count());
        let width = names.max().unwrap_or(0).max(3);
        let mut out = format!(
            "{} · seed {} · one seat against three copies of {name}\n",
            printable(&self.rules),
            self.seed
        );
        let _ = writeln!(
            out,
            "{:<9} {:<width$}  {:>6}  points per deal beyond {name} (95 %)",
            "method", "bot", "deals"
        );
        self.candidates.iter().for_each(|gain| out += &gain.row(width));
        match &self.held_out {
            Some(gain) => {
                out += "\nthe best of these, on other deals:\n";
                out += &gain.row(width);
                let DealRange { first, end } = gain.deals;
                let _ = writeln!(
                    out,
                    "{}",
                    match gain.ci95 {
                        ci95 if ci95.low > 0.0 => format!(
                            "estimated lower bound of exploitability: {} points per deal ({}, deals \
                             {first} to {}, one seed)",
                            gain.cell(),
                            gain.method.name(),
                            end - 1
                        ),
                        ci95 if !ci95.is_finite() =>
                            "no gain is shown: too few deals for an interval".into(),
                        ci95 if ci95.high < 0.0 =>
                            "no gain is shown: the best method loses on other deals".into(),
                        _ => "no gain is shown: the interval of the best method holds zero".into(),
                    }
                );
            }
            None => out += "\nno method gains: the estimated lower bound of exploitability is 0\n",
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use troel_agents::Random;

    use super::*;

    fn candidate(method: Method, bot: NamedBot, deals: u64) -> Candidate {
        Candidate { method, bot, deals, held_out: deals }
    }

    fn found(rules: &str, bot: &str, candidates: &[Candidate]) -> Exploitation {
        let rules = RuleSet::built_in(rules).expect("built in");
        let bot = NamedBot::find(bot, rules).expect("a bot");
        exploit(rules, 3, &bot, candidates, &|_| ()).expect("played")
    }

    fn named(name: &str) -> NamedBot {
        NamedBot::find(name, RuleSet::built_in("wiezen").expect("built in")).expect("a bot")
    }

    #[test]
    fn a_bot_with_an_obvious_hole_is_exploited() {
        let candidates = [
            candidate(Method::Released, named("random"), 32),
            candidate(Method::Released, named("rules"), 64),
        ];
        let found = found("wiezen", "random", &candidates);
        let held_out = found.held_out.as_ref().expect("a gain");
        assert_eq!((held_out.bot.as_str(), held_out.deals), ("rules", DealRange::new(64, 128)));
        assert!(held_out.ci95.low > 3.0, "{held_out:?}");
        let table = found.table();
        assert!(table.contains("estimated lower bound of exploitability: +"), "{table}");
        assert!(table.contains("(released, deals 64 to 127, one seed)"), "{table}");
    }

    #[test]
    fn a_bot_gains_nothing_against_itself() {
        for rules in ["luxembourg", "iwwa"] {
            let found = found(rules, "rules", &[candidate(Method::Ppo, named("rules"), 40)]);
            assert_eq!(found.candidates[0].points_per_deal, 0.0);
            assert_eq!(found.candidates[0].ci95, Interval { low: 0.0, high: 0.0 });
            assert_eq!(found.held_out, None);
            assert!(found.table().contains("no method gains"), "{}", found.table());
        }
    }

    /// Checks that the luckiest of ten bots without a gain loses its apparent gain on other deals.
    #[test]
    fn held_out_deals_show_what_luck_was() {
        let lucky = |seed: u64| {
            let bot =
                NamedBot::new(&format!("random {seed}"), move |_| Box::new(Random::new(seed)));
            candidate(Method::Released, bot, 40)
        };
        let mut candidates: Vec<Candidate> = (100..110).map(lucky).collect();
        candidates.iter_mut().for_each(|candidate| candidate.held_out = 400);
        let found = found("wiezen", "random", &candidates);
        let held_out = found.held_out.expect("one of ten has a mean above zero");
        let chosen = found.candidates.iter().find(|gain| gain.bot == held_out.bot);
        let chosen = chosen.expect("a candidate");
        assert!(chosen.points_per_deal > 2.0, "{chosen:?}");
        assert!(found.candidates.iter().all(|g| g.points_per_deal <= chosen.points_per_deal));
        assert!(!held_out.is_significant(), "{held_out:?}");
        assert!(held_out.points_per_deal < chosen.points_per_deal / 2.0, "{held_out:?}");
    }

    /// Checks that the deals of one gathered deck are not split between choosing and measuring.
    #[test]
    fn series_are_not_cut() {
        let found = found("iwwa", "random", &[candidate(Method::Released, named("rules"), 21)]);
        assert_eq!(found.held_out.expect("a gain").deals, DealRange::new(24, 45));
    }
}
