//! Double-dummy regret: what played cards gave away when all cards are seen, so that card play can be judged
//! apart from bidding and luck.

use serde::{Deserialize, Serialize};
use troel_env::{Seat, SeatSet, State};
use troel_solver::{Goal, Objective, Position, Solver};

/// What a bot's cards gave away. Only real choices count: cards played with another one legal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regret {
    /// Contracts for tricks: by trick (1 to 13, in order), cards chosen and tricks given away by them.
    pub tricks: Vec<Choices>,
    /// Misères and piccolos: cards chosen while a declarer's outcome was open, and outcomes given away.
    pub outcomes: Choices,
}

/// Cards chosen, and what they gave away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choices {
    /// Cards chosen.
    pub cards: u64,
    /// Tricks (or outcomes) given away.
    pub lost: u64,
}

impl Choices {
    fn add(&mut self, lost: u64) {
        self.cards += 1;
        self.lost += lost;
    }

    fn merge(&mut self, other: &Choices) {
        self.cards += other.cards;
        self.lost += other.lost;
    }

    /// Given away per card; 0 without cards.
    pub fn mean(&self) -> f64 {
        if self.cards == 0 { 0.0 } else { self.lost as f64 / self.cards as f64 }
    }
}

impl Regret {
    /// Joins the regret of other deals.
    pub fn merge(&mut self, other: &Regret) {
        self.tricks.resize(13, Choices::default());
        for (into, from) in self.tricks.iter_mut().zip(&other.tricks) {
            into.merge(from);
        }
        self.outcomes.merge(&other.outcomes);
    }

    /// All cards of contracts for tricks together.
    pub fn all_tricks(&self) -> Choices {
        let mut sum = Choices::default();
        self.tricks.iter().for_each(|choices| sum.merge(choices));
        sum
    }
}

/// Adds what the cards of a finished deal gave away, each to the regret that `whose` names for its seat.
///
/// `start` is the deal before the first call. Every position is solved once: what a card gave away is the
/// difference between two neighbours.
pub fn add_deal(
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
        regret.tricks.resize(13, Choices::default());
    }
    for objective in objectives {
        let mut state = *start;
        let mut before = None;
        for (_, action) in end.history().iter() {
            let Some(action) = action else { return };
            let (seat, choices) = (state.turn(), state.legal_actions().len());
            let now = if state.contract().is_some() && action.as_card().is_some() {
                before.take().or_else(|| value(&state, objective, solver))
            } else {
                None
            };
            let trick =
                Seat::ALL.into_iter().map(|s| usize::from(state.tricks()[s])).sum::<usize>();
            state.apply_unchecked(action);
            let after = value(&state, objective, solver);
            before = after;
            let (Some(now), Some(after), Some(regret)) =
                (now, after, whose(seat).and_then(|index| regrets.get_mut(index)))
            else {
                continue;
            };
            if choices < 2 {
                continue;
            }
            let lost = u64::from(now.abs_diff(after));
            if objective.goal == Goal::Most {
                regret.tricks[trick.min(12)].add(lost);
            } else if is_open(&state, objective) || lost > 0 {
                regret.outcomes.add(lost);
            }
        }
    }
}

/// Whether a lone declarer may still make it or fail.
fn is_open(state: &State, objective: Objective) -> bool {
    let allowed = u8::from(objective.goal == Goal::One);
    objective.declarers.iter().all(|seat| state.tricks()[seat] <= allowed)
}

/// Tricks of the declarers, or whether a lone declarer makes his misère or piccolo (1 or 0); `None` outside card
/// play and before trumps are settled.
fn value(state: &State, objective: Objective, solver: &mut Solver) -> Option<u8> {
    if state.is_done() {
        let taken: u8 = objective.declarers.iter().map(|seat| state.tricks()[seat]).sum();
        return Some(match objective.goal {
            Goal::Most => taken,
            Goal::Fewest => u8::from(taken == 0),
            Goal::One => u8::from(taken == 1),
        });
    }
    // Of a troel whose first lead names trumps the contract knows them only afterwards.
    let settled = Position::of_state(state)?;
    let position =
        Position::of_state_for(state, Objective { trump: settled.objective().trump, ..objective })
            .ok()?;
    Some(match objective.goal {
        Goal::Most => solver.value(&position),
        Goal::Fewest => u8::from(!solver.reaches(&position, 1)),
        Goal::One => u8::from(solver.reaches(&position, 1)),
    })
}

/// A table of regrets, one line for each named bot.
pub fn table(rows: &[(&str, &Regret)]) -> String {
    use std::fmt::Write;
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(10);
    let mut out =
        String::from("\nDouble-dummy regret: tricks given away per card chosen, by trick\n");
    let _ = write!(out, "{:<width$}  {:>6}", "bot", "all");
    (1..=13).for_each(|trick| out += &format!(" {trick:>5}"));
    out += "  misère outcomes\n";
    for (name, regret) in rows {
        let _ = write!(out, "{name:<width$}  {:>6.4}", regret.all_tricks().mean());
        regret.tricks.iter().for_each(|choices| out += &format!(" {:>5.3}", choices.mean()));
        let outcomes = &regret.outcomes;
        let _ = writeln!(out, "  {} of {} cards", outcomes.lost, outcomes.cards);
    }
    out
}
