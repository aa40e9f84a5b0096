//! Comparison of two recipes over training seeds and deals together.
//!
//! Bots of one recipe that differ only in their training seed differ in strength. An interval over
//! deals alone holds for two *bots*. It does not show whether one *recipe* is better. Here each bot
//! of one group plays each bot of the other on the same deals, and seeds count as samples.
//!
//! The mean over all cells (first bot, second bot, deal) has three sources of chance that cross:
//! both groups' seeds and the deals. Its variance is bounded by the sum of the three one-way
//! cluster variances, each the variance of the cluster means divided by their number. The multiway
//! estimator of Cameron, Gelbach and Miller (2011, "Robust inference with multiway clustering")
//! subtracts the variances of the intersections. That can leave a negative number where clusters
//! are few. The sum without subtraction is never below it (as in MacKinnon, Nielsen and Webb 2021,
//! "Wild bootstrap and asymptotic inference with multiway clustering"). The degrees of freedom are
//! Satterthwaite's (1946). Tests check the coverage by simulation.
//!
//! A bot without a training seed (`rules`, `expert`, a program) is not a sample of a recipe. A
//! group of such seedless bots counts as exact: its cells are averaged, and only the other group's
//! seeds and the deals give variance.

use std::fmt::Write;

use serde::Serialize;
use serde_json::{Value, json};
use troel_agents::NamedBot;

use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateBots, DuplicateConfig, play_by_deal};
use crate::error::EvalError;
use crate::series::{DEALS_PER_SERIES, is_gathered};
use crate::statistics::{Estimate, student, student_80};
use crate::text_table::column_width;

/// A value of each pair of bots by unit, such as the points per deal of one over the other. The
/// indices are `[first group][second group][unit]`; a unit is a deal, or a whole series of deals.
pub(crate) type CellMeans = Vec<Vec<Vec<f64>>>;

/// The comparison of two groups of bots: points per deal of the first group over the second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeedComparison {
    /// Number of bots of each group: training seeds.
    pub seeds: [usize; 2],
    /// Whether the bots of each group have no training seed: they give no variance.
    #[serde(rename = "fixed")]
    pub seedless: [bool; 2],
    /// Number of deals that each pair of bots played, both ways.
    pub deals: u64,
    /// Mean over all pairs and deals, in points per deal.
    pub mean: f64,
    /// Half the width of the 95 % interval over seeds and deals. `None` if a side has a single
    /// training seed, because one sample gives no variance of its recipe.
    pub half_width: Option<f64>,
    /// Half the width of the 95 % interval over deals alone. It holds for these bots, not for their
    /// recipes.
    pub half_width_of_deals: f64,
    /// Standard errors from the first group's seeds, from the second's, and from the deals. `None`
    /// for a single training seed, 0 for seedless bots.
    pub standard_errors: [Option<f64>; 3],
    /// Satterthwaite's degrees of freedom, if there is an interval.
    pub degrees: Option<f64>,
    /// Smallest true difference that would be significant with a probability of 0.8.
    pub detectable: Option<f64>,
    /// Mean by pair: a row for each bot of the first group.
    pub pairs: Vec<Vec<f64>>,
}

impl SeedComparison {
    /// Compares two groups by the points per deal of each pair of bots.
    ///
    /// Lists of the same level have the same length, at least 1.
    pub(crate) fn new(values: &CellMeans, deals: u64, seedless: [bool; 2]) -> SeedComparison {
        let [first, second] = [values.len(), values[0].len()];
        let units = values[0][0].len();
        let pairs: Vec<Vec<f64>> =
            values.iter().map(|row| row.iter().map(|cell| average(cell)).collect()).collect();
        let rows: Vec<f64> = pairs.iter().map(|row| average(row)).collect();
        let columns = (0..second).map(|j| average_of(pairs.iter().map(|row| row[j])));
        let columns: Vec<f64> = columns.collect();
        let by_unit = (0..units).map(|d| average_of(values.iter().flatten().map(|cell| cell[d])));
        let by_unit: Vec<f64> = by_unit.collect();
        let of_seeds = |means: &[f64], is_seedless| {
            if is_seedless { Some(0.0) } else { variance_of_mean(means) }
        };
        let variances = [
            of_seeds(&rows, seedless[0]),
            of_seeds(&columns, seedless[1]),
            variance_of_mean(&by_unit),
        ];
        let total: Option<f64> = variances.into_iter().sum();
        let degrees = degrees_of_freedom(variances, [first, second, units]);
        let quantile = |degrees: f64| student(degrees as u64);
        let half_width =
            total.zip(degrees).map(|(total, degrees)| quantile(degrees) * total.sqrt());
        let of_deals = variances[2]
            .map_or(f64::INFINITY, |variance| quantile(units as f64 - 1.0) * variance.sqrt());
        SeedComparison {
            seeds: [first, second],
            seedless,
            deals,
            mean: average(&rows),
            half_width,
            half_width_of_deals: of_deals,
            standard_errors: variances.map(|variance| variance.map(f64::sqrt)),
            degrees,
            detectable: total.zip(degrees).map(|(total, degrees)| detectable(total, degrees)),
            pairs,
        }
    }

    /// Joins comparisons of the same bots under different rules. Rules take the place of deals:
    /// their means are the samples of the interval.
    ///
    /// # Panics
    /// There are no comparisons, or they are of different numbers of bots.
    pub fn over_rules(comparisons: &[SeedComparison]) -> SeedComparison {
        let SeedComparison { seeds, seedless, .. } = comparisons[0];
        assert!(comparisons.iter().all(|one| (one.seeds, one.seedless) == (seeds, seedless)));
        let [first, second] = seeds;
        let means = |i: usize, j: usize| comparisons.iter().map(|one| one.pairs[i][j]).collect();
        let values = (0..first).map(|i| (0..second).map(|j| means(i, j)).collect()).collect();
        let deals = comparisons.iter().map(|one| one.deals).sum();
        SeedComparison::new(&values, deals, seedless)
    }

    /// Returns the mean with its interval over seeds and deals.
    pub fn estimate(&self) -> Estimate {
        Estimate { mean: self.mean, half_width: self.half_width }
    }

    /// Returns the mean with its interval over deals alone.
    pub fn estimate_over_deals(&self) -> Estimate {
        Estimate::new(self.mean, self.half_width_of_deals)
    }

    /// Returns whether the interval over seeds and deals excludes zero. It is `None` without such
    /// an interval.
    pub fn is_significant(&self) -> Option<bool> {
        self.half_width.map(|_| self.estimate().interval().is_clear_of(0.0))
    }

    /// Formats the comparison of these bots as text. The first line begins with `title`.
    pub fn table(&self, title: &str, bots: [&[NamedBot]; 2]) -> String {
        let mut out = format!("{title} · {} against {}\n", self.side(0), self.side(1));
        let _ = write!(out, "first over second: {:+.3} points per deal", self.mean);
        let over = if self.seedless == [true; 2] { "deals" } else { "seeds and deals" };
        let margin = self.estimate().margin();
        if self.half_width.is_some() && margin.is_none() {
            let _ = writeln!(out, " (no interval: neither bots nor deals differed)");
        } else if let Some(((half, detectable), degrees)) =
            margin.zip(self.detectable).zip(self.degrees)
        {
            let mark = if self.is_significant() == Some(true) { "" } else { ", not significant" };
            let _ = writeln!(out, " ± {half:.3} (95 % over {over}{mark})");
            let error = |nth: usize, name: &str| {
                if self.seedless[nth] {
                    format!("none from the {name} bot, which has no training seed")
                } else {
                    let error = self.standard_errors[nth].unwrap_or_default();
                    format!("{error:.3} from the {name} seeds")
                }
            };
            let deals = self.standard_errors[2].unwrap_or_default();
            let _ = writeln!(
                out,
                "standard errors: {}, {}, {deals:.3} from the deals; {degrees:.1} degrees of \
                 freedom",
                error(0, "first"),
                error(1, "second")
            );
            let _ = writeln!(
                out,
                "a true difference of {detectable:.3} would be detected with probability 0.8"
            );
        } else {
            let _ = match self.estimate_over_deals().margin() {
                Some(half) => writeln!(out, " ± {half:.3} (95 % over deals alone)"),
                None => writeln!(out, " (no interval: no deal differed)"),
            };
            let _ = writeln!(
                out,
                "no result about the recipes: one side has a single training seed; train more seeds"
            );
        }
        out.push('\n');
        let width = column_width(bots[0].iter().map(NamedBot::name), 0);
        for (bot, row) in bots[0].iter().zip(&self.pairs) {
            let cells: String = row.iter().map(|mean| format!("  {mean:+.3}")).collect();
            let _ = writeln!(out, "{:<width$}{cells}", bot.name());
        }
        let columns: Vec<&str> = bots[1].iter().map(NamedBot::name).collect();
        let _ = writeln!(out, "columns: {}", columns.join(", "));
        out
    }

    /// Formats the comparison of these bots like [`SeedComparison::table`], with the settings as
    /// the title.
    pub fn report(&self, config: &DuplicateConfig, bots: [&[NamedBot]; 2]) -> String {
        let title = format!(
            "{} · {} deals per pair · seed {}",
            config.rules.id(),
            config.deals.len(),
            config.seed
        );
        self.table(&title, bots)
    }

    /// Returns the comparison of these bots as JSON, with the settings and the names of the bots.
    pub fn json(&self, config: &DuplicateConfig, [first, second]: [&[NamedBot]; 2]) -> Value {
        let names = |bots: &[NamedBot]| json!(bots.iter().map(NamedBot::name).collect::<Vec<_>>());
        let mut value = json!(self);
        value["rules"] = json!(config.rules.id());
        value["seed"] = json!(config.seed);
        value["first"] = names(first);
        value["second"] = names(second);
        value
    }

    /// Describes the number of training seeds of a group, or of its fixed bots.
    pub(crate) fn side(&self, nth: usize) -> String {
        match (self.seedless[nth], self.seeds[nth]) {
            (true, 1) => "fixed bot".to_string(),
            (true, n) => format!("{n} fixed bots"),
            (false, 1) => "1 training seed".to_string(),
            (false, n) => format!("{n} training seeds"),
        }
    }
}

fn average(values: &[f64]) -> f64 {
    average_of(values.iter().copied())
}

fn average_of(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value, n + 1.0));
    sum / n
}

/// Returns the variance of the mean of independent values; `None` for fewer than two.
fn variance_of_mean(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = average(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() > 1).then(|| squares / (n - 1.0) / n)
}

/// Returns Satterthwaite's degrees of freedom of a sum of variances. Each variance is that of a
/// mean, over the number of values in `counts`. The result is `None` if a variance is unknown.
fn degrees_of_freedom(variances: [Option<f64>; 3], counts: [usize; 3]) -> Option<f64> {
    let total = variances.into_iter().sum::<Option<f64>>()?;
    let parts = variances.into_iter().flatten().zip(counts).filter(|&(_, n)| n > 1);
    let parts = parts.map(|(variance, n)| variance.powi(2) / (n as f64 - 1.0));
    // Without any spread the degrees of freedom do not matter.
    Some((total * total / parts.sum::<f64>()).max(1.0))
}

/// Returns the smallest true difference that would be significant with a probability of 0.8.
/// `total` is the variance of the mean, with `degrees` degrees of freedom.
fn detectable(total: f64, degrees: f64) -> f64 {
    let quantiles = student(degrees as u64) + student_80(degrees as u64);
    quantiles * total.sqrt()
}

/// Progress of [`compare_groups`].
#[derive(Clone, Copy, Debug)]
pub enum SeedComparisonEvent<'a> {
    /// Number of deals played since the last event, of 2 × first × second × deals.
    Deals(f64),
    /// A pair of bots has played all of its deals in both directions.
    Pair {
        /// The bot of the first group.
        first: &'a NamedBot,
        /// The bot of the second group.
        second: &'a NamedBot,
        /// Points per deal of the first over the second.
        mean: f64,
    },
}

/// Plays every bot of one group against every bot of the other on the same deals.
///
/// Each pair plays in both directions, one bot against three copies of the other. The result of a
/// pair is half the difference of the two gains. Equal recipes have the expectation zero. `fixed`
/// makes the decisions outside the scope of `config`; in [`Scope::Full`](crate::Scope::Full) there
/// are none.
///
/// # Errors
/// A bot failed.
///
/// # Panics
/// A group is empty, or the range of deals holds fewer than two independent units
/// ([`independent_units`]).
pub fn compare_groups(
    config: &DuplicateConfig,
    first: &[NamedBot],
    second: &[NamedBot],
    fixed: Option<&NamedBot>,
    watch: &(dyn Fn(SeedComparisonEvent<'_>) + Sync),
) -> Result<SeedComparison, EvalError> {
    assert!(!first.is_empty() && !second.is_empty(), "a group without bots");
    assert!(independent_units(config) > 1, "fewer than two independent units");
    let row = |a| second.iter().map(|b| play_pair(config, a, b, fixed, watch)).collect();
    let values = first.iter().map(row).collect::<Result<CellMeans, _>>()?;
    let seedless = [first, second].map(is_seedless);
    Ok(SeedComparison::new(&values, config.deals.len(), seedless))
}

/// Returns the points per deal of `a` over `b` by independent unit. They are half the difference of
/// the gains of both directions.
pub(crate) fn play_pair(
    config: &DuplicateConfig,
    a: &NamedBot,
    b: &NamedBot,
    fixed: Option<&NamedBot>,
    watch: &(dyn Fn(SeedComparisonEvent<'_>) + Sync),
) -> Result<Vec<f64>, EvalError> {
    let progress = |deals| watch(SeedComparisonEvent::Deals(deals));
    let play = |challenger, baseline| {
        let fixed = fixed.unwrap_or(baseline);
        let bots = DuplicateBots { challenger, baseline, fixed };
        play_by_deal(config, bots, &progress)
    };
    let ((_, alone), (_, against)) = (play(a, b)?, play(b, a)?);
    let halves = alone.iter().zip(&against).map(|(alone, against)| (alone - against) / 2.0);
    let cell = mean_by_unit(config, &halves.collect::<Vec<f64>>());
    watch(SeedComparisonEvent::Pair { first: a, second: b, mean: average(&cell) });
    Ok(cell)
}

/// Returns whether no bot of a group has a training seed.
pub(crate) fn is_seedless(group: &[NamedBot]) -> bool {
    group.iter().all(|bot| bot.training().is_none())
}

/// Returns the number of independent units of a range of deals. They are deals, or whole series of
/// deals where a deck is never shuffled.
pub fn independent_units(config: &DuplicateConfig) -> u64 {
    let DealRange { first, end } = config.deals;
    if is_gathered(config.rules, config.scenario) {
        (end / DEALS_PER_SERIES).saturating_sub(first.div_ceil(DEALS_PER_SERIES))
    } else {
        config.deals.len()
    }
}

/// Returns the mean of the values of each independent unit. Deals of a series that the range cuts
/// are left out.
pub(crate) fn mean_by_unit(config: &DuplicateConfig, values: &[f64]) -> Vec<f64> {
    if !is_gathered(config.rules, config.scenario) {
        return values.to_vec();
    }
    let first = config.deals.first;
    let cut = first.next_multiple_of(DEALS_PER_SERIES) - first;
    // The callers check that the range holds whole series.
    let series = &values[cut as usize..];
    series.chunks_exact(DEALS_PER_SERIES as usize).map(average).collect()
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::noise::standard_normal;

    /// Draws cells with chance from both groups' seeds, their pairing, the deals, and each cell.
    fn cells(stream: &mut Stream, seeds: [usize; 2], units: usize, spreads: [f64; 5]) -> CellMeans {
        let mut noise = || standard_normal(stream);
        let mut effects =
            |n: usize, spread: f64| (0..n).map(|_| spread * noise()).collect::<Vec<f64>>();
        let [rows, columns] = [effects(seeds[0], spreads[0]), effects(seeds[1], spreads[1])];
        let deals = effects(units, spreads[2]);
        let pairs = effects(seeds[0] * seeds[1], spreads[3]);
        let each = effects(seeds[0] * seeds[1] * units, spreads[4]);
        let cell = |i: usize, j: usize, d: usize| {
            let pair = i * seeds[1] + j;
            0.3 + rows[i] + columns[j] + deals[d] + pairs[pair] + each[pair * units + d]
        };
        let pair = |i, j| (0..units).map(|d| cell(i, j, d)).collect();
        (0..seeds[0]).map(|i| (0..seeds[1]).map(|j| pair(i, j)).collect()).collect()
    }

    #[test]
    fn intervals_over_seeds_cover_the_truth_where_those_over_deals_do_not() {
        let mut stream = Stream::new(5, Purpose::Action, 0);
        for seeds in [[2, 2], [3, 3], [5, 5], [3, 5]] {
            let (mut covered, mut by_deals) = (0, 0);
            for _ in 0..600 {
                let values = cells(&mut stream, seeds, 30, [0.15, 0.15, 0.4, 0.05, 1.0]);
                let found = SeedComparison::new(&values, 30, [false; 2]);
                let off = (found.mean - 0.3).abs();
                covered += usize::from(found.half_width.is_some_and(|half| off <= half));
                by_deals += usize::from(off <= found.half_width_of_deals);
            }
            // Four standard errors of a share of 0.95 in 600 below; the bound may be generous.
            assert!(covered >= 548, "{seeds:?}: {covered} of 600");
            assert!(by_deals < covered, "{seeds:?}: {by_deals} of 600");
        }
        // With many deals, nearly all variance comes from the seeds. An interval over deals ignores
        // it.
        let mut by_deals = 0;
        for _ in 0..200 {
            let values = cells(&mut stream, [3, 3], 400, [0.15, 0.15, 0.4, 0.05, 1.0]);
            let found = SeedComparison::new(&values, 400, [false; 2]);
            by_deals += usize::from((found.mean - 0.3).abs() <= found.half_width_of_deals);
        }
        assert!(by_deals < 140, "{by_deals} of 200");
    }

    #[test]
    fn without_chance_of_seeds_the_interval_is_not_much_wider_than_that_of_deals() {
        let mut stream = Stream::new(6, Purpose::Action, 0);
        let values = cells(&mut stream, [5, 5], 400, [0.0, 0.0, 1.0, 0.0, 0.5]);
        let found = SeedComparison::new(&values, 400, [false; 2]);
        let half = found.half_width.expect("an interval");
        assert!(half < 1.2 * found.half_width_of_deals, "{found:?}");
    }

    #[test]
    fn one_seed_on_a_side_gives_no_interval() {
        let mut stream = Stream::new(7, Purpose::Action, 0);
        let values = cells(&mut stream, [1, 3], 50, [0.1; 5]);
        let found = SeedComparison::new(&values, 50, [false; 2]);
        assert_eq!((found.half_width, found.degrees, found.detectable), (None, None, None));
        assert_eq!(found.is_significant(), None);
        assert!(found.half_width_of_deals.is_finite());
    }

    #[test]
    fn fixed_bots_count_as_exact() {
        let mut stream = Stream::new(8, Purpose::Action, 0);
        // Seeds against one fixed bot, and against two: their effects are constants, not chance.
        for (columns, offsets) in [(1, [0.0, 0.0]), (2, [0.8, -0.4])] {
            let truth = 0.3 + offsets[..columns].iter().sum::<f64>() / columns as f64;
            let (mut covered, mut as_seeds) = (0, 0.0);
            let (mut width, n) = (0.0, 600);
            for _ in 0..n {
                let spreads = [0.15, 0.0, 0.4, 0.05, 1.0];
                let mut values = cells(&mut stream, [3, columns], 30, spreads);
                for row in &mut values {
                    for (cell, offset) in row.iter_mut().zip(offsets) {
                        cell.iter_mut().for_each(|value| *value += offset);
                    }
                }
                let found = SeedComparison::new(&values, 30, [false, true]);
                let half = found.half_width.expect("an interval");
                covered += usize::from((found.mean - truth).abs() <= half);
                width += half;
                as_seeds += SeedComparison::new(&values, 30, [false; 2]).half_width.unwrap_or(0.0);
                assert_eq!(found.standard_errors[1], Some(0.0));
            }
            assert!(covered >= 548, "{columns} fixed bots: {covered} of {n}");
            assert!(columns == 1 || width < 0.5 * as_seeds, "{width} and {as_seeds}");
        }
    }

    /// Under different rules the spread over deals within one rule set does not count, and that
    /// over rules does.
    #[test]
    fn over_rules_the_rules_are_the_samples() {
        let mut stream = Stream::new(10, Purpose::Action, 0);
        let mut under = |offset: f64| {
            let mut values = cells(&mut stream, [2, 1], 40, [0.0, 0.0, 1.0, 0.0, 0.0]);
            for deal in values.iter_mut().flatten().flatten() {
                *deal += offset;
            }
            SeedComparison::new(&values, 40, [false, true])
        };
        let (equal, different) = ([0.0; 3].map(&mut under), [-5.0, 0.0, 5.0].map(&mut under));
        let [equal, different] = [&equal, &different].map(|all| SeedComparison::over_rules(all));
        assert_eq!((equal.seeds, equal.deals, equal.seedless), ([2, 1], 120, [false, true]));
        assert!(equal.half_width_of_deals < 2.0, "{equal:?}");
        assert!((different.half_width_of_deals - 12.4).abs() < 2.0, "{different:?}");
    }

    #[test]
    fn between_fixed_bots_only_deals_give_variance() {
        let mut stream = Stream::new(9, Purpose::Action, 0);
        let values = cells(&mut stream, [1, 2], 50, [0.5; 5]);
        let found = SeedComparison::new(&values, 50, [true; 2]);
        let half = found.half_width.expect("an interval");
        assert!((half - found.half_width_of_deals).abs() < 1e-9, "{found:?}");
        // One training seed against a fixed bot is still one seed.
        let found = SeedComparison::new(&values, 50, [false, true]);
        assert_eq!((found.half_width, found.is_significant()), (None, None));
    }
}
