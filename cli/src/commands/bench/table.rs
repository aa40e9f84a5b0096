//! The results as a table in Markdown, with ratios within the run.

use std::fmt::Write;

use super::measure::{Better, Row, figure};

/// Measurements, each with another that does part of its work, or the same work in smaller batches.
const COMPARISONS: [(&str, &str); 9] = [
    ("vec-env/luxembourg", "env-features/luxembourg"),
    ("vec-env/horesca", "env-features/horesca"),
    ("vec-env/wiezen", "env-features/wiezen"),
    ("vec-env/iwwa", "env-features/iwwa"),
    ("vec-env-size/4096", "vec-env-size/64"),
    ("vec-env-size/65536", "vec-env-size/64"),
    ("vec-env-packed/4096", "vec-env-packed/64"),
    ("vec-env-packed/65536", "vec-env-packed/64"),
    ("train", "train/epochs-1"),
];

/// Formats the results as a table in Markdown.
///
/// A row of another program has the speed of Troel over its speed. A row of [`COMPARISONS`] has its
/// speed over that of the other. Both need the other row.
pub(super) fn markdown(rows: &[Row]) -> String {
    let find = |name: &str| rows.iter().find(|row| row.name == name);
    let mut text = String::from(
        "| measurement | value | beside | Troel's speed over this | this speed over the other |\n\
         |---|---|---|---|---|\n",
    );
    for row in rows {
        let own = COMPARISONS.iter().find(|(name, _)| *name == row.name).map(|(_, other)| *other);
        let beside = row.beside.as_deref().or(own).filter(|name| find(name).is_some());
        let speed_over = beside.and_then(find).map(|other| match row.better {
            Better::Higher => row.value / other.value,
            Better::Lower => other.value / row.value,
        });
        let is_peer = row.beside.is_some();
        let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let troels = ratio(speed_over.filter(|_| is_peer).map(|ratio| 1.0 / ratio));
        let this = ratio(speed_over.filter(|_| !is_peer));
        let Row { name, value, unit, .. } = row;
        let beside = beside.map_or(String::new(), |name| format!("`{name}`"));
        let value = figure(*value);
        let _ = writeln!(text, "| `{name}` | {value} {unit} | {beside} | {troels} | {this} |");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: f64, better: Better, beside: Option<&str>) -> Row {
        let unit = if better == Better::Higher { "solves/s" } else { "ms" };
        Row {
            name: name.to_string(),
            value,
            unit: unit.to_string(),
            better,
            beside: beside.map(str::to_string),
        }
    }

    #[test]
    fn ratios_say_how_many_times_as_fast() {
        let rows = [
            row("solve/opposite-9", 30.0, Better::Higher, None),
            row("solve/opposite-9/p99", 5.0, Better::Lower, None),
            row("peer/9", 20.0, Better::Higher, Some("solve/opposite-9")),
            row("peer/9/p99", 20.0, Better::Lower, Some("solve/opposite-9/p99")),
            row("vec-env-size/64", 200.0, Better::Higher, None),
            row("vec-env-size/4096", 150.0, Better::Higher, None),
        ];
        let table = markdown(&rows);
        let lines: Vec<&str> = table.lines().skip(2).collect();
        assert_eq!(lines[0], "| `solve/opposite-9` | 30.000 solves/s |  |  |  |");
        assert_eq!(lines[2], "| `peer/9` | 20.000 solves/s | `solve/opposite-9` | 1.50 |  |");
        assert_eq!(lines[3], "| `peer/9/p99` | 20.000 ms | `solve/opposite-9/p99` | 4.00 |  |");
        assert_eq!(
            lines[5],
            "| `vec-env-size/4096` | 150 solves/s | `vec-env-size/64` |  | 0.75 |"
        );
    }
}
