//! Comparison of two recipes by pairs of bots that continue from the same bot.
//!
//! A strong start makes both bots of a pair strong. [`compare_groups`](crate::compare_groups)
//! treats the groups as independent, so its interval over seeds is too wide here. In a paired
//! comparison only the two bots of each pair play each other, and pairs are the samples. The pairs
//! share their deals, so the variance is bounded by the sum of the variances over pairs and deals.

use std::fmt::Write;

use serde_json::{Value, json};
use troel_agents::NamedBot;

use crate::compare::{
    CellMeans, SeedComparison, SeedComparisonEvent, independent_units, play_pair,
};
use crate::duplicate::DuplicateConfig;
use crate::error::EvalError;
use crate::statistics::Estimate;
use crate::text_table::column_width;

/// Comparison of pairs of bots: points per deal of the first of each pair over its second.
#[derive(Clone, Debug, PartialEq)]
pub struct PairedComparison(SeedComparison);

/// Plays the nth bot of one group against the nth of the other, on the same deals in all pairs.
///
/// Each pair plays in both directions, as in [`compare_groups`](crate::compare_groups).
///
/// # Errors
/// A bot failed.
///
/// # Panics
/// The groups are empty or of different length, or the range of deals holds fewer than two
/// independent units ([`independent_units`]).
pub fn compare_pairs(
    config: &DuplicateConfig,
    first: &[NamedBot],
    second: &[NamedBot],
    watch: &(dyn Fn(SeedComparisonEvent<'_>) + Sync),
) -> Result<PairedComparison, EvalError> {
    assert!(!first.is_empty() && first.len() == second.len(), "a bot without its pair");
    assert!(independent_units(config) > 1, "fewer than two independent units");
    let play = |(a, b)| Ok(vec![play_pair(config, a, b, None, watch)?]);
    let values = first.iter().zip(second).map(play).collect::<Result<Vec<_>, EvalError>>()?;
    Ok(PairedComparison::new(&values, config.deals.len()))
}

impl PairedComparison {
    /// Compares by the points per deal of each pair. The indices of `values` are
    /// `[pair][0][unit]`.
    fn new(values: &CellMeans, deals: u64) -> PairedComparison {
        // The second of each pair is no sample besides its pair.
        PairedComparison(SeedComparison::new(values, deals, [false, true]))
    }

    /// Returns the mean over pairs and deals in points per deal, with its interval. There is no
    /// interval for a single pair.
    pub fn estimate(&self) -> Estimate {
        self.0.estimate()
    }

    /// Returns the mean over deals of each pair, in points per deal.
    pub fn means(&self) -> impl Iterator<Item = f64> {
        self.0.pairs.iter().map(|row| row[0])
    }

    /// Formats the comparison of these bots as text.
    pub fn report(&self, config: &DuplicateConfig, [first, second]: [&[NamedBot]; 2]) -> String {
        let pairs = first.len();
        let mut out = format!(
            "{} · {} deals per pair · seed {} · {pairs} {} from one start each\n",
            config.rules.id(),
            config.deals.len(),
            config.seed,
            if pairs == 1 { "pair" } else { "pairs" },
        );
        let _ = write!(out, "first over second: {:+.3} points per deal", self.0.mean);
        let [of_pairs, _, of_deals] = self.0.standard_errors.map(Option::unwrap_or_default);
        let found = self.estimate().margin().zip(self.0.detectable).zip(self.0.degrees);
        if let Some(((half, detectable), degrees)) = found {
            let mark = if self.0.is_significant() == Some(true) { "" } else { ", not significant" };
            let _ = writeln!(out, " ± {half:.3} (95 % over pairs and deals{mark})");
            let _ = writeln!(
                out,
                "standard errors: {of_pairs:.3} from the pairs, {of_deals:.3} from the deals; \
                 {degrees:.1} degrees of freedom"
            );
            let _ = writeln!(
                out,
                "a true difference of {detectable:.3} would be detected with probability 0.8"
            );
        } else if pairs == 1 {
            let _ = match self.0.estimate_over_deals().margin() {
                Some(half) => writeln!(out, " ± {half:.3} (95 % over deals alone)"),
                None => writeln!(out, " (no interval: no deal differed)"),
            };
            let _ = writeln!(out, "no result about the recipes: a single pair; train more seeds");
        } else {
            let _ = writeln!(out, " (no interval: neither pairs nor deals differed)");
        }
        out.push('\n');
        let width = column_width(first.iter().map(NamedBot::name), 0);
        for ((a, b), mean) in first.iter().zip(second).zip(self.means()) {
            let _ = writeln!(out, "{:<width$}  {mean:+.3}  over {}", a.name(), b.name());
        }
        out
    }

    /// Returns the comparison of these bots as JSON, with the settings and the names of the bots.
    /// `pairs` has the mean of each pair.
    pub fn json(&self, config: &DuplicateConfig, [first, second]: [&[NamedBot]; 2]) -> Value {
        let names = |bots: &[NamedBot]| json!(bots.iter().map(NamedBot::name).collect::<Vec<_>>());
        let [of_pairs, _, of_deals] = self.0.standard_errors;
        json!({
            "paired": true,
            "rules": config.rules.id(),
            "seed": config.seed,
            "deals": self.0.deals,
            "first": names(first),
            "second": names(second),
            "mean": self.0.mean,
            "half_width": self.0.half_width,
            "half_width_of_deals": self.0.half_width_of_deals,
            "standard_errors": [of_pairs, of_deals],
            "degrees": self.0.degrees,
            "detectable": self.0.detectable,
            "pairs": self.means().collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::noise::standard_normal;

    /// Draws pairs whose bots share a start: the same chance for both, so only the effect of the
    /// pair, the deals and each cell remain.
    fn pairs(stream: &mut Stream, n: usize, units: usize, of_pairs: f64) -> CellMeans {
        let deals: Vec<f64> = (0..units).map(|_| 0.4 * standard_normal(stream)).collect();
        let pair = |stream: &mut Stream| {
            let effect = of_pairs * standard_normal(stream);
            let cell = |deal: &f64| 0.3 + effect + deal + standard_normal(stream);
            vec![deals.iter().map(cell).collect()]
        };
        (0..n).map(|_| pair(stream)).collect()
    }

    #[test]
    fn the_interval_covers_the_truth() {
        let mut stream = Stream::new(11, Purpose::Action, 0);
        for n in [2, 3, 5] {
            let covered = (0..600).filter(|_| {
                let found = PairedComparison::new(&pairs(&mut stream, n, 30, 0.15), 30);
                let half = found.estimate().half_width.expect("an interval");
                (found.0.mean - 0.3).abs() <= half
            });
            // Four standard errors of a share of 0.95 in 600 below; the bound may be generous.
            let covered = covered.count();
            assert!(covered >= 548, "{n} pairs: {covered} of 600");
        }
    }

    #[test]
    fn a_single_pair_has_no_interval() {
        let mut stream = Stream::new(12, Purpose::Action, 0);
        let found = PairedComparison::new(&pairs(&mut stream, 1, 30, 0.15), 30);
        assert_eq!(found.estimate().half_width, None);
        assert_eq!(found.means().count(), 1);
    }
}
