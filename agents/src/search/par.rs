//! Par: where the auction of a deal ends when all cards are seen and everybody calls and plays perfectly.

use troel_env::rules::Family;
use troel_env::scoring::score;
use troel_env::{BySeat, Contract, ContractKind, Deal, RuleSet, SeatSet, Suit};
use troel_solver::{Goal, Objective, Position, PositionError, Solver};

use super::evaluate::points_for;

/// A contract, what it comes to double dummy, and how it ranks.
#[derive(Clone, Copy, Debug)]
pub struct Par {
    /// The contract; `None` if nobody gains by calling anything.
    pub contract: Option<Contract>,
    /// Points of each seat.
    pub points: BySeat<i32>,
    /// Rank among the contracts of the deal.
    rank: usize,
}

/// The double-dummy best contract of a deal: the one at which nobody can gain by outbidding it, given that he
/// may be outbid in turn (backward induction from the highest contract down; of several gainful calls the
/// most gainful one is made).
///
/// Calling is free: any two seats may play together, and what the auction asks of a call beyond its rank is
/// left out. Small misères are left out too (they hang on four hidden discards), and so are troels and trous,
/// which aces force whatever the calls.
///
/// # Errors
/// The hands are not a full deal.
pub fn par(rules: &RuleSet, deal: &Deal, solver: &mut Solver) -> Result<Par, PositionError> {
    let mut contracts = contracts(rules, deal, solver)?;
    contracts.sort_by_key(|par| std::cmp::Reverse(par.rank));
    let void = Par { contract: None, points: BySeat::default(), rank: 0 };
    contracts.push(void);
    // From the highest down: where the auction ends once this contract stands.
    let mut ends: Vec<Par> = Vec::with_capacity(contracts.len());
    for (at, standing) in contracts.iter().enumerate() {
        let mut best = (0, *standing);
        for (call, end) in contracts[..at].iter().zip(&ends) {
            let Some(contract) = call.contract.filter(|_| call.rank > standing.rank) else {
                continue;
            };
            let gain = |seat| end.points[seat] - standing.points[seat];
            let least = contract.declarers.iter().map(gain).min().unwrap_or(0);
            if least > best.0 {
                best = (least, *end);
            }
        }
        ends.push(best.1);
    }
    Ok(ends.pop().unwrap_or(void))
}

/// All contracts that can be called, with their double-dummy points.
fn contracts(rules: &RuleSet, deal: &Deal, solver: &mut Solver) -> Result<Vec<Par>, PositionError> {
    let eldest = deal.dealer.next();
    let turn_up = deal.turn_up.filter(|_| rules.has_turn_up()).map(|card| card.suit());
    let mut found: Vec<Par> = Vec::new();
    for goal in [Goal::Most, Goal::Fewest, Goal::One] {
        for declarers in sides() {
            for trump in Suit::ALL.into_iter().map(Some).chain([None]) {
                if goal != Goal::Most && (trump.is_some() || declarers.len() > 1) {
                    continue;
                }
                let objective = Objective { declarers, trump, goal };
                // Tricks with eldest and with the declarer on lead, each found once.
                let mut tricks = [None; 2];
                for (row, spec) in rules.rows().iter().enumerate() {
                    let suits_row = kind_fits(spec.kind, spec.no_trumps, objective, turn_up);
                    if !suits_row {
                        continue;
                    }
                    let declarer = declarers.first().unwrap_or(eldest);
                    let leads = spec.kind.declarer_leads();
                    let slot = &mut tricks[usize::from(leads)];
                    let taken = match *slot {
                        Some(taken) => taken,
                        None => {
                            let leader = if leads { declarer } else { eldest };
                            let position = Position::new(objective, deal.hands, leader)?;
                            *slot.insert(taken(&position, solver))
                        }
                    };
                    let contract = Contract {
                        kind: spec.kind,
                        level: spec.level,
                        trump,
                        declarers,
                        row: row as u8,
                    };
                    let points = if goal == Goal::Most {
                        points_for(rules, &contract, taken)
                    } else {
                        let mut tricks = BySeat::default();
                        tricks[declarer] = taken;
                        score(rules, &contract, &tricks)
                    };
                    let suit = suit_rank(rules, trump, turn_up);
                    found.push(Par { contract: Some(contract), points, rank: 1 + 8 * row + suit });
                }
            }
        }
    }
    Ok(found)
}

/// Tricks; of a misère or piccolo, as many as tell whether it is made.
fn taken(position: &Position, solver: &mut Solver) -> u8 {
    match position.objective().goal {
        Goal::Most => solver.value(position),
        Goal::Fewest => u8::from(solver.reaches(position, 1)),
        Goal::One => 2 - u8::from(solver.reaches(position, 1)),
    }
}

/// Lone seats and pairs.
fn sides() -> impl Iterator<Item = SeatSet> {
    (1..15).map(SeatSet).filter(|set| set.len() <= 2)
}

fn kind_fits(
    kind: ContractKind,
    no_trumps: bool,
    objective: Objective,
    turn_up: Option<Suit>,
) -> bool {
    use ContractKind::*;
    let goal = match kind {
        Piccolo => Goal::One,
        Misere | OpenMisere => Goal::Fewest,
        SmallMisere | Trou | Troel => return false,
        _ => Goal::Most,
    };
    let turned = turn_up.is_none() || objective.trump == turn_up;
    let trumps = match kind {
        Misere | OpenMisere | Piccolo => objective.trump.is_none(),
        Suit | Alone | SoloSlim => objective.trump.is_some() && turned,
        // The slam in the turn-up suit is the solo slim.
        Slam if turn_up.is_some() => {
            objective.trump != turn_up && (objective.trump.is_some() || no_trumps)
        }
        _ => objective.trump.is_some() || no_trumps,
    };
    goal == objective.goal && trumps && kind.is_pair() == (objective.declarers.len() == 2)
}

/// Rank of a trump suit within its row.
fn suit_rank(rules: &RuleSet, trump: Option<Suit>, turn_up: Option<Suit>) -> usize {
    match rules.spec().family {
        Family::Proposals => trump.map_or(5, |suit| 1 + suit.index()),
        Family::TurnUp => usize::from(trump == turn_up),
    }
}
