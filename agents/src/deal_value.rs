//! Value of a deal to a seat in a match.

use troel_env::{BySeat, RuleSet, Seat};

/// Value of a deal to a seat: [`points_with_match_bonus`] or [`match_gain`]. The arguments are the
/// rules, the match points before the deal, the points of the deal, and the seat.
pub(crate) type DealValue = fn(&RuleSet, &BySeat<i32>, &BySeat<i32>, Seat) -> f32;

/// Bonus for winning the match, in points; losing it costs as much.
const MATCH_BONUS: f32 = 20.0;

/// Returns the points of a seat in a deal, with a bonus for winning the match.
///
/// If the deal ends the match, the bonus is 20 if the seat alone has the highest total, and −20 if
/// another seat has a higher total. Otherwise, and in a match without a target, there is no bonus.
/// `totals` are the match points before the deal, `points` those of the deal.
pub fn points_with_match_bonus(
    rules: &RuleSet,
    totals: &BySeat<i32>,
    points: &BySeat<i32>,
    seat: Seat,
) -> f32 {
    let own = points[seat] as f32;
    let target = rules.spec().match_target;
    let after = BySeat::from_fn(|s| totals[s].saturating_add(points[s]));
    let best = after.iter().copied().max().unwrap_or(0);
    if target == 0 || best < target {
        return own;
    }
    let rival = Seat::ALL.into_iter().filter(|&s| s != seat).map(|s| after[s]).max().unwrap_or(0);
    match after[seat].cmp(&rival) {
        std::cmp::Ordering::Greater => own + MATCH_BONUS,
        std::cmp::Ordering::Equal => own,
        std::cmp::Ordering::Less => own - MATCH_BONUS,
    }
}

/// Slope of the log odds between two seats in their difference of points.
///
/// The log odds are the difference times `LOG_ODDS_STEEPNESS`, divided by the sum of the points
/// that the leader lacks to the target and [`POINTS_ADDED_TO_TARGET`]. Both constants were fitted
/// to 3,000 matches each of `luxembourg-v4` and `horesca-v3` in self-play
/// (docs/experiments/24-match-reward.md).
const LOG_ODDS_STEEPNESS: f32 = 4.0;
/// Points added to the distance from the leader to the target; see [`LOG_ODDS_STEEPNESS`].
const POINTS_ADDED_TO_TARGET: f32 = 45.0;

/// Estimates the share of the match that each seat wins from these totals on. The shares sum to 1.
///
/// Once a total has reached the target, the highest totals share the match. Before that, the shares
/// are a softmax of the totals, which is steeper if the leader is nearer to the target. Without a
/// target each share is a quarter.
fn match_equity(rules: &RuleSet, totals: &BySeat<i32>) -> BySeat<f32> {
    let target = rules.spec().match_target;
    let best = totals.iter().copied().max().unwrap_or(0);
    if target == 0 {
        return BySeat([0.25; 4]);
    }
    let lacking = target.saturating_sub(best) as f32;
    let weight = |total: i32| {
        if best >= target {
            f32::from(u8::from(total == best))
        } else {
            (total.saturating_sub(best) as f32 * LOG_ODDS_STEEPNESS
                / (lacking + POINTS_ADDED_TO_TARGET))
                .exp()
        }
    };
    let weights = BySeat::from_fn(|seat| weight(totals[seat]));
    let sum: f32 = weights.iter().sum();
    BySeat::from_fn(|seat| weights[seat] / sum)
}

/// Returns the change of a seat's share of the match by a deal, in hundredths. 0 if the match is
/// over.
///
/// A seat's share is its estimated probability of winning the match from the totals, a tie divided
/// among its winners. `totals` are the match points before the deal, `points` those of the deal.
pub fn match_gain(rules: &RuleSet, totals: &BySeat<i32>, points: &BySeat<i32>, seat: Seat) -> f32 {
    if totals.iter().any(|&total| total >= rules.spec().match_target) {
        return 0.0;
    }
    let after = BySeat::from_fn(|s| totals[s].saturating_add(points[s]));
    100.0 * (match_equity(rules, &after)[seat] - match_equity(rules, totals)[seat])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equity_is_a_share_of_the_match() {
        let rules = RuleSet::built_in("luxembourg").expect("built in");
        let equity = |totals: [i32; 4]| match_equity(rules, &BySeat(totals)).0;
        assert_eq!(equity([0; 4]), [0.25; 4]);
        assert_eq!(equity([100, 100, 99, -40]), [0.5, 0.5, 0.0, 0.0]);
        // A seat that is behind still has a chance, which is smaller near the end.
        let (early, late) = (equity([30, 10, 10, 10]), equity([95, 75, 75, 75]));
        assert!(early[0] > 0.25 && late[0] > early[0] && late[1] > 0.0, "{early:?} {late:?}");
        for totals in [[99, -99, 30, 0], [i32::MIN, i32::MAX, 0, 99], [i32::MIN; 4]] {
            let shares = equity(totals);
            assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{totals:?} {shares:?}");
        }
        let gain =
            |totals, points| match_gain(rules, &BySeat(totals), &BySeat(points), Seat::North);
        let all = 100.0 * (1.0 - equity([90, 0, 0, 0])[0]);
        assert!((gain([90, 0, 0, 0], [10, -5, -5, 0]) - all).abs() < 1e-3);
        assert_eq!(gain([100, 0, 0, 0], [10, 120, 0, 0]), 0.0, "over before");
        let endless = RuleSet::built_in("wiezen").expect("built in");
        assert_eq!(match_equity(endless, &BySeat([90, 0, -50, -40])).0, [0.25; 4]);
    }
}
