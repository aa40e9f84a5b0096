//! Par: the end of the auction if all cards are seen and all seats call and play perfectly.

use troel_env::rules::{CallRank, ContractSpec};
use troel_env::{
    Action, Bid, BySeat, Contract, ContractKind, Deal, RuleSet, SeatSet, Suit, score_side,
};
use troel_solver::{Goal, Objective, Position, PositionError, Solver};

use super::evaluate::deciding_tricks;

/// Contract at which the auction of a deal ends, and its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Par {
    /// The contract; `None` if nobody gains by calling anything.
    pub contract: Option<Contract>,
    /// Points of each seat, double dummy.
    pub points: BySeat<i32>,
    /// Rank of the call; [`CallRank::NONE`] without a contract.
    rank: CallRank,
}

/// Returns the double-dummy best contract of a deal. Nobody can gain by outbidding it, given that
/// the outbidder may be outbid in turn.
///
/// It is found by backward induction from the highest contract down. A contract is outbid by a
/// higher one if the auction then ends with more points for every declarer of the higher contract
/// than the outbid contract gives them. Of several such calls the one with the largest gain is
/// made, counted for the declarer who gains least. Ties go to the highest contract, then to the
/// declarers (as bits, North lowest) and the trumps (in the order of [`Suit::ALL`], no trumps last)
/// that come first. The auction starts without a contract and without points.
///
/// Calling is free: any two seats may play together, and only the rank of a call matters. Small
/// misères are excluded because they depend on four hidden discards. Troels and trous are excluded
/// because aces force them independently of the calls. A misère or piccolo has one declarer.
///
/// The result is `None` if the solver would have to visit more than about `nodes` positions for
/// some contract. A million positions take about 0.2 seconds.
///
/// # Errors
/// The hands are not a full deal: a card is in two hands, or the hands are not of one size.
pub fn par(
    rules: &RuleSet,
    deal: &Deal,
    solver: &mut Solver,
    nodes: u64,
) -> Result<Option<Par>, PositionError> {
    // The budget must not depend on the deals solved before.
    solver.clear();
    let Some(mut contracts) = contracts(rules, deal, solver, nodes)? else { return Ok(None) };
    contracts.sort_by_key(|par| std::cmp::Reverse(par.rank));
    let nothing = Par { contract: None, points: BySeat::default(), rank: CallRank::NONE };
    contracts.push(nothing);
    // For each contract from the highest down, the end of the auction if that contract is the last
    // one so far.
    let mut ends: Vec<Par> = Vec::with_capacity(contracts.len());
    for standing in &contracts {
        let mut best = (0, *standing);
        // The contracts above this one are those whose ends are known.
        for (call, end) in contracts.iter().zip(&ends) {
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
    Ok(Some(ends.pop().unwrap_or(nothing)))
}

/// Returns all contracts that can be called, with their double-dummy points. `None` if one takes
/// too many nodes.
fn contracts(
    rules: &RuleSet,
    deal: &Deal,
    solver: &mut Solver,
    nodes: u64,
) -> Result<Option<Vec<Par>>, PositionError> {
    let eldest = deal.dealer.next();
    let turn_up = deal.turn_up.filter(|_| rules.has_turn_up()).map(|card| card.suit());
    let mut found: Vec<Par> = Vec::new();
    for objective in objectives() {
        let Objective { declarers, trump, .. } = objective;
        // Tricks with eldest and with the declarer on lead, each found once.
        let mut tricks = [None; 2];
        for (row, spec) in rules.rows().iter().enumerate() {
            let Some(rank) = rank(rules, spec, objective, turn_up) else { continue };
            let declarer = declarers.first().unwrap_or(eldest);
            let leads = spec.kind.declarer_leads();
            let slot = &mut tricks[usize::from(leads)];
            let taken = match *slot {
                Some(taken) => taken,
                None => {
                    let leader = if leads { declarer } else { eldest };
                    let position = Position::new(objective, deal.hands, leader)?;
                    let Some(taken) = taken(&position, spec.kind, solver, nodes) else {
                        return Ok(None);
                    };
                    *slot.insert(taken)
                }
            };
            let contract = rules.contract_of_row(row as u8, trump, declarers);
            let points = score_side(rules, &contract, taken);
            found.push(Par { contract: Some(contract), points, rank });
        }
    }
    Ok(Some(found))
}

/// Returns the objectives of all contracts. If the goal is most tricks, a lone seat or a pair
/// declares with any trumps. For other goals a lone seat declares without trumps.
fn objectives() -> Vec<Objective> {
    let mut objectives = Vec::new();
    for declarers in sides() {
        for trump in Suit::ALL.map(Some).into_iter().chain([None]) {
            objectives.push(Objective { declarers, trump, goal: Goal::Most });
        }
    }
    for goal in [Goal::Fewest, Goal::One] {
        for declarers in sides().filter(|side| side.len() == 1) {
            objectives.push(Objective { declarers, trump: None, goal });
        }
    }
    objectives
}

/// Returns the number of tricks, or for a misère or piccolo a number that shows whether it is made.
/// `None` if it takes too many nodes.
fn taken(position: &Position, kind: ContractKind, solver: &mut Solver, nodes: u64) -> Option<u8> {
    if kind.is_negative() {
        let is_made = solver.is_made(position, nodes)?;
        Some(deciding_tricks(kind, is_made))
    } else {
        solver.bounds_within(position, nodes).exact()
    }
}

/// Returns all lone seats and pairs.
fn sides() -> impl Iterator<Item = SeatSet> {
    (1..15).map(SeatSet).filter(|set| set.len() <= 2)
}

/// Returns the rank of the call of a row of the contract table by these declarers and trumps.
/// `None` if they cannot call it, or if the row is excluded from par.
fn rank(
    rules: &RuleSet,
    row: &ContractSpec,
    objective: Objective,
    turn_up: Option<Suit>,
) -> Option<CallRank> {
    let Objective { declarers, trump, goal } = objective;
    let is_solo_slim = row.kind == ContractKind::SoloSlim;
    if row.kind == ContractKind::SmallMisere
        || row.kind.is_pair() != (declarers.len() == 2)
        || goal != Goal::of(row.kind)
        || is_solo_slim && trump != turn_up
    {
        return None;
    }
    // The call of a solo slim names no suit, because the turn-up decides.
    let named = trump.filter(|_| !is_solo_slim);
    let call = Action::from_bid(Bid { kind: row.kind, level: row.level, trump: named })?;
    Some(rules.rank(turn_up, call)).filter(|&rank| rank > CallRank::NONE)
}
