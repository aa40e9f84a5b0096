//! Double-dummy regret: the loss of each played card with all hands visible. It judges card play
//! apart from bidding and luck.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use troel_env::{Seat, SeatSet, State};
use troel_solver::{Goal, Objective, Position, Solver};

use crate::text_table::column_width;

/// Double-dummy regret of a bot. Only cards played with another one legal count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// Trick contracts, by trick (1 to 13, in order): cards chosen, and tricks that they lost.
    pub tricks: Vec<LossCount>,
    /// Misères and piccolos: cards chosen while the outcome of a declarer was open, and outcomes
    /// that they lost.
    pub outcomes: LossCount,
    /// Cards chosen that are not judged. The solver needed more than 20 million positions for them.
    #[serde(default)]
    pub unsolved: u64,
}

/// Maximum number of positions that the solver visits for one value, which takes some seconds.
const MAX_REGRET_NODES: u64 = 20_000_000;

/// Cards chosen, and their losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LossCount {
    /// Cards chosen.
    pub cards: u64,
    /// Number of tricks (or outcomes) lost.
    pub lost: u64,
}

impl LossCount {
    fn add(&mut self, lost: u64) {
        self.cards += 1;
        self.lost += lost;
    }

    fn merge(&mut self, other: &LossCount) {
        self.cards += other.cards;
        self.lost += other.lost;
    }

    /// Returns the mean loss per card; 0 without cards.
    pub fn mean(&self) -> f64 {
        if self.cards == 0 { 0.0 } else { self.lost as f64 / self.cards as f64 }
    }
}

impl Regret {
    /// Adds the regret of other deals.
    pub fn merge(&mut self, other: &Regret) {
        self.tricks.resize(13, LossCount::default());
        for (into, from) in self.tricks.iter_mut().zip(&other.tricks) {
            into.merge(from);
        }
        self.outcomes.merge(&other.outcomes);
        self.unsolved += other.unsolved;
    }

    /// Returns the sum over all tricks of trick contracts.
    pub fn all_tricks(&self) -> LossCount {
        let mut sum = LossCount::default();
        self.tricks.iter().for_each(|count| sum.merge(count));
        sum
    }
}

/// Adds the loss of each card of a finished deal to an element of `regrets`. The element is the one
/// whose index `whose` returns for the card's seat.
///
/// `start` is the deal before the first call, `end` the finished deal. Every position is solved
/// once: a card's loss is the difference between the values before and after it. The card is left
/// out if one of them is not found within 20 million positions.
pub fn add_regret(
    start: &State,
    end: &State,
    solver: &mut Solver,
    regrets: &mut [Regret],
    whose: impl Fn(Seat) -> Option<usize>,
) {
    let Some(contract) = end.contract().copied() else { return };
    let whole = Objective::of(&contract);
    let objectives: Vec<Objective> = match whole.goal {
        Goal::Most => vec![whole],
        _ => contract
            .declarers
            .iter()
            .map(|seat| Objective { declarers: SeatSet::single(seat), ..whole })
            .collect(),
    };
    for regret in regrets.iter_mut() {
        regret.tricks.resize(13, LossCount::default());
    }
    for objective in objectives {
        // The set of cards left out must not depend on the deals before.
        solver.clear();
        let mut state = *start;
        let mut before = None;
        for (_, action) in end.history().iter() {
            let Some(action) = action else { return };
            let (seat, legal) = (state.turn(), state.legal_actions());
            let now = match before.take() {
                Some(value) => value,
                None if state.contract().is_some() && action.as_card().is_some() => {
                    value(&state, objective, solver)
                }
                None => Value::OutsidePlay,
            };
            let trick =
                Seat::ALL.into_iter().map(|s| usize::from(state.tricks()[s])).sum::<usize>();
            state.apply_unchecked(action);
            let after = value(&state, objective, solver);
            before = Some(after).filter(|after| !matches!(after, Value::OutsidePlay));
            let regret = whose(seat).and_then(|index| regrets.get_mut(index));
            let Some(regret) = regret.filter(|_| legal.len() > 1) else { continue };
            match (now, after) {
                (Value::Proved(now), Value::Proved(after)) => {
                    let lost = u64::from(now.abs_diff(after));
                    if objective.goal == Goal::Most {
                        regret.tricks[trick.min(12)].add(lost);
                    } else if is_open(&state, objective) || lost > 0 {
                        regret.outcomes.add(lost);
                    }
                }
                (Value::OutsidePlay, _) | (_, Value::OutsidePlay) => {}
                (Value::Unsolved, _) | (_, Value::Unsolved) => regret.unsolved += 1,
            }
        }
    }
}

/// Returns whether the declarer of a misère or piccolo has not failed yet.
fn is_open(state: &State, objective: Objective) -> bool {
    let allowed = u8::from(objective.goal == Goal::One);
    objective.declarers.iter().all(|seat| state.tricks()[seat] <= allowed)
}

/// A double-dummy value.
#[derive(Clone, Copy)]
enum Value {
    /// Tricks of the declarers, or whether a lone declarer makes the misère or piccolo (1 or 0).
    Proved(u8),
    /// 20 million positions were not enough.
    Unsolved,
    /// Not in card play, or trumps are not settled.
    OutsidePlay,
}

fn value(state: &State, objective: Objective, solver: &mut Solver) -> Value {
    if state.is_done() {
        return Value::Proved(result(state, objective));
    }
    // In a troel whose first lead names trumps, the contract has them only afterwards.
    let settled = Position::from_state(state);
    let position = settled.and_then(|settled| {
        let objective = Objective { trump: settled.objective().trump, ..objective };
        Position::from_state_for(state, objective)
    });
    let Ok(position) = position else { return Value::OutsidePlay };
    let found = match objective.goal {
        Goal::Most => solver.bounds_within(&position, MAX_REGRET_NODES).exact(),
        Goal::Fewest | Goal::One => solver.is_made(&position, MAX_REGRET_NODES).map(u8::from),
    };
    found.map_or(Value::Unsolved, Value::Proved)
}

/// Returns the value of a finished deal.
fn result(end: &State, objective: Objective) -> u8 {
    let taken: u8 = objective.declarers.iter().map(|seat| end.tricks()[seat]).sum();
    match objective.goal {
        Goal::Most => taken,
        Goal::Fewest => u8::from(taken == 0),
        Goal::One => u8::from(taken == 1),
    }
}

impl Regret {
    /// Formats regrets as a text table, one line per named bot. A dot is a cell without judged
    /// cards.
    pub fn table(rows: &[(&str, &Regret)]) -> String {
        let width = column_width(rows.iter().map(|(name, _)| name), 10);
        let mut out =
            String::from("\nDouble-dummy regret: tricks given away per card chosen, by trick\n");
        let _ = write!(out, "{:<width$}  {:>6}", "bot", "all");
        (1..=13).for_each(|trick| out += &format!(" {trick:>5}"));
        out += "  misère outcomes\n";
        let mean = |count: &LossCount, decimals: usize| match count.cards {
            0 => "·".to_string(),
            _ => format!("{:.decimals$}", count.mean()),
        };
        for (name, regret) in rows {
            let outcomes = &regret.outcomes;
            let has_data = regret.all_tricks().cards + outcomes.cards + regret.unsolved > 0;
            if !has_data {
                let _ =
                    writeln!(out, "{name:<width$}  no data: it chose no card that could be judged");
                continue;
            }
            let _ = write!(out, "{name:<width$}  {:>6}", mean(&regret.all_tricks(), 4));
            regret.tricks.iter().for_each(|count| out += &format!(" {:>5}", mean(count, 3)));
            let _ = match outcomes.cards {
                0 => write!(out, "  ·"),
                cards => write!(out, "  {} of {cards} cards", outcomes.lost),
            };
            if regret.unsolved > 0 {
                let _ = write!(out, "; {} cards not judged, too hard to solve", regret.unsolved);
            }
            out.push('\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_where_there_is_no_data() {
        let mut judged = Regret { tricks: vec![LossCount::default(); 13], ..Regret::default() };
        judged.tricks[0].add(1);
        judged.tricks[0].add(0);
        let table = Regret::table(&[("judged", &judged), ("none", &Regret::default())]);
        let row = |name: &str| table.lines().find(|line| line.starts_with(name)).expect("a row");
        assert!(row("judged").contains("0.5000 0.500     ·"), "{table}");
        assert!(row("judged").ends_with("  ·"), "{table}");
        assert!(row("none").contains("no data") && !row("none").contains("0.0"), "{table}");
    }
}
