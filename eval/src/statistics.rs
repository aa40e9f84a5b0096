//! Means, confidence intervals, and tallies per contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use troel_env::{Seat, State};

/// Mean of one value per deal, as running sums from which clustered intervals follow.
///
/// The value of a deal is a mean over its seats, and deals that depend on each other are one
/// cluster. So intervals are clustered by deal, or by series of deals.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClusteredMean {
    /// Number of deals.
    pub n: u64,
    /// Number of clusters, including incomplete ones.
    pub clusters: u64,
    /// Sum of the values.
    pub sum: f64,
    /// Sum over the complete clusters of the square of the cluster's sum.
    squares: f64,
    /// Sum over the complete clusters of the cluster's sum times its number of deals.
    products: f64,
    /// Sum over the complete clusters of the square of the number of deals.
    sizes: f64,
    /// Clusters that another shard may complete, by number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    open: BTreeMap<u64, Cluster>,
}

/// Maximum number of deals of a cluster in a report. Its square does not wrap.
const MAX_DEALS_IN_CLUSTER: u64 = 1 << 20;

/// A cluster of deals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Cluster {
    /// Number of deals so far.
    n: u64,
    /// Number of deals once it is complete.
    whole: u64,
    /// Sum of the values.
    sum: f64,
}

impl ClusteredMean {
    /// Adds a deal that is independent of all others.
    pub fn add(&mut self, value: f64) {
        self.n += 1;
        self.clusters += 1;
        self.sum += value;
        self.close(Cluster { n: 1, whole: 1, sum: value });
    }

    /// Adds deals of series number `number`, which has `whole` deals in all. Deals of a series may
    /// depend on each other, but on no others.
    pub fn add_series(&mut self, number: u64, whole: u64, values: &[f64]) {
        let (n, sum) = (values.len() as u64, values.iter().sum());
        self.n += n;
        self.sum += sum;
        self.join(number, Cluster { n, whole, sum });
    }

    fn join(&mut self, number: u64, more: Cluster) {
        if more.n == 0 {
            return;
        }
        let cluster = self.open.entry(number).or_insert_with(|| {
            self.clusters += 1;
            Cluster { whole: more.whole, ..Cluster::default() }
        });
        cluster.n += more.n;
        cluster.sum += more.sum;
        if cluster.n >= cluster.whole {
            let complete = *cluster;
            self.open.remove(&number);
            self.close(complete);
        }
    }

    fn close(&mut self, cluster: Cluster) {
        self.squares += cluster.sum * cluster.sum;
        self.products += cluster.sum * cluster.n as f64;
        self.sizes += (cluster.n * cluster.n) as f64;
    }

    /// Merges sums over different deals.
    pub fn merge(&mut self, other: &ClusteredMean) {
        self.n += other.n;
        self.clusters += other.clusters - other.open.len() as u64;
        self.sum += other.sum;
        self.squares += other.squares;
        self.products += other.products;
        self.sizes += other.sizes;
        other.open.iter().for_each(|(&number, &cluster)| self.join(number, cluster));
    }

    /// Returns whether the counts of deals and clusters agree. Sums that are read from a file may
    /// be inconsistent.
    pub(crate) fn is_consistent(&self) -> bool {
        let open = self.open.values();
        let in_open = open.clone().fold(0u64, |sum, cluster| sum.saturating_add(cluster.n));
        // Each complete cluster has at least one deal.
        let complete = self.clusters.checked_sub(self.open.len() as u64);
        complete.is_some_and(|n| n.saturating_add(in_open) <= self.n)
            && open.clone().all(|c| 0 < c.n && c.n < c.whole && c.whole <= MAX_DEALS_IN_CLUSTER)
    }

    /// Returns the mean; 0 without deals.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.sum / self.n as f64 }
    }

    /// Returns half the width of the 95 % interval of the mean. It is Student's t for one degree
    /// of freedom fewer than clusters, times [`ClusteredMean::standard_error`]. It is infinite for
    /// fewer than two clusters.
    pub fn half_width(&self) -> f64 {
        if self.clusters < 2 {
            return f64::INFINITY;
        }
        student(self.clusters - 1) * self.standard_error()
    }

    /// Returns the standard error of the mean. It is the ratio estimator of cluster sampling
    /// (Cochran 1977, section 6.3). Infinite for fewer than two clusters.
    pub fn standard_error(&self) -> f64 {
        if self.clusters < 2 {
            return f64::INFINITY;
        }
        let (n, k, mean) = (self.n as f64, self.clusters as f64, self.mean());
        let mut total = self.clone();
        self.open.values().for_each(|&cluster| total.close(cluster));
        // Sum of the squares of the residuals: each cluster's sum minus its size times the mean.
        let residuals = total.squares - 2.0 * mean * total.products + mean * mean * total.sizes;
        (residuals.max(0.0) * k / (k - 1.0)).sqrt() / n
    }

    /// Returns the mean with its 95 % interval.
    pub fn estimate(&self) -> Estimate {
        Estimate::new(self.mean(), self.half_width())
    }

    /// Returns the 95 % interval of the mean.
    pub fn interval(&self) -> Interval {
        self.estimate().interval()
    }
}

/// A mean, or another statistic, with its 95 % interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The mean or the statistic; 0 without values.
    pub mean: f64,
    /// Half the width of the interval; `None` if there are too few clusters.
    pub half_width: Option<f64>,
}

/// Quantile of the standard normal distribution for a 95 % interval.
pub(crate) const NORMAL_QUANTILE_95: f64 = 1.96;

/// Half width up to which an interval is only a rounding error: the values had no variance.
const MAX_ROUNDING_HALF_WIDTH: f64 = 1e-9;

impl Estimate {
    /// Creates an estimate. An infinite half width says that there are too few clusters.
    pub fn new(mean: f64, half_width: f64) -> Estimate {
        Estimate { mean, half_width: half_width.is_finite().then_some(half_width) }
    }

    /// Returns the interval; without one, all numbers.
    pub fn interval(self) -> Interval {
        let half_width = self.half_width.unwrap_or(f64::INFINITY);
        Interval { low: self.mean - half_width, high: self.mean + half_width }
    }

    /// Returns half the width of the interval, if it is more than a rounding error. Values without
    /// variance say nothing about other deals.
    pub fn margin(self) -> Option<f64> {
        self.half_width.filter(|&half_width| half_width > MAX_ROUNDING_HALF_WIDTH)
    }

    /// Formats the estimate, such as `+0.31 ± 0.12`. Without a [margin](Estimate::margin) it is the
    /// mean alone.
    pub fn text(self, decimals: usize) -> String {
        let mean = self.mean;
        match self.margin() {
            Some(margin) => format!("{mean:+.decimals$} ± {margin:.decimals$}"),
            None => format!("{mean:+.decimals$}"),
        }
    }
}

/// A 95 % confidence interval. In JSON it is the list of its ends, where `null` is infinite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "[Option<f64>; 2]", into = "[Option<f64>; 2]")]
pub struct Interval {
    /// Lower end; −∞ if there are too few clusters.
    pub low: f64,
    /// Upper end; ∞ if there are too few clusters.
    pub high: f64,
}

impl Interval {
    /// Returns whether a value is in the interval.
    pub fn contains(self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// Returns whether the whole interval is above or below a value.
    pub fn is_clear_of(self, value: f64) -> bool {
        self.low > value || self.high < value
    }

    /// Returns whether there were enough clusters for an interval.
    pub fn is_finite(self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Returns the lower and the upper end.
    pub const fn ends(self) -> [f64; 2] {
        [self.low, self.high]
    }
}

impl From<[Option<f64>; 2]> for Interval {
    fn from([low, high]: [Option<f64>; 2]) -> Interval {
        Interval { low: low.unwrap_or(f64::NEG_INFINITY), high: high.unwrap_or(f64::INFINITY) }
    }
}

impl From<Interval> for [Option<f64>; 2] {
    fn from(interval: Interval) -> [Option<f64>; 2] {
        interval.ends().map(|end| end.is_finite().then_some(end))
    }
}

/// Returns the 97.5 % quantile of Student's t distribution.
pub(crate) fn student(degrees: u64) -> f64 {
    /// Quantiles for 1 to 10 degrees of freedom.
    const TABULATED: [f64; 10] =
        [12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060, 2.2622, 2.2281];
    if let Some(&t) = degrees.checked_sub(1).and_then(|i| TABULATED.get(i as usize)) {
        return t;
    }
    student_near(1.959_964, degrees)
}

/// Returns the 80 % quantile of Student's t distribution. It is within 1 % for one degree of
/// freedom, closer for more.
pub(crate) fn student_80(degrees: u64) -> f64 {
    student_near(0.841_621, degrees)
}

/// Returns a quantile of Student's t distribution by expansion about the normal quantile. The
/// formula is 26.7.5 of Abramowitz and Stegun.
fn student_near(z: f64, degrees: u64) -> f64 {
    let v = degrees as f64;
    let (z3, z5) = (z.powi(3), z.powi(5));
    z + (z3 + z) / (4.0 * v)
        + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * v * v)
        + (3.0 * z.powi(7) + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * v.powi(3))
}

/// Results of a bot with a contract in a role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Deals.
    pub deals: u64,
    /// Deals in which the contract was made. The bot, or for a defender the first declarer, scored
    /// more than 0.
    pub made: u64,
    /// Total points of the bot.
    pub points: i64,
}

/// Tallies by contract and role: `"solo 7 declarer"`, `"suit 8 defender"`, `"passed out"`.
///
/// The keys are only printed and merged. Reports may come from other versions with other contracts.
pub type Tallies = BTreeMap<String, Tally>;

/// Adds a finished deal to the tallies of one seat.
pub(crate) fn tally(tallies: &mut Tallies, state: &State, seat: Seat) {
    let scores = state.scores().expect("a finished deal");
    let (key, made) = match state.contract() {
        None => ("passed out".to_string(), false),
        Some(contract) => {
            let declares = contract.declarers.has(seat);
            let judged = if declares { Some(seat) } else { contract.declarers.first() };
            let role = if declares { "declarer" } else { "defender" };
            let made = judged.is_some_and(|s| scores[s] > 0);
            (format!("{} {role}", contract.label()), made)
        }
    };
    let tally = tallies.entry(key).or_default();
    tally.deals += 1;
    tally.made += u64::from(made);
    tally.points += i64::from(scores[seat]);
}

/// Merges tallies over different deals.
pub(crate) fn merge_tallies(into: &mut Tallies, other: &Tallies) {
    for (key, more) in other {
        let tally = into.entry(key.clone()).or_default();
        tally.deals += more.deals;
        tally.made += more.made;
        tally.points += more.points;
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::noise::standard_normal;

    #[test]
    fn values_without_variance_have_no_interval() {
        let sum_of = |values: [f64; 3]| {
            let mut sum = ClusteredMean::default();
            values.into_iter().for_each(|value| sum.add(value));
            sum.estimate().text(2)
        };
        assert_eq!(sum_of([0.1; 3]), "+0.10");
        assert_eq!(sum_of([0.1, 0.2, 0.3]), "+0.20 ± 0.25");
        let mut one = ClusteredMean::default();
        one.add(1.0);
        assert_eq!(one.estimate().text(1), "+1.0");
    }

    #[test]
    fn an_interval_is_the_list_of_its_ends_in_json() {
        let interval = Interval { low: -0.5, high: 1.5 };
        assert_eq!(serde_json::to_string(&interval).expect("JSON"), "[-0.5,1.5]");
        let unknown = ClusteredMean::default().interval();
        assert_eq!(serde_json::to_string(&unknown).expect("JSON"), "[null,null]");
        assert_eq!(serde_json::from_str::<Interval>("[null,null]").expect("ends"), unknown);
        assert!(interval.contains(0.0) && !interval.is_clear_of(0.0) && interval.is_finite());
        assert!(interval.is_clear_of(2.0) && !unknown.is_clear_of(0.0) && !unknown.is_finite());
    }

    #[test]
    fn interval_matches_a_textbook_case() {
        let mut sum = ClusteredMean::default();
        [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().for_each(|v| sum.add(v));
        assert_eq!(sum.mean(), 3.0);
        // s = sqrt(2.5), s / sqrt(5) = 0.7071; t with four degrees of freedom.
        assert!((sum.half_width() - 2.7764 * 0.5f64.sqrt()).abs() < 1e-12);
        let (mut left, mut right) = (ClusteredMean::default(), ClusteredMean::default());
        [1.0, 2.0].into_iter().for_each(|v| left.add(v));
        [3.0, 4.0, 5.0].into_iter().for_each(|v| right.add(v));
        left.merge(&right);
        assert_eq!(left, sum);
    }

    #[test]
    fn clusters_widen_the_interval_as_the_formula_says() {
        // Three series, of 2, 2 and 1 deals. Mean 2.2; residuals of the sums 2, 8 and 1 from 2.2
        // times their sizes: -2.4, 3.6, -1.2; squares 5.76, 12.96, 1.44.
        let mut sum = ClusteredMean::default();
        sum.add_series(4, 2, &[1.0, 1.0]);
        sum.add_series(5, 2, &[3.0, 5.0]);
        sum.add_series(6, 2, &[1.0]);
        assert_eq!((sum.n, sum.clusters), (5, 3));
        assert!((sum.mean() - 2.2).abs() < 1e-12);
        // t with two degrees of freedom.
        let wanted = 4.3027 * (20.16 * 1.5f64).sqrt() / 5.0;
        assert!((sum.half_width() - wanted).abs() < 1e-12, "{}", sum.half_width());
    }

    #[test]
    fn series_that_shards_cut_are_put_together() {
        let mut whole = ClusteredMean::default();
        whole.add_series(0, 4, &[1.0, 2.0, 0.5, 4.0]);
        whole.add_series(1, 4, &[-3.0, 2.0, 2.0, 2.0]);
        whole.add_series(2, 4, &[7.0, 1.0]);
        let (mut left, mut right) = (ClusteredMean::default(), ClusteredMean::default());
        left.add_series(0, 4, &[1.0, 2.0, 0.5, 4.0]);
        left.add_series(1, 4, &[-3.0]);
        right.add_series(1, 4, &[2.0, 2.0, 2.0]);
        right.add_series(2, 4, &[7.0, 1.0]);
        let alone = left.half_width();
        left.merge(&right);
        assert_eq!(left, whole);
        assert!(alone.is_finite() && left.half_width() != alone);
    }

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, t) in
            [(1, 12.706), (10, 2.228), (11, 2.201), (15, 2.131), (30, 2.042), (60, 2.000)]
        {
            assert!((student(degrees) - t).abs() < 6e-4, "{degrees}: {}", student(degrees));
        }
        assert!((student(1_000_000) - 1.96).abs() < 1e-3);
        for (degrees, t) in [(1, 1.376), (2, 1.061), (5, 0.920), (30, 0.854)] {
            assert!(
                (student_80(degrees) / t - 1.0).abs() < 0.01,
                "{degrees}: {}",
                student_80(degrees)
            );
        }
    }

    /// Checks that 95 % of the intervals hold the true mean, even with few clusters. Intervals that
    /// treat the correlated deals of a series as independent hold it far less often.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let mut stream = Stream::new(9, Purpose::Action, 0);
        let mut noise = || standard_normal(&mut stream);
        for clusters in [4, 10, 60] {
            let (mut covered, mut naive) = (0.0, 0.0);
            for _ in 0..2000 {
                let (mut clustered, mut independent) =
                    (ClusteredMean::default(), ClusteredMean::default());
                for number in 0..clusters {
                    let lean = noise();
                    let series: Vec<f64> = (0..8).map(|_| 0.7 + lean + noise()).collect();
                    clustered.add_series(number, 8, &series);
                    series.iter().for_each(|&value| independent.add(value));
                }
                let holds = |sum: &ClusteredMean| {
                    if sum.interval().contains(0.7) { 1.0 / 2000.0 } else { 0.0 }
                };
                covered += holds(&clustered);
                naive += holds(&independent);
            }
            // Four standard errors of a share of 0.95 in 2,000.
            assert!((0.930..=0.970).contains(&covered), "{clusters}: {covered}");
            assert!(naive < 0.75, "{clusters}: {naive}");
        }
    }
}
