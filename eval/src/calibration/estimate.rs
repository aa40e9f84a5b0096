//! Estimates with intervals over clusters of deals.

use crate::statistics::{ClusteredMean, Estimate, student};

/// Estimates the mean of values with their clusters. Values of a cluster may depend on each other;
/// those of different clusters do not.
pub(super) fn of_mean(values: impl Iterator<Item = (u64, f64)>) -> Estimate {
    clustered(values).estimate()
}

/// Returns the standard error of the mean of values with their clusters. It is `None` for fewer
/// than two clusters.
pub(super) fn error_of_mean(values: impl Iterator<Item = (u64, f64)>) -> Option<f64> {
    let sum = clustered(values);
    (sum.clusters > 1).then(|| sum.standard_error())
}

/// Estimates a statistic of pairs of numbers, with an interval. The interval is by the grouped
/// jackknife (Efron 1982). Clusters are put into [`JACKKNIFE_GROUPS`] groups, each of which is left
/// out in turn.
pub(super) fn of_moments(
    pairs: impl Iterator<Item = (u64, f64, f64)>,
    statistic: impl Fn(&Moments) -> f64,
) -> Estimate {
    let mut groups = vec![Moments::default(); JACKKNIFE_GROUPS as usize];
    for (cluster, x, y) in pairs {
        groups[(cluster % JACKKNIFE_GROUPS) as usize].add(x, y);
    }
    groups.retain(|group| group.n > 0.0);
    let mut all = Moments::default();
    groups.iter().for_each(|group| all.combine(group, 1.0));
    let whole = statistic(&all);
    if groups.len() < 2 {
        return Estimate::new(whole, f64::INFINITY);
    }
    let without = |group: &Moments| {
        let mut rest = all;
        rest.combine(group, -1.0);
        statistic(&rest)
    };
    let left: Vec<f64> = groups.iter().map(without).collect();
    let count = left.len() as f64;
    let mean = left.iter().sum::<f64>() / count;
    let squares: f64 = left.iter().map(|value| (value - mean).powi(2)).sum();
    let error = (squares * (count - 1.0) / count).sqrt();
    Estimate::new(whole, student(left.len() as u64 - 1) * error)
}

/// Groups of the jackknife.
const JACKKNIFE_GROUPS: u64 = 20;

fn clustered(values: impl Iterator<Item = (u64, f64)>) -> ClusteredMean {
    let mut all: Vec<(u64, f64)> = values.collect();
    all.sort_by_key(|&(cluster, _)| cluster);
    let mut sum = ClusteredMean::default();
    for group in all.chunk_by(|(a, _), (b, _)| a == b) {
        let values: Vec<f64> = group.iter().map(|&(_, value)| value).collect();
        sum.add_series(group[0].0, values.len() as u64, &values);
    }
    sum
}

/// Sums over pairs of a prediction `x` and an outcome `y`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    n: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Moments {
    fn add(&mut self, x: f64, y: f64) {
        self.combine(&Moments { n: 1.0, x, y, xx: x * x, xy: x * y, yy: y * y }, 1.0);
    }

    fn combine(&mut self, other: &Moments, sign: f64) {
        self.n += sign * other.n;
        self.x += sign * other.x;
        self.y += sign * other.y;
        self.xx += sign * other.xx;
        self.xy += sign * other.xy;
        self.yy += sign * other.yy;
    }

    /// Returns the slope of the regression of outcomes on predictions. It is 0 if all predictions
    /// are equal.
    pub(super) fn slope(&self) -> f64 {
        let variance = self.xx - self.x * self.x / self.n;
        if variance <= 1e-9 * self.xx {
            0.0
        } else {
            (self.xy - self.x * self.y / self.n) / variance
        }
    }

    /// Returns the share of the variance of the outcomes that the predictions explain. It is 1 for
    /// exact ones, 0 for the mean outcome, negative for worse ones; 0 if all outcomes are equal.
    pub(super) fn explained(&self) -> f64 {
        let variance = self.yy - self.y * self.y / self.n;
        let residual = self.yy - 2.0 * self.xy + self.xx;
        if variance <= 1e-9 * self.yy { 0.0 } else { 1.0 - residual / variance }
    }
}
