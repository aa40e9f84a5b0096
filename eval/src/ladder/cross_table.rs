//! Cross tables: results of every challenger against every baseline of a ladder, as Markdown.

use std::fmt::Write;

use troel_env::printable;

use super::fit::fit;
use super::stored::{self, LadderResult, Player, Pooled};
use crate::statistics::{Estimate, NORMAL_QUANTILE_95};

/// Formats a Markdown table of results under the same rules and in the same scope. It has a row for
/// each challenger and a column for each baseline, both strongest first. A cell has points per deal
/// with the 95 % interval, a mark where it holds zero, and the number of deals. Strengths are
/// measured from the anchor, named by its identity; bots that no chain of results connects with it
/// come last.
pub fn cross_table(results: &[LadderResult], anchor: &str) -> String {
    let players = by_strength(results, anchor);
    let distinct = stored::distinct(results);
    let has_role = |role: fn(&LadderResult) -> &Player, id: &str| {
        results.iter().any(|result| role(result).id == id)
    };
    let rows: Vec<&&Player> =
        players.iter().filter(|p| has_role(|r: &LadderResult| &r.challenger, &p.id)).collect();
    let columns: Vec<&&Player> =
        players.iter().filter(|p| has_role(|r: &LadderResult| &r.baseline, &p.id)).collect();
    let mut out = String::from("| one among three |");
    for column in &columns {
        let _ = write!(out, " {} |", name(&players, column));
    }
    let _ = write!(out, "\n|---|{}", "---|".repeat(columns.len()));
    for row in rows {
        let _ = write!(out, "\n| {} |", name(&players, row));
        for column in &columns {
            let text = match stored::pooled(&distinct, &row.id, &column.id) {
                _ if row.id == column.id => String::new(),
                Some(pooled) => cell(&pooled),
                None => "·".to_string(),
            };
            let _ = write!(out, " {text} |");
        }
    }
    out.push('\n');
    for player in &players {
        let lost = |r: &&LadderResult| {
            let roles = r.players_with_forfeits().into_iter();
            roles.filter(|(role, _)| role.id == player.id).map(|(_, n)| n).sum::<u64>()
        };
        let lost: u64 = distinct.iter().map(lost).sum();
        if lost > 0 {
            let _ = writeln!(out, "\n{} forfeited {lost} deals.", name(&players, player));
        }
    }
    out
}

/// Returns the name of a bot as code. The start of its identity follows if another bot has the same
/// name. Characters that would end a cell or the code are replaced.
pub(super) fn name(players: &[&Player], player: &Player) -> String {
    let plain = printable(&player.name).replace('|', "/").replace('`', "'");
    if players.iter().any(|other| other.name == player.name && other.id != player.id) {
        let id: String = player.id.chars().filter(|c| c.is_alphanumeric()).take(6).collect();
        format!("`{plain}` ({id})")
    } else {
        format!("`{plain}`")
    }
}

/// Returns the bots of the results, strongest first.
fn by_strength<'a>(results: &'a [LadderResult], anchor: &str) -> Vec<&'a Player> {
    let strengths = fit(results, anchor).strengths;
    let place = |player: &Player| strengths.iter().position(|s| s.player.id == player.id);
    let mut players: Vec<&Player> = Vec::new();
    // The name of the last result, as on the ladder.
    for player in results.iter().rev().flat_map(|r| [&r.challenger, &r.baseline]) {
        if !players.iter().any(|known| known.id == player.id) {
            players.push(player);
        }
    }
    players.sort_by_key(|player| (place(player).unwrap_or(usize::MAX), &player.name));
    players
}

/// Formats points per deal with the 95 % interval and the number of deals. The cell is marked if
/// the interval holds zero.
fn cell(pooled: &Pooled) -> String {
    let estimate = Estimate::new(pooled.points, NORMAL_QUANTILE_95 * pooled.standard_error);
    let unclear = if estimate.interval().is_clear_of(0.0) { "" } else { " n.s." };
    let points = estimate.text(2);
    // U+2212, as everywhere in the documents.
    format!("{points}{unclear} ({})", pooled.deals).replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::super::stored::sample_result;
    use std::ops::Range;

    use super::*;

    fn result(
        challenger: &str,
        baseline: &str,
        points: f64,
        standard_error: f64,
        deals: Range<u64>,
    ) -> LadderResult {
        // Names may need escapes, and are shown as they are.
        let player =
            |id: &str| Player { name: id.to_string(), id: id.to_string(), ..Player::default() };
        LadderResult {
            challenger: player(challenger),
            baseline: player(baseline),
            deals: deals.into(),
            ..sample_result(challenger, baseline, points, standard_error)
        }
    }

    #[test]
    fn rows_are_challengers_and_columns_baselines_the_strongest_first() {
        let results = [
            result("weak", "anchor", -1.0, 0.1, 0..100),
            result("strong", "anchor", 2.0, 0.2, 0..1000),
            result("anchor", "strong", -0.25, 0.25, 0..100),
            result("lonely", "other", 0.5, 0.1, 0..100),
        ];
        let wanted = "\
            | one among three | `strong` | `anchor` | `other` |\n\
            |---|---|---|---|\n\
            | `strong` |  | +2.00 ± 0.39 (1000) | · |\n\
            | `anchor` | −0.25 ± 0.49 n.s. (100) |  | · |\n\
            | `weak` | · | −1.00 ± 0.20 (100) | · |\n\
            | `lonely` | · | · | +0.50 ± 0.20 (100) |\n";
        assert_eq!(cross_table(&results, "anchor"), wanted);
    }

    #[test]
    fn names_are_told_apart_and_do_not_end_cells() {
        let mut results =
            [result("x", "z", 1.0, 0.1, 0..100), result("bot:a | b", "z", 1.0, 0.1, 0..100)];
        results[0].challenger.id = "0123456789".to_string();
        results[1].forfeits.challenger = 3;
        let mut twin = result("x", "z", 2.0, 0.1, 0..100);
        twin.challenger.id = "9876543210".to_string();
        let table = cross_table(&[results.as_slice(), &[twin]].concat(), "z");
        assert!(table.contains("| `x` (012345) |") && table.contains("| `x` (987654) |"));
        assert!(table.contains("| `bot:a / b` |"), "{table}");
        assert!(table.ends_with("\n\n`bot:a / b` forfeited 3 deals.\n"), "{table}");
    }

    #[test]
    fn other_deals_of_a_pair_are_put_together() {
        let part = |points, deals| result("a", "b", points, 0.3, deals);
        let parts = [part(1.0, 0..100), part(2.0, 100..400), part(9.0, 0..100)];
        // (100 + 600) / 400, and 1.96 √(30² + 90²) / 400; the third is the first again.
        assert!(cross_table(&parts, "b").contains("+1.75 ± 0.46 (400)"));
    }
}
