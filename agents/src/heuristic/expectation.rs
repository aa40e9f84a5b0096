//! Expected points of a contract, from the expected tricks.

use troel_env::{Contract, Observation, score_side};

use super::trick_model::TrickModel;
use crate::deal_value::points_with_match_bonus;

/// Points of a seat for 0 to 13 tricks of its side. They are kept for the last contract, because
/// calls of one row of the contract table follow each other.
#[derive(Default)]
pub(super) struct PointsByTricks {
    /// Row and number of declarers.
    key: Option<(u8, u32)>,
    points: [f32; 14],
}

impl PointsByTricks {
    fn get(&mut self, obs: &Observation, contract: &Contract, model: &TrickModel) -> &[f32; 14] {
        let key = Some((contract.row, contract.declarers.len()));
        if self.key != key {
            self.key = key;
            self.points = std::array::from_fn(|n| points(obs, contract, n as u8, model));
        }
        &self.points
    }
}

/// Returns the seat's points if its side takes `tricks` tricks.
pub(super) fn points(
    obs: &Observation,
    contract: &Contract,
    tricks: u8,
    model: &TrickModel,
) -> f32 {
    let rules = obs.public().rules();
    let points = score_side(rules, contract, tricks);
    if model.match_aware {
        points_with_match_bonus(rules, obs.totals(), &points, obs.seat())
    } else {
        points[obs.seat()] as f32
    }
}

/// Distribution of the tricks that a side takes.
#[derive(Clone, Copy)]
pub(super) struct Tricks {
    /// Smallest number of tricks: the certain ones.
    pub least: u8,
    /// Mean before the cut at `least`.
    pub mean: f32,
    /// Standard deviation before the cut.
    pub spread: f32,
}

/// Returns the expected points of a contract. The tricks of its side have a normal distribution,
/// cut at the certain tricks.
pub(super) fn expected(
    obs: &Observation,
    contract: Contract,
    tricks: Tricks,
    model: &TrickModel,
    known: &mut PointsByTricks,
) -> f32 {
    let Tricks { least, mean, spread } = tricks;
    let most = obs.public().rules().cards_per_hand();
    let points = &known.get(obs, &contract, model)[..=usize::from(most)];
    // A normal density at 0, 1, … tricks: each is the one before times a ratio that itself shrinks
    // evenly.
    let (mean, variance) = (f64::from(mean), f64::from(spread * spread));
    let mut density = (-0.5 * mean * mean / variance).exp();
    let mut ratio = ((mean - 0.5) / variance).exp();
    let shrink = (-1.0 / variance).exp();
    let (mut weight, mut sum) = (0.0, 0.0);
    for (n, &points) in points.iter().enumerate() {
        if n >= usize::from(least) {
            weight += density;
            sum += density * f64::from(points);
        }
        density *= ratio;
        ratio *= shrink;
    }
    if weight > 0.0 { (sum / weight) as f32 } else { points[usize::from(least)] }
}
