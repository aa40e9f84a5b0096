//! Utility of a deal's points in a match.

use troel_env::{BySeat, RuleSet, Seat};

/// Bonus for winning the match, in points; losing it costs as much.
const MATCH_WIN: f32 = 20.0;

/// Utility of a deal to a seat, in points: the seat's points in the deal, plus 20 if the deal ends the match and the
/// seat alone has the highest total, minus 20 if the deal ends the match and another seat has a higher total. `totals`
/// are the match points before the deal, `points` those of the deal. In a match without a target the utility is the
/// points of the deal.
pub fn utility(rules: &RuleSet, totals: &BySeat<i32>, points: &BySeat<i32>, seat: Seat) -> f32 {
    let own = points[seat] as f32;
    let target = rules.spec().match_target;
    let after = BySeat::from_fn(|s| totals[s].saturating_add(points[s]));
    let best = after.iter().copied().max().unwrap_or(0);
    if target == 0 || best < target {
        return own;
    }
    let rival = Seat::ALL.into_iter().filter(|&s| s != seat).map(|s| after[s]).max().unwrap_or(0);
    match after[seat].cmp(&rival) {
        std::cmp::Ordering::Greater => own + MATCH_WIN,
        std::cmp::Ordering::Equal => own,
        std::cmp::Ordering::Less => own - MATCH_WIN,
    }
}
