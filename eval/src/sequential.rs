//! Sequential tests: a comparison ends as soon as the verdict is clear.

use serde::{Deserialize, Serialize};

use crate::statistics::ClusteredMean;

/// A sequential probability ratio test (Wald 1945) of two hypotheses about a mean difference. The
/// difference, in points per deal, is `low`, or it is `high`. Error probabilities are 5 % each.
///
/// Deals count as normal samples whose variance is estimated along with the mean, as in tests of
/// chess engines. A true mean in between may be decided either way, and takes the longest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sprt {
    low: f64,
    high: f64,
}

/// Result of a sequential test.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtResult {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Its verdict.
    pub verdict: Verdict,
    /// Log-likelihood ratio at the end; none where no deal differs.
    pub log_likelihood_ratio: Option<f64>,
}

/// Verdict of a sequential test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The mean is `low`, not `high`.
    Low,
    /// The mean is `high`, not `low`.
    High,
    /// More deals are needed.
    Open,
}

/// The hypotheses are not two numbers in rising order.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a sequential test needs two different means, the lower first, such as 0 0.2; got {low} {high}"
)]
pub struct SprtError {
    low: f64,
    high: f64,
}

/// Minimum number of clusters for a verdict. Fewer give a poor estimate of the variance.
const MIN_CLUSTERS: u64 = 40;

impl Sprt {
    /// ln((1 − β) / α) for α = β = 0.05.
    pub const DECISION_BOUND: f64 = 2.944_438_979_166_44;

    /// Creates a test of these means, in points per deal.
    ///
    /// # Errors
    /// `low` is not below `high`, or one is not a finite number.
    pub fn new(low: f64, high: f64) -> Result<Sprt, SprtError> {
        if low.is_finite() && high.is_finite() && low < high {
            Ok(Sprt { low, high })
        } else {
            Err(SprtError { low, high })
        }
    }

    /// Returns the log-likelihood ratio of `high` to `low`. It is infinite where all deals gave the
    /// same, and 0 with fewer than two clusters.
    pub fn log_likelihood_ratio(&self, sum: &ClusteredMean) -> f64 {
        let variance = sum.standard_error().powi(2);
        let middle = (self.low + self.high) / 2.0;
        let ratio = (self.high - self.low) * (sum.mean() - middle) / variance;
        if ratio.is_nan() { 0.0 } else { ratio }
    }

    /// Returns the verdict on these deals.
    pub fn verdict(&self, sum: &ClusteredMean) -> Verdict {
        let ratio = self.log_likelihood_ratio(sum);
        if sum.clusters < MIN_CLUSTERS || ratio.abs() < Sprt::DECISION_BOUND {
            Verdict::Open
        } else if ratio > 0.0 {
            Verdict::High
        } else {
            Verdict::Low
        }
    }

    /// Returns whether these deals suffice for a verdict.
    pub fn is_decided(&self, sum: &ClusteredMean) -> bool {
        self.verdict(sum) != Verdict::Open
    }

    /// Returns the result on these deals.
    pub fn result(&self, sum: &ClusteredMean) -> SprtResult {
        let ratio = self.log_likelihood_ratio(sum);
        SprtResult {
            test: *self,
            verdict: self.verdict(sum),
            log_likelihood_ratio: ratio.is_finite().then_some(ratio),
        }
    }

    /// Formats the verdict in words, with the log-likelihood ratio and its bounds.
    pub fn describe(&self, sum: &ClusteredMean) -> String {
        let Sprt { low, high } = self;
        let verdict = match self.verdict(sum) {
            Verdict::Low => format!("{low:+} accepted, {high:+} rejected"),
            Verdict::High => format!("{high:+} accepted, {low:+} rejected"),
            Verdict::Open => format!("undecided between {low:+} and {high:+}"),
        };
        let (ratio, bound) = (self.log_likelihood_ratio(sum), Sprt::DECISION_BOUND);
        let ratio = if ratio.is_finite() {
            format!("{ratio:+.2} of ±{bound:.2}")
        } else {
            "infinite, because no deal differs".to_string()
        };
        let few = if sum.clusters < MIN_CLUSTERS {
            format!(" (no decision before {MIN_CLUSTERS} independent deals or series)")
        } else {
            String::new()
        };
        format!("{verdict}; log-likelihood ratio {ratio}, {} deals{few}", sum.n)
    }
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::noise::standard_normal;

    #[test]
    fn ratio_matches_a_case_by_hand() {
        // Mean 3, standard error sqrt(2.5 / 5); hypotheses 0 and 2: 2 · (3 − 1) / 0.5 = 8.
        let mut sum = ClusteredMean::default();
        [1.0, 2.0, 3.0, 4.0, 5.0].into_iter().for_each(|v| sum.add(v));
        let sprt = Sprt::new(0.0, 2.0).unwrap();
        assert!((sprt.log_likelihood_ratio(&sum) - 8.0).abs() < 1e-9);
        assert_eq!(sprt.verdict(&sum), Verdict::Open, "too few deals to know the variance");
        assert!(Sprt::new(1.0, 1.0).is_err() && Sprt::new(f64::NAN, 1.0).is_err());
        assert_eq!(sprt.log_likelihood_ratio(&ClusteredMean::default()), 0.0);
        // A bot against itself differs in no deal.
        let mut same = ClusteredMean::default();
        (0..100).for_each(|_| same.add(0.0));
        assert_eq!(sprt.verdict(&same), Verdict::Low);
    }

    /// Checks that at most one test in twenty accepts the wrong mean. Tests take fewer deals than a
    /// fixed number of deals with the same error rate.
    #[test]
    fn errors_are_as_rare_as_they_should_be() {
        let mut stream = Stream::new(4, Purpose::Action, 0);
        let mut noise = || standard_normal(&mut stream);
        let sprt = Sprt::new(0.0, 0.2).unwrap();
        for (truth, wrong) in [(0.0, Verdict::High), (0.2, Verdict::Low)] {
            let (mut errors, mut deals) = (0, 0);
            for _ in 0..400 {
                let mut sum = ClusteredMean::default();
                let verdict = loop {
                    (0..16).for_each(|_| sum.add(truth + noise()));
                    match sprt.verdict(&sum) {
                        Verdict::Open => {}
                        verdict => break verdict,
                    }
                };
                errors += u32::from(verdict == wrong);
                deals += sum.n;
            }
            // 20 are expected at most; 3.3 standard errors more.
            assert!(errors <= 34, "{truth}: {errors} of 400");
            // A fixed number needs (2 · 1.645 / 0.2)² = 271.
            assert!(deals / 400 < 200, "{truth}: {} deals", deals / 400);
        }
    }
}
