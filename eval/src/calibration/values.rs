//! Predicted against achieved points.

use serde::{Deserialize, Serialize};

use super::estimate::{Moments, error_of_mean, of_mean, of_moments};
use super::part::DealPart;
use crate::statistics::Estimate;

/// A predicted value and the achieved points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Prediction {
    /// Cluster of the deal.
    pub cluster: u64,
    /// Part of the deal.
    pub part: DealPart,
    /// Predicted points of the deal for the seat that decides.
    pub predicted: f64,
    /// Points that the seat scored in the deal.
    pub achieved: f64,
}

/// Calibration of a bot's values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueSheet {
    /// The auction, the play, and the parts of the play.
    pub parts: Vec<ValueSummary>,
    /// Deciles of the prediction, of the auction and of the play.
    pub deciles: Vec<Decile>,
}

/// Values in a part of the deals.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueSummary {
    /// The part of the deals.
    pub part: DealPart,
    /// Number of decisions.
    pub decisions: u64,
    /// Mean of predicted minus achieved points.
    pub error: Estimate,
    /// Slope of the regression of achieved on predicted points. It is 1 if calibrated, less if
    /// predictions are too extreme.
    pub slope: Estimate,
    /// Share of the variance of the achieved points that the predictions explain.
    pub explained: Estimate,
    /// Calibration error in points: root mean square of the mean errors of the deciles. The part
    /// that their standard errors account for is subtracted (Kumar, Liang and Ma 2019).
    pub calibration_error: f64,
}

/// A tenth of the decisions, by prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decile {
    /// The auction or the play.
    pub part: DealPart,
    /// 1 for the lowest predictions to 10 for the highest.
    pub decile: usize,
    /// Number of decisions.
    pub decisions: u64,
    /// Mean predicted points.
    pub predicted: f64,
    /// Mean achieved points.
    pub achieved: f64,
    /// Mean of predicted minus achieved points.
    pub error: Estimate,
}

impl ValueSheet {
    /// Returns the sheet of some predictions; `None` if there are none.
    pub(super) fn of(predictions: &[Prediction]) -> Option<ValueSheet> {
        if predictions.is_empty() {
            return None;
        }
        let mut sheet = ValueSheet { parts: Vec::new(), deciles: Vec::new() };
        let predictions_of = |part: DealPart| -> Vec<Prediction> {
            let is_of = |prediction: &Prediction| part.contains(prediction.part);
            predictions.iter().copied().filter(is_of).collect()
        };
        for part in [DealPart::Auction, DealPart::Play] {
            let found = predictions_of(part);
            let deciles = deciles(part, &found);
            sheet.parts.extend(summary(part, &found, &deciles));
            sheet.deciles.extend(deciles.into_iter().map(|(decile, _)| decile));
        }
        for part in DealPart::FINEST.into_iter().filter(|&part| part != DealPart::Auction) {
            let found = predictions_of(part);
            sheet.parts.extend(summary(part, &found, &deciles(part, &found)));
        }
        Some(sheet)
    }
}

/// Returns the deciles, each with the standard error of its mean error if there is one.
fn deciles(part: DealPart, predictions: &[Prediction]) -> Vec<(Decile, Option<f64>)> {
    const DECILES: usize = 10;
    let mut sorted = predictions.to_vec();
    sorted.sort_by(|a, b| a.predicted.total_cmp(&b.predicted));
    let cut = |nth: usize| nth * sorted.len() / DECILES;
    let decile = |nth: usize| {
        let found = &sorted[cut(nth)..cut(nth + 1)];
        let errors = || found.iter().map(|p| (p.cluster, p.predicted - p.achieved));
        let mean = |value: fn(&Prediction) -> f64| {
            found.iter().map(value).sum::<f64>() / found.len() as f64
        };
        let decile = Decile {
            part,
            decile: nth + 1,
            decisions: found.len() as u64,
            predicted: mean(|p| p.predicted),
            achieved: mean(|p| p.achieved),
            error: of_mean(errors()),
        };
        (decile, error_of_mean(errors()))
    };
    (0..DECILES).filter(|&nth| cut(nth) < cut(nth + 1)).map(decile).collect()
}

fn summary(
    part: DealPart,
    predictions: &[Prediction],
    deciles: &[(Decile, Option<f64>)],
) -> Option<ValueSummary> {
    if predictions.is_empty() {
        return None;
    }
    let pairs = || predictions.iter().map(|p| (p.cluster, p.predicted, p.achieved));
    let square = |(decile, error): &(Decile, Option<f64>)| {
        let noise = error.map_or(0.0, |error| error * error);
        decile.decisions as f64 * (decile.error.mean.powi(2) - noise)
    };
    let squares: f64 = deciles.iter().map(square).sum();
    Some(ValueSummary {
        part,
        decisions: predictions.len() as u64,
        error: of_mean(pairs().map(|(cluster, x, y)| (cluster, x - y))),
        slope: of_moments(pairs(), Moments::slope),
        explained: of_moments(pairs(), Moments::explained),
        calibration_error: (squares / predictions.len() as f64).max(0.0).sqrt(),
    })
}

#[cfg(test)]
mod tests {
    use troel_env::rng::{Purpose, Stream};

    use super::*;
    use crate::noise::standard_normal;

    /// Simulates predictions of 2,000 deals, each of five decisions with the same luck. The outcome
    /// is the known mean plus noise.
    fn simulated(seed: u64, predict: impl Fn(f64) -> f64) -> Vec<Prediction> {
        let mut stream = Stream::new(seed, Purpose::Action, 0);
        let mut noise = || standard_normal(&mut stream);
        let mut found = Vec::new();
        for cluster in 0..2000 {
            let (mean, luck) = (2.0 * noise(), 2.0 * noise());
            found.extend((0..5).map(|_| Prediction {
                cluster,
                part: DealPart::Auction,
                predicted: predict(mean),
                achieved: mean + luck,
            }));
        }
        found
    }

    fn sheet(seed: u64, predict: impl Fn(f64) -> f64) -> ValueSummary {
        ValueSheet::of(&simulated(seed, predict)).expect("a sheet").parts.remove(0)
    }

    #[test]
    fn calibrated_predictions_are_told_from_others() {
        let good = sheet(1, |mean| mean);
        // Half of the variance is known.
        assert!((good.explained.mean - 0.5).abs() < 0.05, "{good:?}");
        assert!((good.slope.mean - 1.0).abs() < 0.08 && good.error.mean.abs() < 0.15, "{good:?}");
        assert!(good.calibration_error < 0.15, "{good:?}");
        let extreme = sheet(1, |mean| 2.0 * mean);
        assert!((extreme.slope.mean - 0.5).abs() < 0.04, "{extreme:?}");
        // The mean error is that of the mean of a decile: about as large as the outcomes' known
        // part, 2 points.
        assert!((extreme.calibration_error - 2.0).abs() < 0.2, "{extreme:?}");
        assert!(extreme.explained.mean.abs() < 0.1, "{extreme:?}");
        let high = sheet(1, |mean| mean + 1.0);
        assert!((high.error.mean - 1.0 - good.error.mean).abs() < 1e-9);
        assert!((high.calibration_error - 1.0).abs() < 0.15, "{high:?}");
        let nothing = sheet(1, |_| 0.5);
        assert_eq!(nothing.slope.mean, 0.0);
        assert!(nothing.explained.mean < 0.0);
    }

    /// Checks that 95 % of the intervals of 200 simulations hold the truth. The five decisions of a
    /// deal share its luck.
    #[test]
    fn intervals_cover_the_truth() {
        let mut covered = [0u32; 3];
        for seed in 0..200 {
            let found = sheet(seed, |mean| mean);
            let truths = [(found.error, 0.0), (found.slope, 1.0), (found.explained, 0.5)];
            for (count, (estimate, truth)) in covered.iter_mut().zip(truths) {
                let half = estimate.half_width.expect("an interval");
                *count += u32::from((estimate.mean - truth).abs() <= half);
            }
        }
        // Four standard errors of a share of 0.95 in 200, and all of them.
        assert!(covered.iter().all(|&n| (178..=200).contains(&n)), "{covered:?}");
        assert!(covered.iter().any(|&n| n < 200), "{covered:?}");
    }

    #[test]
    fn deciles_are_tenths_in_order() {
        let sheet = ValueSheet::of(&simulated(3, |mean| mean)).expect("a sheet");
        assert_eq!(sheet.deciles.len(), 10);
        assert!(sheet.deciles.iter().all(|decile| decile.decisions == 1000));
        assert!(sheet.deciles.is_sorted_by(|a, b| a.predicted < b.predicted));
        assert_eq!(ValueSheet::of(&[]), None);
        let one = ValueSheet::of(&simulated(3, |mean| mean)[..1]).expect("a sheet");
        assert_eq!((one.deciles.len(), one.deciles[0].error.half_width), (1, None));
    }
}
