//! Arguments that several commands take, and how they are read.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::thread::available_parallelism;

use anyhow::Context;
use troel_env::{RuleSet, Scenario, Seat};
use troel_eval::{DealRange, MAX_DEALS, Scope};
use troel_nn::Bundle;
use troel_nn::bundle::WeightFormat;

/// Number of threads of a command.
#[derive(Clone, Copy, clap::Args)]
pub struct Threads {
    /// Number of threads; results do not depend on it [default: all cores]
    #[arg(long, alias = "workers", value_parser = number::<u16>(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// Returns the requested number, if any.
    pub fn number(self) -> Option<u16> {
        self.threads
    }

    /// Returns the requested number, or that of the cores.
    pub fn number_or_cores(self) -> NonZeroUsize {
        let asked = self.threads.and_then(|threads| NonZeroUsize::new(threads.into()));
        asked.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    /// Sets the number of threads of the whole program. Call it once, before anything runs in
    /// parallel.
    pub fn apply(self) -> anyhow::Result<()> {
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global();
            pool.map_err(|error| {
                anyhow::anyhow!(
                    "--threads {threads}: cannot start the threads ({error}); use fewer"
                )
            })?;
        }
        Ok(())
    }
}

/// Rule set of a command that names bots.
#[derive(clap::Args)]
pub struct RulesArg {
    /// Rule set, or path of a rule file [default: that of the trained bots, else luxembourg]
    #[arg(long)]
    rules: Option<String>,
}

impl RulesArg {
    /// Returns the requested rule set or path, if any.
    pub fn name(&self) -> Option<&str> {
        self.rules.as_deref()
    }
}

/// Seed of evaluation deals.
#[derive(Clone, Copy, clap::Args)]
pub struct DealSeed {
    /// Seed of the evaluation deals; training never plays them
    #[arg(long, default_value_t = 1, value_parser = seed)]
    seed: u64,
}

impl DealSeed {
    /// Returns the seed.
    pub fn number(self) -> u64 {
        self.seed
    }
}

/// Parses a seed.
///
/// # Errors
/// The text is not a whole number of 64 bits.
pub fn seed(text: &str) -> Result<u64, String> {
    number(0..=u64::MAX)(text)
}

/// Returns a parser of whole numbers in a range. Its error says which numbers are allowed.
pub fn number<T: FromStr + PartialOrd + Display + Clone>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let parsed = text.parse().ok().filter(|number| range.contains(number));
        let (least, most) = (range.start(), range.end());
        parsed.ok_or_else(|| format!("write a whole number from {least} to {most}"))
    }
}

/// Parses a number that need not be whole.
///
/// # Errors
/// The text is not a number.
pub fn decimal(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "write a number, such as 0.5".to_string())
}

/// A seat in an option.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum SeatArg {
    N,
    E,
    S,
    W,
}

impl From<SeatArg> for Seat {
    fn from(seat: SeatArg) -> Seat {
        Seat::from_index_wrapping(seat as usize)
    }
}

/// Number format of the weights of a bot that a command writes.
#[derive(Clone, Copy, Default, clap::ValueEnum)]
pub enum WeightsArg {
    /// That of the bot
    #[default]
    Same,
    /// 32-bit floating point
    F32,
    /// 16-bit floating point: half the size
    F16,
}

impl WeightsArg {
    /// Returns the bot with weights in this format.
    pub fn apply(self, bundle: Bundle) -> Bundle {
        match self {
            WeightsArg::Same => bundle,
            WeightsArg::F32 => bundle.with_weight_format(WeightFormat::F32),
            WeightsArg::F16 => bundle.with_weight_format(WeightFormat::F16),
        }
    }
}

/// Decisions to compare.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ScopeArg {
    Full,
    Bidding,
    Play,
    All,
}

impl ScopeArg {
    /// Returns the scopes, one comparison each.
    pub fn scopes(self) -> Vec<Scope> {
        match self {
            ScopeArg::Full => vec![Scope::Full],
            ScopeArg::Bidding => vec![Scope::Bidding],
            ScopeArg::Play => vec![Scope::Play],
            ScopeArg::All => vec![Scope::Full, Scope::Bidding, Scope::Play],
        }
    }
}

/// Most deals of one evaluation. It keeps the tallies of each chunk of deals until its end, which
/// take gigabytes at this number.
const MAX_DEALS_AT_ONCE: u64 = 100_000_000;

/// Parses a number of deals, or a range `a..b`.
///
/// # Errors
/// The text is neither, the range is empty, or it ends above [`MAX_DEALS`].
pub fn deal_range(text: &str) -> Result<DealRange, String> {
    let (first, end) = text.split_once("..").unwrap_or(("0", text));
    let number = |s: &str| s.parse::<u64>().ok();
    let (first, end) = number(first)
        .zip(number(end))
        .ok_or("not a number or a range; write 1000, or 500..1000 for deals 500 to 999")?;
    let range = DealRange { first, end };
    if range.is_empty() {
        return Err("the range is empty; its end must be above its start".to_string());
    }
    if end > MAX_DEALS {
        return Err(format!("deal numbers must be at most {MAX_DEALS}"));
    }
    Ok(range)
}

/// Like [`deal_range`], for at most [`MAX_DEALS_AT_ONCE`] deals.
///
/// # Errors
/// As for [`deal_range`], or there are more deals.
pub fn deal_range_at_once(text: &str) -> Result<DealRange, String> {
    let range = deal_range(text)?;
    if range.len() > MAX_DEALS_AT_ONCE {
        return Err(format!(
            "at most {MAX_DEALS_AT_ONCE} deals at a time; play several ranges a..b instead"
        ));
    }
    Ok(range)
}

/// Formats a range of deals as `--deals` takes it: `1000` or `500..1000`.
pub fn deals_text(deals: DealRange) -> String {
    if deals.first == 0 { deals.end.to_string() } else { deals.to_string() }
}

/// Parses the name of a scenario: one of [`Scenario::NAMES`], or a kind of contract of `rules`.
pub fn scenario(name: &str, rules: &RuleSet) -> anyhow::Result<Scenario> {
    let mut names = Scenario::NAMES.to_vec();
    for name in rules.rows().iter().map(|row| row.kind.name()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let known = names.contains(&name).then(|| Scenario::parse(name)).flatten();
    known.with_context(|| {
        let (rules, names) = (rules.id(), names.join(", "));
        format!("--scenario {name:?} is not a scenario of {rules}; use one of {names}")
    })
}
