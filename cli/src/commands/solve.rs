//! `troel solve`.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use troel_env::{BySeat, Card, Phase, Record, Seat, SeatSet, State, Suit, excerpt, parse_hands};
use troel_eval::{convert_json, parse_json};
use troel_parallel::map_in_parallel;
use troel_solver::{Bounds, Goal, Objective, Position, Solver};

use crate::commands;
use crate::lines::{self, BadLine, Line};
use crate::misspelt_keys;
use crate::record_rules::{RuleSets, RulesFolder};

/// Solve deals double dummy: the value of each card with all hands visible
///
/// One JSON line in, one out: {"seat":"E","cards":{"AS":9,…},"value":9}. For every legal card of
/// the seat to play, `cards` has the number of tricks that the declarers take in the whole deal if
/// both sides play the rest perfectly. A line is a game record whose auction is over, or four hands
/// of equal size with a field "contract":{"declarers":"NS","trump":"H","goal":"most","leader":"N"}
/// (trump null for none; goal most, fewest or one). A bad line yields {"line":…,"error":…,"at":…};
/// the exit status is then 1.
///
/// Example: troel solve deals.jsonl
#[derive(clap::Args)]
pub struct Args {
    /// Files, one JSON object per line; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    /// Memory for the transposition table of each thread, in MiB
    #[arg(long, default_value_t = 64, value_parser = commands::number::<u32>(1..=65536))]
    memory: u32,
    /// Approximate limit of positions to visit for each line (for each card, where the first lead
    /// settles trumps); a million take about 0.2 seconds. A value that is not proved within the
    /// limit is printed as an array of its lower and upper bound
    #[arg(long, value_name = "N", value_parser = commands::number(0..=u64::MAX))]
    nodes: Option<u64>,
    #[command(flatten)]
    threads: commands::Threads,
    #[command(flatten)]
    rules: RulesFolder,
}

/// An input line with a contract instead of an auction.
#[derive(Deserialize)]
struct Ending {
    deal: String,
    #[serde(default)]
    actions: Vec<String>,
    contract: EndingContract,
}

#[derive(Deserialize)]
struct EndingContract {
    declarers: String,
    /// Required even when it is null: an absent field is more likely a mistake.
    #[serde(deserialize_with = "Option::deserialize")]
    trump: Option<Suit>,
    goal: GoalName,
    leader: Seat,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum GoalName {
    Most,
    Fewest,
    One,
}

#[derive(Serialize)]
struct Solved {
    /// The seat to play; null when all cards are played.
    seat: Option<Seat>,
    cards: BTreeMap<String, Proved>,
    value: Proved,
}

/// A value, or its lower and upper bound.
#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Proved {
    Exactly(u8),
    Between([u8; 2]),
}

impl From<Bounds> for Proved {
    fn from(bounds: Bounds) -> Proved {
        bounds.exact().map_or(Proved::Between([bounds.least, bounds.most]), Proved::Exactly)
    }
}

/// Subject of a line.
enum Question {
    Deal(Box<State>),
    Ending(Position),
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut rules = args.rules.rule_sets();
    let threads = args.threads.number_or_cores().get();
    let memory = (args.memory as usize) << 20;
    let is_there = Vec::<u8>::new().try_reserve_exact(memory.saturating_mul(threads)).is_ok();
    anyhow::ensure!(
        is_there,
        "--memory {} for each of {threads} threads: not enough memory; use less, or fewer \
         --threads",
        args.memory
    );
    let mut solvers: Vec<Solver> = (0..threads).map(|_| Solver::new(memory)).collect();
    let solve = |question: &Result<Question, BadLine>, solver: &mut Solver| {
        if args.nodes.is_some() {
            // The proved bounds of a line must not depend on the lines before it.
            solver.clear();
        }
        let question = question.as_ref().map_err(BadLine::clone)?;
        let solved = question.answer(solver, args.nodes.unwrap_or(u64::MAX))?;
        Ok(serde_json::to_string(&solved)?)
    };
    // Enough lines at once that no thread waits long, and few enough that the first answers are
    // printed soon.
    lines::answer_batches(&args.files, 4 * threads, |lines| {
        let questions: Vec<_> =
            lines.iter().map(|line| Question::parse(line, &mut rules)).collect();
        map_in_parallel(&questions, &mut solvers, solve)
    })
}

impl Question {
    fn parse(line: &Line, rules: &mut RuleSets) -> Result<Question, BadLine> {
        let value: serde_json::Value =
            parse_json(&line.bytes).map_err(|e| BadLine::new(e.to_string()))?;
        if value.get("contract").is_some() {
            let ending: Ending = convert_json(value)
                .map_err(|e| BadLine::new(format!("not a deal with a contract: {e}")))?;
            return Ok(Question::Ending(position(&ending)?));
        }
        let record: Record =
            convert_json(value).map_err(|e| BadLine::new(format!("not a game record: {e}")))?;
        let rules = rules.find(&record.rules)?;
        misspelt_keys::warn(&line.place, &record, rules);
        let state = record.play(rules, |_, _| {})?;
        Ok(Question::Deal(Box::new(state)))
    }

    fn answer(&self, solver: &mut Solver, nodes: u64) -> Result<Solved, BadLine> {
        match self {
            Question::Deal(state) => solve_state(state, solver, nodes),
            Question::Ending(position) => {
                let values = solver.values_within(position, nodes);
                let objective = position.objective();
                Ok(Solved::new(position.turn(), objective, &values)
                    .unwrap_or_else(|| Solved::finished(objective, position.taken())))
            }
        }
    }
}

impl Solved {
    /// Returns the answer for the values of the legal cards; `None` if there are none.
    fn new(seat: Seat, objective: Objective, values: &[(Card, Bounds)]) -> Option<Solved> {
        let wants_more = objective.declarers.has(seat) != (objective.goal == Goal::Fewest);
        let best = |of: fn(Bounds) -> u8| {
            let all = values.iter().map(|&(_, bounds)| of(bounds));
            if wants_more { all.max() } else { all.min() }
        };
        let value = Bounds { least: best(|b| b.least)?, most: best(|b| b.most)? }.into();
        let cards =
            values.iter().map(|&(card, bounds)| (card.to_string(), bounds.into())).collect();
        Some(Solved { seat: Some(seat), cards, value })
    }

    fn finished(objective: Objective, taken: u8) -> Solved {
        let value = if objective.goal == Goal::One { u8::from(taken == 1) } else { taken };
        Solved { seat: None, cards: BTreeMap::new(), value: Proved::Exactly(value) }
    }
}

fn solve_state(state: &State, solver: &mut Solver, nodes: u64) -> Result<Solved, BadLine> {
    let Some(contract) = state.contract() else {
        return Err(BadLine::new(if state.is_passed_out() {
            "everybody passed: there is nothing to play"
        } else {
            "the auction is not over: add its calls, or give a contract"
        }));
    };
    let objective = Objective::of(contract);
    if state.phase() == Phase::Done {
        let taken = objective.declarers.iter().map(|seat| state.tricks()[seat]).sum();
        return Ok(Solved::finished(objective, taken));
    }
    solver
        .card_values_within(state, nodes)
        .and_then(|values| Solved::new(state.turn(), objective, &values))
        .ok_or_else(|| {
            let phase = state.phase().name();
            BadLine::new(format!(
                "no card is to be played yet (phase {phase}): add the actions before play"
            ))
        })
}

fn position(ending: &Ending) -> Result<Position, BadLine> {
    let contract = &ending.contract;
    let declarers = SeatSet::parse(&contract.declarers).ok_or_else(|| {
        let named = &contract.declarers;
        BadLine::new(format!("declarers {named:?}: name one to three seats, such as NS"))
    })?;
    let goal = match contract.goal {
        GoalName::Most => Goal::Most,
        GoalName::Fewest => Goal::Fewest,
        GoalName::One => Goal::One,
    };
    let objective = Objective { declarers, trump: contract.trump, goal };
    let hands = parse_hands(&ending.deal).map_err(|e| BadLine::new(e.to_string()))?;
    if let Some(seat) = Seat::ALL.into_iter().find(|&s| hands[s].is_none()) {
        return Err(BadLine::new(format!("the hand of {seat} is unknown: give all four hands")));
    }
    let hands = BySeat::from_fn(|s| hands[s].unwrap_or_default());
    let mut position = Position::new(objective, hands, contract.leader)
        .map_err(|e| BadLine::new(e.to_string()))?;
    for (at, code) in ending.actions.iter().enumerate() {
        let shown = excerpt(code, 20);
        let card = Card::parse(code)
            .ok_or_else(|| BadLine::at(format!("action {at}: {shown:?} is not a card"), at))?;
        let seat = position.turn();
        position.play(card).map_err(|e| BadLine::at(format!("action {at} by {seat}: {e}"), at))?;
    }
    Ok(position)
}
