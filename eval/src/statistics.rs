//! Means, confidence intervals, and tallies per contract.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use troel_env::{Seat, State};

/// Running sums of one value per deal, for a mean with a clustered confidence interval. Average the seats of a deal
/// before adding it; add deals that are not independent as one cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sum {
    /// Number of deals.
    pub n: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Sum of the values.
    pub sum: f64,
    /// Sum over the clusters of the square of the cluster's sum.
    pub squares: f64,
    /// Sum over the clusters of the cluster's sum times its number of deals.
    pub products: f64,
    /// Sum over the clusters of the square of the number of deals.
    pub sizes: f64,
}

impl Sum {
    /// Adds a deal that is independent of all others.
    pub fn add(&mut self, value: f64) {
        self.add_cluster(&[value]);
    }

    /// Adds a cluster of deals, which may depend on each other but on no others.
    pub fn add_cluster(&mut self, values: &[f64]) {
        if values.is_empty() {
            return;
        }
        let (sum, size) = (values.iter().sum::<f64>(), values.len() as f64);
        self.n += values.len() as u64;
        self.clusters += 1;
        self.sum += sum;
        self.squares += sum * sum;
        self.products += sum * size;
        self.sizes += size * size;
    }

    /// Merges sums over different deals.
    pub fn merge(&mut self, other: &Sum) {
        self.n += other.n;
        self.clusters += other.clusters;
        self.sum += other.sum;
        self.squares += other.squares;
        self.products += other.products;
        self.sizes += other.sizes;
    }

    /// The mean; 0 without deals.
    pub fn mean(&self) -> f64 {
        if self.n == 0 { 0.0 } else { self.sum / self.n as f64 }
    }

    /// Half the width of the 95 % confidence interval of the mean: the ratio estimator of cluster sampling (Cochran
    /// 1977, section 6.3) with a normal approximation; infinite for fewer than two clusters.
    pub fn half_width(&self) -> f64 {
        if self.clusters < 2 {
            return f64::INFINITY;
        }
        let (n, k, mean) = (self.n as f64, self.clusters as f64, self.mean());
        // Sum of squared residuals: the cluster's sum minus the mean times its number of deals.
        let residuals = self.squares - 2.0 * mean * self.products + mean * mean * self.sizes;
        1.959_964 * (residuals.max(0.0) * k / (k - 1.0)).sqrt() / n
    }

    /// 95 % confidence interval of the mean, as low and high.
    pub fn ci95(&self) -> [f64; 2] {
        [self.mean() - self.half_width(), self.mean() + self.half_width()]
    }
}

/// Results of a bot with one contract in one role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Deals.
    pub deals: u64,
    /// Deals in which the contract was made: the bot, or for a defender the first declarer, scored more than 0.
    pub made: u64,
    /// Total points of the bot.
    pub points: i64,
}

/// Tallies by contract and role: `"solo 7 declarer"`, `"suit 8 defender"`, `"passed out"`.
pub type Tallies = BTreeMap<String, Tally>;

/// Adds a finished deal to the tallies of one seat.
pub fn tally(tallies: &mut Tallies, state: &State, seat: Seat) {
    let Some(scores) = state.scores() else { return };
    let (key, made) = match state.contract() {
        None => ("passed out".to_string(), false),
        Some(contract) => {
            let declares = contract.declarers.has(seat);
            let judged = if declares { Some(seat) } else { contract.declarers.first() };
            let role = if declares { "declarer" } else { "defender" };
            let level =
                if contract.level > 0 { format!(" {}", contract.level) } else { String::new() };
            let made = judged.is_some_and(|s| scores[s] > 0);
            (format!("{}{level} {role}", contract.kind.name()), made)
        }
    };
    let entry = tallies.entry(key).or_default();
    entry.deals += 1;
    entry.made += u64::from(made);
    entry.points += i64::from(scores[seat]);
}

/// Merges tallies over different deals.
pub fn merge_tallies(into: &mut Tallies, other: &Tallies) {
    for (key, tally) in other {
        let entry = into.entry(key.clone()).or_default();
        entry.deals += tally.deals;
        entry.made += tally.made;
        entry.points += tally.points;
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;

    #[test]
    fn interval_matches_a_textbook_case() {
        let mut sum = Sum::default();
        [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().for_each(|v| sum.add(v));
        assert_eq!(sum.mean(), 3.0);
        // s = sqrt(2.5), s / sqrt(5) = 0.7071.
        assert!((sum.half_width() - 1.959_964 * 0.5f64.sqrt()).abs() < 1e-12);
        let (mut left, mut right) = (Sum::default(), Sum::default());
        [1.0, 2.0].into_iter().for_each(|v| left.add(v));
        [3.0, 4.0, 5.0].into_iter().for_each(|v| right.add(v));
        left.merge(&right);
        assert_eq!(left, sum);
    }

    #[test]
    fn clusters_widen_the_interval_as_the_formula_says() {
        // Three series, of 2, 2 and 1 deals. Mean 2.2; residuals of the sums 2, 8 and 1 from 2.2 times their sizes:
        // -2.4, 3.6, -1.2; squares 5.76, 12.96, 1.44.
        let mut sum = Sum::default();
        [&[1.0, 1.0][..], &[3.0, 5.0], &[1.0]].into_iter().for_each(|c| sum.add_cluster(c));
        assert_eq!((sum.n, sum.clusters), (5, 3));
        assert!((sum.mean() - 2.2).abs() < 1e-12);
        let wanted = 1.959_964 * (20.16 * 1.5f64).sqrt() / 5.0;
        assert!((sum.half_width() - wanted).abs() < 1e-12, "{}", sum.half_width());
    }

    /// About 95 % of the intervals contain the known mean. With correlated deals in series of eight, only about half
    /// of the intervals that assume independent deals would.
    #[test]
    fn intervals_cover_the_truth_as_often_as_they_say() {
        let mut stream = Stream::new(9, Purpose::Action, 0);
        let mut noise = || f64::from((0..12).map(|_| stream.unit()).sum::<f32>()) - 6.0;
        let trials = 2000;
        let (mut covered, mut naive) = (0, 0);
        for _ in 0..trials {
            let (mut clustered, mut independent) = (Sum::default(), Sum::default());
            for _ in 0..60 {
                let lean = noise();
                let series: Vec<f64> = (0..8).map(|_| 0.7 + lean + noise()).collect();
                clustered.add_cluster(&series);
                series.iter().for_each(|&value| independent.add(value));
            }
            let holds = |sum: &Sum| {
                let [low, high] = sum.ci95();
                u32::from((low..=high).contains(&0.7))
            };
            covered += holds(&clustered);
            naive += holds(&independent);
        }
        // Three standard errors of a proportion of 0.95 in 2,000, plus the undercoverage of a normal interval over 60
        // clusters.
        let (covered, naive) = (f64::from(covered) / 2000.0, f64::from(naive) / 2000.0);
        assert!((0.925..=0.965).contains(&covered), "{covered}");
        assert!(naive < 0.75, "{naive}");
    }
}
