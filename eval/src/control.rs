//! Control variates: a comparison of expensive bots, narrowed by many deals of a cheap one.
//!
//! The challenger's results against three copies of an expensive baseline and against three copies
//! of a cheap bot, the control, are correlated deal by deal. The mean against the control is known
//! better, from many more deals. So the luck of the few deals can be estimated and removed:
//! this is the regression estimator of double sampling (Cochran 1977, section 12.6).

use serde::{Deserialize, Serialize};
use troel_env::{RuleSet, Scenario};

use crate::deal_range::DealRange;
use crate::duplicate::{DuplicateBots, DuplicateConfig, add_values, play_by_deal};
use crate::error::EvalError;
use crate::forfeits::Forfeits;
use crate::progress::ProgressFn;
use crate::series::{DEALS_PER_SERIES, is_gathered};
use crate::statistics::{ClusteredMean, Estimate, Interval};

/// Number of other deals that the control plays for each deal of the comparison.
pub const CONTROL_DEALS_PER_DEAL: u64 = 10;

/// Mask that changes the seed for the control's other deals. They differ from those of the
/// comparison.
const OTHER_DEALS_SEED_MASK: u64 = 0x1d3a_15c0_7201;

/// The difference of a comparison, corrected by a control.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlledDifference {
    /// Name of the bot that the challenger also played against.
    pub control: String,
    /// Corrected points per deal of the challenger minus the baseline's.
    pub points_per_deal: f64,
    /// 95 % confidence interval.
    pub ci95: Interval,
    /// Correlation of the differences against baseline and control, deal by deal. It is 0 where one
    /// of them is constant.
    pub correlation: f64,
    /// Number of other deals that the challenger played against the control.
    pub more_deals: u64,
    /// Deals that the challenger and the control (`baseline`) forfeited.
    pub forfeits: Forfeits,
}

/// Returns the smallest number of deals of a comparison that a control may correct. The intervals
/// treat the fitted slope as known.
pub fn min_deals_for_control(rules: &RuleSet, scenario: Scenario) -> u64 {
    const MIN_CLUSTERS: u64 = 30;
    MIN_CLUSTERS * if is_gathered(rules, scenario) { DEALS_PER_SERIES } else { 1 }
}

/// Corrects the differences of a comparison, deal by deal as [`play_by_deal`] returns them. `bots`
/// are those of the comparison, with the control as the baseline. The control plays on the same
/// deals, and on [`CONTROL_DEALS_PER_DEAL`] times as many others; `progress` counts both.
///
/// # Errors
/// A bot failed.
pub fn correct_by_control(
    config: &DuplicateConfig,
    differences: &[f64],
    bots: DuplicateBots<'_>,
    progress: ProgressFn<'_>,
) -> Result<ControlledDifference, EvalError> {
    // The comparison itself computes the double-dummy regret.
    let config = &DuplicateConfig { regret: false, ..*config };
    let (on_same_deals, control_differences) = play_by_deal(config, bots, progress)?;
    let deals = config.deals.len();
    let more_deals = deals.saturating_mul(CONTROL_DEALS_PER_DEAL);
    let others = DuplicateConfig {
        deals: DealRange::new(0, more_deals),
        seed: config.seed ^ OTHER_DEALS_SEED_MASK,
        ..*config
    };
    let (on_other_deals, _) = play_by_deal(&others, bots, progress)?;
    let mut forfeits = on_same_deals.forfeits;
    forfeits += on_other_deals.forfeits;
    let (same, more) = (on_same_deals.difference, on_other_deals.difference);
    let fit = Fit::of(differences, &control_differences);
    let unexplained: Vec<f64> = differences
        .iter()
        .zip(&control_differences)
        .map(|(difference, control)| difference - fit.slope * control)
        .collect();
    let mut rest = ClusteredMean::default();
    add_values(&mut rest, config, config.deals, &unexplained);
    // The control's mean is over all its deals.
    let share = deals as f64 / (deals + more_deals).max(1) as f64;
    let control_mean = share * same.mean() + (1.0 - share) * more.mean();
    let points = rest.mean() + fit.slope * control_mean;
    // A slope of 0 times an infinite half width would be no number.
    let of_control = match fit.slope {
        0.0 => 0.0,
        slope => slope * (share * same.half_width()).hypot((1.0 - share) * more.half_width()),
    };
    let half_width = rest.half_width().hypot(of_control);
    Ok(ControlledDifference {
        control: bots.baseline.name().to_string(),
        points_per_deal: points,
        ci95: Estimate::new(points, half_width).interval(),
        correlation: fit.correlation,
        more_deals,
        forfeits,
    })
}

/// Least-squares fit of one value on another.
struct Fit {
    slope: f64,
    correlation: f64,
}

impl Fit {
    fn of(values: &[f64], by: &[f64]) -> Fit {
        let n = values.len().max(1) as f64;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / n;
        let (value_mean, by_mean) = (mean(values), mean(by));
        let (mut product, mut square, mut by_square) = (0.0, 0.0, 0.0);
        for (value, by) in values.iter().zip(by) {
            let (value, by) = (value - value_mean, by - by_mean);
            product += value * by;
            square += value * value;
            by_square += by * by;
        }
        let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
        Fit {
            slope: ratio(product, by_square),
            correlation: ratio(product, (square * by_square).sqrt()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use troel_agents::NamedBot;

    use super::*;
    use crate::duplicate::play_duplicate;

    fn find(name: &str, rules: &'static RuleSet) -> NamedBot {
        NamedBot::find(name, rules).unwrap()
    }

    fn config(rules: &str, deals: Range<u64>) -> DuplicateConfig {
        DuplicateConfig::new(RuleSet::built_in(rules).unwrap(), deals, 4)
    }

    #[test]
    fn a_bot_against_itself_reads_zero() {
        for rules in ["luxembourg", "iwwa"] {
            let config = config(rules, 0..64);
            let [bot, control] = ["rules", "random"].map(|name| find(name, config.rules));
            let (_, values) =
                play_by_deal(&config, DuplicateBots::full(&bot, &bot), &|_| ()).unwrap();
            let bots = DuplicateBots::full(&bot, &control);
            let found = correct_by_control(&config, &values, bots, &|_| ()).unwrap();
            assert_eq!(
                (found.points_per_deal, found.ci95),
                (0.0, Interval { low: 0.0, high: 0.0 }),
                "{rules}"
            );
        }
    }

    /// Checks that all deals of the control count if the control is the baseline.
    #[test]
    fn the_baseline_as_control_is_a_comparison_on_all_deals() {
        all_deals_count("wiezen");
        all_deals_count("iwwa");
    }

    fn all_deals_count(rules: &str) {
        // Several tasks, the first and the last of them cut off.
        let config = config(rules, 5..150);
        let [bot, baseline] = ["random", "rules"].map(|name| find(name, config.rules));
        let bots = DuplicateBots::full(&bot, &baseline);
        let (result, values) = play_by_deal(&config, bots, &|_| ()).unwrap();
        let whole = play_duplicate(&config, bots, &|_| ()).unwrap();
        assert_eq!(result, whole);
        let found = correct_by_control(&config, &values, bots, &|_| ()).unwrap();
        assert!((found.correlation - 1.0).abs() < 1e-9);
        let more = DuplicateConfig {
            deals: DealRange::new(0, 1450),
            seed: config.seed ^ OTHER_DEALS_SEED_MASK,
            ..config
        };
        let more = play_duplicate(&more, bots, &|_| ()).unwrap().difference;
        let pooled = (more.sum + result.difference.sum) / 1595.0;
        assert!((found.points_per_deal - pooled).abs() < 1e-9, "{found:?}");
        let width = found.ci95.high - found.points_per_deal;
        assert!((0.85..1.05).contains(&(width / more.half_width())), "{found:?}");
        assert!(width < 0.5 * result.difference.half_width());
    }

    #[test]
    fn the_fit_is_that_of_a_textbook() {
        let fit = Fit::of(&[1.0, 3.0, 2.0, 6.0], &[1.0, 2.0, 3.0, 4.0]);
        assert!((fit.slope - 1.4).abs() < 1e-12);
        assert!((fit.correlation - 7.0 / (5.0f64 * 14.0).sqrt()).abs() < 1e-12);
        let constant = Fit::of(&[1.0, 2.0], &[3.0, 3.0]);
        assert_eq!((constant.slope, constant.correlation), (0.0, 0.0));
    }
}
