//! What the points of a deal are worth in a match.

use troel_env::{BySeat, RuleSet, Seat};

/// Points that winning the match is worth to a bot, on top of those of the deal; losing it costs as much.
const MATCH_WIN: f32 = 20.0;

/// What the points of a deal are worth to a seat, in points: the points themselves, plus 20 if they end the match and
/// the seat alone wins it, minus 20 if another seat is then ahead. `totals` are the match points before the deal,
/// `points` those of the deal. Where a match has no end, points are worth just themselves.
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
