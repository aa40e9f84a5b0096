//! The contract table of a rule set, as front ends show it.

use troel_env::{RuleSet, Seat, SeatSet, score_side};

use crate::commands::find_rules;
use crate::error::TableError;
use crate::messages::{ContractRow, Message, RulesView};
use crate::provider::Provider;

/// Returns the `rules` message of a rule set.
pub(crate) fn contract_table(
    rules: &str,
    rule_file: Option<&str>,
    provider: &dyn Provider,
) -> Result<Message, TableError> {
    Ok(Message::Rules(contracts(find_rules(rules, rule_file, provider)?.0)))
}

/// Returns the contract table of a rule set. Each row has the points of a declarer and of the
/// others, by the number of tricks.
fn contracts(rules: &RuleSet) -> RulesView {
    let rows = rules.rows().iter().zip(0..).map(|(row, number)| {
        let declarers = if row.kind.is_pair() {
            SeatSet::single(Seat::North) | SeatSet::single(Seat::South)
        } else {
            SeatSet::single(Seat::North)
        };
        let contract = rules.contract_of_row(number, None, declarers);
        let least = if row.kind.is_negative() { 0 } else { row.goal().saturating_sub(3) };
        let most = if row.kind.is_negative() {
            2.min(rules.cards_per_hand())
        } else {
            rules.cards_per_hand()
        };
        let points = (least..=most).map(|taken| {
            let scores = score_side(rules, &contract, taken);
            (taken, scores[Seat::North], scores[Seat::East])
        });
        ContractRow {
            kind: row.kind,
            level: row.level,
            no_trumps: row.no_trumps,
            points: points.collect(),
        }
    });
    RulesView {
        rules: rules.id().to_string(),
        description: rules.spec().description.clone(),
        turn_up: rules.has_turn_up(),
        target: rules.spec().match_target,
        contracts: rows.collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_contract_table_says_what_contracts_are_worth() {
        let luxembourg = json!(contracts(RuleSet::built_in("luxembourg").unwrap()));
        let row = &luxembourg["contracts"][0];
        assert_eq!((&row["kind"], &row["level"]), (&json!("suit"), &json!(8)));
        let points = row["points"].as_array().unwrap();
        for wanted in [[7, -10, 10], [8, 7, 0], [9, 10, 0], [13, 30, 0]] {
            assert!(points.contains(&json!(wanted)), "{wanted:?} in {points:?}");
        }
        // A lone declarer is paid by three.
        let wiezen = json!(contracts(RuleSet::built_in("wiezen").unwrap()));
        let alone = wiezen["contracts"].as_array().unwrap().iter().find(|c| c["kind"] == "alone");
        let alone = alone.or(wiezen["contracts"].get(1)).unwrap();
        assert!(alone["points"].as_array().unwrap().contains(&json!([5, 6, -2])), "{alone}");
    }
}
