//! Warnings of misspelt and unused keys in game records. Records may have any further keys, so such
//! a key is not an error.

use troel_agents::registry::similar_name;
use troel_env::{Record, RuleSet, excerpt};

use crate::output;

/// Warns on standard error of keys that look like an optional key that the record lacks, and of a
/// turn-up under rules without one. `place` is the file and the line.
pub fn warn(place: &str, record: &Record, rules: &RuleSet) {
    for (found, meant) in misspelt_keys(record) {
        let found = excerpt(found, 40);
        output::note(&format!("{place}: the key {found:?} is ignored; did you mean {meant:?}?"));
    }
    if record.turn_up.is_some() && !rules.has_turn_up() {
        let id = rules.id();
        output::note(&format!("{place}: the key \"turn_up\" is ignored; {id} has no turn-up"));
    }
}

/// Returns the misspelt keys of a record, each with the key that it looks like.
fn misspelt_keys(record: &Record) -> Vec<(&str, &'static str)> {
    let is_missing = [
        ("actions", record.actions.is_empty()),
        ("turn_up", record.turn_up.is_none()),
        ("scores_before", record.scores_before.is_none()),
    ];
    let missing = || is_missing.into_iter().filter_map(|(key, missing)| missing.then_some(key));
    let keys = record.extra.keys();
    keys.filter_map(|found| Some((found.as_str(), similar_name(found, missing())?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_look_like_a_missing_one_are_found() {
        let found = |fields: &str| {
            let text = format!(r#"{{"rules":"wiezen","dealer":"N","deal":"-",{fields}}}"#);
            let record: Record = serde_json::from_str(&text).expect("a record");
            let keys = misspelt_keys(&record);
            keys.into_iter().map(|(found, meant)| format!("{found} {meant}")).collect::<Vec<_>>()
        };
        assert_eq!(found(r#""action":["pass"]"#), ["action actions"]);
        assert_eq!(found(r#""Actoins":["pass"]"#), ["Actoins actions"]);
        assert_eq!(found(r#""turn-up":"KC","turn":"N""#), ["turn-up turn_up"]);
        assert_eq!(found(r#""score_before":[0,0,0,0]"#), ["score_before scores_before"]);
        assert!(found(r#""actions":["pass"],"action":"pass""#).is_empty(), "actions is there");
        assert!(found(r#""note":"kept","options":[],"par":null,"scores":[]"#).is_empty());
    }
}
