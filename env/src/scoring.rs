//! The points of a finished deal.

use crate::contract::Contract;
use crate::rules::{ContractSpec, RuleSet, Scoring};
use crate::seat::{BySeat, Seat};

/// Returns the points of each seat, from the contract and the tricks that each seat took.
///
/// # Panics
/// The contract is not one of the rule set, or has no declarer. A misère or piccolo may have none,
/// because its only declarer can withdraw.
pub fn score(rules: &RuleSet, contract: &Contract, tricks: &BySeat<u8>) -> BySeat<i32> {
    let row = rules.row(contract.row);
    let is_declared = contract.kind.is_negative() || !contract.declarers.is_empty();
    assert!(is_declared, "{} without a declarer has no score", contract.kind.name());
    match (rules.spec().scoring, contract.kind.is_negative()) {
        (Scoring::Table, true) => table_each(row, contract, tricks),
        (Scoring::Table, false) => table_side(rules, contract, tricks),
        (Scoring::Settlement, true) => settle_each(row, contract, tricks),
        (Scoring::Settlement, false) => settle_side(rules, contract, tricks),
    }
}

/// Returns the points of each seat if the declaring side takes `taken` tricks.
///
/// The points do not depend on how the side shares its tricks, so the first declarer takes them
/// all. If several seats declare a misère or piccolo, each plays alone: use [`score`].
///
/// # Panics
/// Panics as [`score`] does.
pub fn score_side(rules: &RuleSet, contract: &Contract, taken: u8) -> BySeat<i32> {
    let mut tricks = BySeat::default();
    if let Some(declarer) = contract.declarers.first() {
        tricks[declarer] = taken;
    }
    score(rules, contract, &tricks)
}

/// Returns whether a declarer of a misère or piccolo made it.
fn made_alone(contract: &Contract, taken: u8) -> bool {
    taken == contract.kind.allowed_tricks()
}

/// Returns the tricks of the declaring side.
fn side_tricks(contract: &Contract, tricks: &BySeat<u8>) -> u8 {
    contract.declarers.iter().map(|s| tricks[s]).sum()
}

/// Returns the figure for a contract made with `taken` of all `tricks`.
fn made_figure(row: &ContractSpec, goal: u8, taken: u8, tricks: u8) -> i32 {
    let over = usize::from(taken - goal);
    let last = row.made.len() - 1;
    let beyond = over.saturating_sub(last) as i32;
    let figure = row.made[over.min(last)] + row.overtrick * beyond;
    if taken == tricks { figure * row.all_tricks_factor } else { figure }
}

fn table_side(rules: &RuleSet, contract: &Contract, tricks: &BySeat<u8>) -> BySeat<i32> {
    let row = rules.row(contract.row);
    let taken = side_tricks(contract, tricks);
    let (ours, theirs) = if taken >= contract.goal {
        (made_figure(row, contract.goal, taken, rules.cards_per_hand()), 0)
    } else {
        let short = i32::from(contract.goal - taken);
        (-(row.failed + row.undertrick * short), row.opponents + row.opponents_undertrick * short)
    };
    BySeat::from_fn(|s| if contract.declarers.has(s) { ours } else { theirs })
}

fn table_each(row: &ContractSpec, contract: &Contract, tricks: &BySeat<u8>) -> BySeat<i32> {
    let failures = contract.declarers.iter().filter(|&s| !made_alone(contract, tricks[s])).count();
    let theirs = match failures {
        0 => 0,
        1 => row.opponents,
        _ => row.opponents_several.unwrap_or(row.opponents),
    };
    BySeat::from_fn(|s| {
        if !contract.declarers.has(s) {
            theirs
        } else if made_alone(contract, tricks[s]) {
            row.made[0]
        } else {
            -row.failed
        }
    })
}

fn settle_side(rules: &RuleSet, contract: &Contract, tricks: &BySeat<u8>) -> BySeat<i32> {
    let row = rules.row(contract.row);
    let taken = side_tricks(contract, tricks);
    let figure = if taken >= contract.goal {
        made_figure(row, contract.goal, taken, rules.cards_per_hand())
    } else {
        -(row.failed + row.undertrick * i32::from(contract.goal - taken))
    };
    let declarers = contract.declarers.len() as i32;
    let share = figure * (4 - declarers) / declarers;
    BySeat::from_fn(|s| if contract.declarers.has(s) { share } else { -figure })
}

fn settle_each(row: &ContractSpec, contract: &Contract, tricks: &BySeat<u8>) -> BySeat<i32> {
    let mut points = BySeat([0; 4]);
    for declarer in contract.declarers.iter() {
        let made = made_alone(contract, tricks[declarer]);
        let figure = if made { row.made[0] } else { -row.failed };
        for seat in Seat::ALL {
            points[seat] += if seat == declarer { 3 * figure } else { -figure };
        }
    }
    points
}

/// Returns whether no card still to be played can change any score; `left` tricks are to come.
pub(crate) fn is_decided(
    rules: &RuleSet,
    contract: &Contract,
    tricks: &BySeat<u8>,
    left: u8,
) -> bool {
    if contract.kind.is_negative() {
        let allowed = contract.kind.allowed_tricks();
        return contract.declarers.iter().all(|s| tricks[s] > allowed);
    }
    if contract.declarers.is_empty() {
        return false;
    }
    let taken = side_tricks(contract, tricks);
    let points = |extra: u8| score_side(rules, contract, taken + extra);
    (1..=left).all(|extra| points(extra) == points(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::ContractKind;
    use crate::seat::SeatSet;

    #[test]
    #[should_panic(expected = "suit without a declarer has no score")]
    fn a_contract_of_tricks_has_a_declarer() {
        let rules = RuleSet::built_in("wiezen").unwrap();
        let kind = ContractKind::Suit;
        let contract = Contract { kind, goal: 8, trump: None, declarers: SeatSet::EMPTY, row: 0 };
        score(rules, &contract, &BySeat([4, 3, 3, 3]));
    }
}
