//! Strengths: one per bot, fitted to the results of any number of bots, and its misfit.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};
use troel_env::RuleSet;

use super::alpha_rank::{MeasuredGain, alpha_rank, complete_set};
use super::stored::{LadderResult, Player, distinct, pooled};
use crate::duplicate::Scope;
use crate::statistics::{Estimate, NORMAL_QUANTILE_95};

/// Strength of a bot.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The bot, as its last result has it.
    pub player: Player,
    /// Points per deal beyond the anchor's.
    pub points: f64,
    /// Half the width of the 95 % interval; 0 for the anchor.
    pub half_width: f64,
    /// Number of deals that it played as challenger or baseline.
    pub deals: u64,
    /// Number of deals that it forfeited by its own faults.
    pub forfeits: u64,
    /// Distance of its results from differences of strengths; `None` if no result checks them.
    pub misfit: Option<Misfit>,
    /// Share of α-Rank, 0 to 1. It is `None` outside the set of bots that all played each other in
    /// both directions.
    pub share: Option<f64>,
}

impl Strength {
    /// Returns the points with their interval.
    pub fn estimate(&self) -> Estimate {
        Estimate::new(self.points, self.half_width)
    }
}

/// Root mean squared residual of results. Squares are divided by the residual degrees of freedom.
/// If single strengths describe the results, residuals in standard errors are about 1. They are
/// smaller for pairs that played in both directions on the same deals.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misfit {
    /// In points per deal.
    pub points: f64,
    /// In standard errors.
    #[serde(rename = "errors")]
    pub standard_errors: f64,
}

/// Strengths fitted to results.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ladder {
    /// The bots, strongest first.
    pub strengths: Vec<Strength>,
    /// Names of bots that no chain of results connects with the anchor.
    pub unconnected: Vec<String>,
    /// Mean squared residual, in squared standard errors; 1 if no result checks another.
    ///
    /// Above 1, single strengths do not describe the results. For example, bots beat each other in
    /// a circle, or each gains as one against three copies of the other. Intervals are then
    /// widened by its root.
    #[serde(rename = "misfit")]
    pub mean_squared_residual: f64,
}

impl Ladder {
    /// Returns the ladder as JSON, with the rule set and the scope of its results.
    pub fn json(&self, rules: &RuleSet, scope: Scope) -> Value {
        let mut value = json!(self);
        value["rules"] = json!(rules.id());
        value["scope"] = json!(scope.name());
        value
    }
}

/// A bot with the sums over its results.
#[derive(Clone, Copy)]
struct Played<'a> {
    /// The bot, as its last result has it.
    player: &'a Player,
    deals: u64,
    forfeits: u64,
}

impl<'a> Played<'a> {
    /// Returns the sums of a bot without results.
    const fn none(player: &'a Player) -> Played<'a> {
        Played { player, deals: 0, forfeits: 0 }
    }
}

/// Fits one strength per bot, by weighted least squares. A result is the challenger's strength
/// minus the baseline's, with its standard error. The anchor, named by its identity, has strength
/// 0. Results on the same deals count as independent, except for the two directions of a pair:
/// intervals are approximate.
pub fn fit(results: &[LadderResult], anchor: &str) -> Ladder {
    let results = distinct(results);
    let mut players: BTreeMap<&str, Played<'_>> = BTreeMap::new();
    for r in &results {
        for (player, forfeits) in r.players_with_forfeits() {
            let played = players.entry(&player.id).or_insert(Played::none(player));
            played.player = player;
            played.deals += r.deals.len();
            played.forfeits += forfeits;
        }
    }
    let connected = connected(&results, anchor);
    let ids: Vec<&str> = players.keys().copied().filter(|id| connected.contains(id)).collect();
    let rows = rows(&results, &ids);
    let estimated = LeastSquares::of(&rows, ids.len());
    let residuals = estimated.residuals(&rows);
    let squares: f64 = residuals.iter().map(|r| (r.points / r.standard_error).powi(2)).sum();
    let (rows, n) = (rows.len(), ids.len());
    let mean_squared_residual = if rows > n { squares / (rows - n) as f64 } else { 1.0 };
    let anchored = Player { name: anchor.to_string(), id: anchor.to_string(), ..Player::default() };
    let anchored = players.get(anchor).copied().unwrap_or(Played::none(&anchored));
    let shares = shares(&results, &players);
    let strength = |points: f64, half_width: f64, played: Played<'_>| {
        let Played { player, deals, forfeits } = played;
        let id = player.id.as_str();
        let misfit = Residual::misfit(residuals.iter().filter(|r| r.pair.contains(&id)));
        let share = shares.get(id).copied();
        Strength { player: player.clone(), points, half_width, deals, forfeits, misfit, share }
    };
    let mut all = vec![strength(0.0, 0.0, anchored)];
    all.extend(ids.iter().enumerate().map(|(i, &id)| {
        let variance = estimated.covariances[i][i].max(0.0) * mean_squared_residual.max(1.0);
        strength(estimated.strengths[i], NORMAL_QUANTILE_95 * variance.sqrt(), players[id])
    }));
    all.sort_by(|a, b| b.points.total_cmp(&a.points));
    let unconnected = players.iter().filter(|(id, _)| **id != anchor && !connected.contains(id));
    let unconnected = unconnected.map(|(_, played)| played.player.name.clone()).collect();
    Ladder { strengths: all, unconnected, mean_squared_residual }
}

/// Returns the standard error that a result has in the fit. The two directions of a pair on the
/// same deals share much of their luck: together they count as one result.
fn standard_error_in_fit(result: &LadderResult, all: &[&LadderResult]) -> f64 {
    let is_other_direction = |other: &&LadderResult| {
        (&result.challenger.id, &result.baseline.id) == (&other.baseline.id, &other.challenger.id)
            && (result.seed, result.deals) == (other.seed, other.deals)
    };
    let factor = if all.iter().any(is_other_direction) { std::f64::consts::SQRT_2 } else { 1.0 };
    result.standard_error.max(MIN_STANDARD_ERROR) * factor
}

/// A result between two different bots, of which one may be the anchor.
struct Row<'a> {
    result: &'a LadderResult,
    /// Indices of challenger and baseline among the bots of the fit. `None` for the anchor.
    bots: [Option<usize>; 2],
    /// Standard error of the result in the fit, in points per deal.
    standard_error: f64,
}

/// Returns the rows of the fit, whose bots are `ids`.
fn rows<'a>(results: &[&'a LadderResult], ids: &[&str]) -> Vec<Row<'a>> {
    let index = |id: &str| ids.iter().position(|&other| other == id);
    let row = |&result: &&'a LadderResult| {
        let bots = [&result.challenger, &result.baseline].map(|player| index(&player.id));
        (bots[0] != bots[1]).then(|| Row {
            result,
            bots,
            standard_error: standard_error_in_fit(result, results),
        })
    };
    results.iter().filter_map(row).collect()
}

/// Strengths of all bots but the anchor, by weighted least squares.
struct LeastSquares {
    /// Strengths, by index of the bot.
    strengths: Vec<f64>,
    /// Covariances of the strengths.
    covariances: Vec<Vec<f64>>,
}

impl LeastSquares {
    /// Solves the normal equations of some results of `n` bots.
    fn of(rows: &[Row<'_>], n: usize) -> LeastSquares {
        let (mut matrix, mut right) = (vec![vec![0.0; n]; n], vec![0.0; n]);
        for &Row { result, bots: [a, b], standard_error } in rows {
            let weight = standard_error.powi(-2);
            for (i, sign) in [(a, 1.0), (b, -1.0)] {
                let Some(i) = i else { continue };
                right[i] += sign * weight * result.points;
                for (j, other) in [(a, 1.0), (b, -1.0)] {
                    if let Some(j) = j {
                        matrix[i][j] += sign * other * weight;
                    }
                }
            }
        }
        let covariances = invert(matrix);
        let strength = |i: usize| (0..n).map(|j| covariances[i][j] * right[j]).sum::<f64>();
        LeastSquares { strengths: (0..n).map(strength).collect(), covariances }
    }

    /// Returns the residuals of the rows.
    fn residuals<'r>(&self, rows: &[Row<'r>]) -> Vec<Residual<'r>> {
        let strength = |i: Option<usize>| i.map_or(0.0, |i| self.strengths[i]);
        let covariance = |i: Option<usize>, j: Option<usize>| {
            i.zip(j).map_or(0.0, |(i, j)| self.covariances[i][j])
        };
        let residual = |&Row { result, bots: [a, b], standard_error }: &Row<'r>| {
            let variance = covariance(a, a) + covariance(b, b) - 2.0 * covariance(a, b);
            Residual {
                pair: [&result.challenger.id, &result.baseline.id],
                points: result.points - strength(a) + strength(b),
                standard_error,
                freedom: (1.0 - variance / standard_error.powi(2)).max(0.0),
            }
        };
        rows.iter().map(residual).collect()
    }
}

/// Part of a result that the strengths do not explain.
struct Residual<'a> {
    /// Identities of challenger and baseline.
    pair: [&'a str; 2],
    /// In points per deal.
    points: f64,
    /// Standard error of the result, in points per deal.
    standard_error: f64,
    /// Expected square of the residual in standard errors: one minus the leverage of the result.
    freedom: f64,
}

/// Minimum residual degrees of freedom of a misfit; smaller ones are rounding errors.
const MIN_RESIDUAL_FREEDOM: f64 = 1e-6;

impl Residual<'_> {
    fn misfit<'a>(residuals: impl Iterator<Item = &'a Residual<'a>>) -> Option<Misfit> {
        let (mut points, mut standard_errors, mut freedom) = (0.0, 0.0, 0.0);
        for r in residuals {
            points += r.points.powi(2);
            standard_errors += (r.points / r.standard_error).powi(2);
            freedom += r.freedom;
        }
        let root = |squares: f64| (squares / freedom).sqrt();
        (freedom > MIN_RESIDUAL_FREEDOM)
            .then(|| Misfit { points: root(points), standard_errors: root(standard_errors) })
    }
}

/// Returns the shares of α-Rank by identity. They are of the bots that all played each other in
/// both directions. The map is empty for fewer than two such bots.
fn shares<'a>(
    results: &[&'a LadderResult],
    players: &BTreeMap<&'a str, Played<'_>>,
) -> BTreeMap<&'a str, f64> {
    let mut gains: BTreeMap<[&str; 2], MeasuredGain> = BTreeMap::new();
    for r in results {
        let pair = [r.challenger.id.as_str(), r.baseline.id.as_str()];
        if let Some(pooled) = pooled(results, pair[0], pair[1]) {
            let standard_error = pooled.standard_error.max(MIN_STANDARD_ERROR);
            gains.entry(pair).or_insert(MeasuredGain { mean: pooled.points, standard_error });
        }
    }
    // Of bots that lack equally many results the one with the fewest deals is left out.
    let mut bots: Vec<&str> = players.keys().copied().collect();
    bots.sort_by_key(|id| std::cmp::Reverse(players[id].deals));
    let kept = complete_set(bots.len(), |a, b| gains.contains_key(&[bots[a], bots[b]]));
    let kept: Vec<&str> = kept.into_iter().map(|i| bots[i]).collect();
    if kept.len() < 2 {
        return BTreeMap::new();
    }
    // Only a bot against itself has no gain; its entry is not used.
    let none = MeasuredGain { mean: 0.0, standard_error: 1.0 };
    let gain = |from: &&str, to: &&str| gains.get(&[*to, *from]).copied().unwrap_or(none);
    let matrix: Vec<Vec<MeasuredGain>> =
        kept.iter().map(|from| kept.iter().map(|to| gain(from, to)).collect()).collect();
    kept.iter().copied().zip(alpha_rank(&matrix)).collect()
}

/// Minimum standard error of a result. Bots that always act the same have a standard error of 0.
const MIN_STANDARD_ERROR: f64 = 1e-3;

/// Returns the identities of the bots that a chain of results connects with the anchor. The anchor
/// is not among them.
fn connected<'a>(results: &[&'a LadderResult], anchor: &'a str) -> Vec<&'a str> {
    let mut found = vec![anchor];
    let mut next = 0;
    while let Some(&from) = found.get(next) {
        next += 1;
        for r in results {
            let (a, b) = (r.challenger.id.as_str(), r.baseline.id.as_str());
            for (one, other) in [(a, b), (b, a)] {
                if one == from && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
    }
    found.remove(0);
    found
}

/// Inverts a positive definite matrix, by Gauss–Jordan elimination with pivots from the diagonal.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for i in 0..n {
        let pivot = matrix[i][i];
        for rows in [&mut matrix, &mut inverse] {
            rows[i].iter_mut().for_each(|value| *value /= pivot);
        }
        for j in (0..n).filter(|&j| j != i) {
            let factor = matrix[j][i];
            for rows in [&mut matrix, &mut inverse] {
                let row = rows[i].clone();
                rows[j].iter_mut().zip(row).for_each(|(value, from)| *value -= factor * from);
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::super::stored::sample_result as result;
    use super::*;
    use crate::deal_range::DealRange;

    fn strength<'a>(ladder: &'a Ladder, id: &str) -> &'a Strength {
        ladder.strengths.iter().find(|s| s.player.id == id).expect("on the ladder")
    }

    #[test]
    fn strengths_are_those_worked_out_by_hand() {
        // a beats the anchor by 1 (error 0.1); b beats a by 1 (0.1) and the anchor by 2.3 (0.2).
        // Least squares: minimise (a − 1)² / 0.01 + (b − a − 1)² / 0.01 + (b − 2.3)² / 0.04, which
        // gives a = 1.05 and b = 2.1.
        let results =
            [result("a", "z", 1.0, 0.1), result("b", "a", 1.0, 0.1), result("z", "b", -2.3, 0.2)];
        let ladder = fit(&results, "z");
        let names: Vec<&str> = ladder.strengths.iter().map(|s| s.player.name.as_str()).collect();
        assert_eq!(names, ["B", "A", "Z"]);
        assert!((strength(&ladder, "a").points - 1.05).abs() < 1e-9);
        assert!((strength(&ladder, "b").points - 2.1).abs() < 1e-9);
        // Residuals: −0.05 and −0.05 at 0.1, 0.2 at 0.2; one result more than bots: 0.25 + 0.25 +
        // 1.
        assert!(
            (ladder.mean_squared_residual - 1.5).abs() < 1e-9,
            "{}",
            ladder.mean_squared_residual
        );
        // The matrix [[200, −100], [−100, 125]] has the determinant 15,000.
        let wanted = 1.96 * (125.0 / 15_000.0 * 1.5f64).sqrt();
        assert!((strength(&ladder, "a").half_width - wanted).abs() < 1e-9);
        assert_eq!(strength(&ladder, "z").half_width, 0.0);
        assert_eq!(strength(&ladder, "b").deals, 200);
        let misfit = strength(&ladder, "b").misfit.expect("checked");
        // Leverages: `b` − `a` has the variance 0.00833 + 0.01333 − 2 × 0.00667 = 0.00833 of 0.01,
        // `b` − `z` 0.01333 of 0.04; squares 0.25 and 1, in points 0.0025 and 0.04.
        let freedom: f64 = (1.0 - 5.0 / 6.0) + (1.0 - 1.0 / 3.0);
        assert!((misfit.standard_errors - (1.25 / freedom).sqrt()).abs() < 1e-9, "{misfit:?}");
        assert!((misfit.points - (0.0425 / freedom).sqrt()).abs() < 1e-9, "{misfit:?}");
    }

    /// Returns results of every bot against every other both ways. `gains` are those of the row's
    /// bot.
    fn cross(names: &[&str], gains: &[&[f64]]) -> Vec<LadderResult> {
        let pairs = (0..names.len()).flat_map(|a| (0..names.len()).map(move |b| (a, b)));
        let pairs = pairs.filter(|(a, b)| a != b);
        pairs.map(|(a, b)| result(names[a], names[b], gains[a][b], 0.05)).collect()
    }

    #[test]
    fn transitive_results_fit_and_rank_as_the_strengths_do() {
        let strengths = [2.0, 0.0, 1.0, -0.5];
        let names = ["a", "z", "b", "c"];
        let rows = strengths.map(|row| strengths.map(|column| row - column));
        let rows: Vec<&[f64]> = rows.iter().map(<[f64; 4]>::as_slice).collect();
        let ladder = fit(&cross(&names, &rows), "z");
        let order: Vec<&str> = ladder.strengths.iter().map(|s| s.player.id.as_str()).collect();
        assert_eq!(order, ["a", "b", "z", "c"]);
        let shares: Vec<f64> = ladder.strengths.iter().filter_map(|s| s.share).collect();
        assert!(shares.len() == 4 && shares.is_sorted_by(|a, b| a > b), "{shares:?}");
        assert!(shares[0] > 0.99, "{shares:?}");
        for s in &ladder.strengths {
            let misfit = s.misfit.expect("checked");
            assert!(misfit.standard_errors < 1e-9 && misfit.points < 1e-9, "{misfit:?}");
        }
        assert!(ladder.mean_squared_residual < 1e-9);
    }

    #[test]
    fn a_circle_is_shared_and_does_not_fit() {
        let rows: [&[f64]; 3] = [&[0.0, 1.0, -1.0], &[-1.0, 0.0, 1.0], &[1.0, -1.0, 0.0]];
        let ladder = fit(&cross(&["rock", "scissors", "z"], &rows), "z");
        for s in &ladder.strengths {
            assert!((s.share.expect("met all") - 1.0 / 3.0).abs() < 1e-6, "{s:?}");
            let misfit = s.misfit.expect("checked");
            // A residual of one point in each result, of errors 0.05 √2.
            assert!(misfit.points > 1.0 && misfit.standard_errors > 14.0, "{misfit:?}");
            assert!(s.points.abs() < 1e-9);
        }
    }

    #[test]
    fn misfit_and_share_are_none_where_nothing_checks_them() {
        let results = [result("a", "z", 1.0, 0.1), result("b", "z", 0.5, 0.1)];
        let ladder = fit(&results, "z");
        assert!(ladder.strengths.iter().all(|s| s.misfit.is_none() && s.share.is_none()));
        let both = [&results[..], &[result("z", "a", -0.5, 0.1)]].concat();
        let ladder = fit(&both, "z");
        assert!(strength(&ladder, "a").misfit.is_some() && strength(&ladder, "b").misfit.is_none());
        assert!(strength(&ladder, "a").share > Some(0.99));
        assert_eq!(strength(&ladder, "b").share, None);
    }

    #[test]
    fn bots_without_a_chain_of_results_are_named() {
        let results = [result("a", "z", 1.0, 0.1), result("c", "d", 1.0, 0.1)];
        let ladder = fit(&results, "z");
        assert_eq!(ladder.strengths.len(), 2);
        assert_eq!(ladder.unconnected, ["C", "D"]);
    }

    #[test]
    fn both_directions_count_as_one_result() {
        let results = [result("a", "z", 1.0, 0.1), result("z", "a", -1.0, 0.1)];
        let one = fit(&results[..1], "z");
        let both = fit(&results, "z");
        assert!((strength(&one, "a").points - strength(&both, "a").points).abs() < 1e-9);
        assert!((strength(&one, "a").half_width - strength(&both, "a").half_width).abs() < 1e-9);
    }

    #[test]
    fn deals_count_once() {
        let mut more = result("a", "z", 2.0, 0.05);
        more.deals = DealRange::new(0, 400);
        let twice = [result("a", "z", 1.0, 0.1), more.clone(), more];
        let ladder = fit(&twice, "z");
        assert!((strength(&ladder, "a").points - 2.0).abs() < 1e-9);
        assert_eq!(strength(&ladder, "a").deals, 400);
    }

    /// Checks a bot and its twin; the anchor's chain leads through the twin.
    #[test]
    fn bots_that_act_alike_are_equal() {
        let results = [result("a", "b", 0.0, 0.0), result("b", "z", 1.0, 0.1)];
        let ladder = fit(&results, "z");
        assert!((strength(&ladder, "a").points - 1.0).abs() < 1e-6);
        assert!(strength(&ladder, "a").half_width.is_finite());
    }

    /// Checks that a single deal, which gives no standard error, spoils no other result.
    #[test]
    fn results_without_an_error_do_not_count() {
        let results = [result("a", "z", 1.0, 0.1), result("a", "z", 9.0, f64::INFINITY)];
        assert!((strength(&fit(&results, "z"), "a").points - 1.0).abs() < 1e-9);
        assert_eq!(fit(&[], "z").strengths.len(), 1);
    }
}
