//! What the decisions of a deal cost: beside what a bot would have done, and beside perfect play of open hands.

use serde::Serialize;
use troel_agents::{Bot, BotError, Detail, Pimc, decide_one};
use troel_env::error::RecordError;
use troel_env::{Action, BySeat, Phase, Record, RuleSet, Seat, State};
use troel_solver::{Goal, Objective, Solver};

/// Positions that the solver may look at for one decision, some seconds; for each card, where the first lead settles trumps.
const NODES: u64 = 20_000_000;

/// A decision in which there was a choice.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Number of the action in the record, from 1.
    pub at: usize,
    /// What was done.
    pub did: Action,
    state: State,
    totals: BySeat<i32>,
}

impl Choice {
    /// Whether the points of the deal were settled before the decision.
    pub fn is_settled(&self) -> bool {
        self.state.is_decided()
    }
}

/// A reviewed decision.
#[derive(Clone, Debug, Serialize)]
pub struct Decision {
    /// Number of the action in the record, from 1.
    pub at: usize,
    /// The seat that decided.
    pub seat: Seat,
    /// What was due.
    pub phase: &'static str,
    /// What was done.
    #[serde(serialize_with = "code")]
    pub did: Action,
    /// What the bot would do.
    #[serde(serialize_with = "code")]
    pub bot: Action,
    /// Probability of `did` in the bot's policy; `bot_chance` is that of `bot`.
    pub chance: f32,
    /// Probability of `bot` in the bot's policy.
    pub bot_chance: f32,
    /// Points of the deal that the bot expects; `None` from bots without an estimate.
    pub value: Option<f32>,
    /// Expected points given away; 0 where the bot's choice is no better.
    pub points: f32,
    /// Tricks given away with all hands visible; `None` except for cards in trick contracts.
    pub tricks: Option<u8>,
}

fn code<S: serde::Serializer>(action: &Action, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(action)
}

/// The decisions of a full record in which there was a choice, of one seat or of all, and the state at its end.
///
/// # Errors
/// The record is not one of these rules.
pub fn choices(
    rules: &'static RuleSet,
    record: &Record,
    wanted: Option<Seat>,
) -> Result<(Vec<Choice>, State), RecordError> {
    let totals = BySeat(record.scores_before.unwrap_or_default());
    let mut choices = Vec::new();
    let mut at = 0;
    let end = record.play(rules, |state, did| {
        at += 1;
        let is_wanted = wanted.is_none_or(|wanted| wanted == state.turn());
        if is_wanted && state.legal_actions().len() > 1 {
            choices.push(Choice { at, did, state: *state, totals });
        }
    })?;
    Ok((choices, end))
}

/// Compares decisions with those of a bot.
pub struct Judge {
    bot: Box<dyn Bot>,
    search: Pimc,
    solver: Solver,
}

impl Judge {
    /// A judge who asks this bot, and averages points over so many worlds that fit what the seat saw.
    pub fn new(bot: Box<dyn Bot>, worlds: usize, seed: u64, solver: Solver) -> Judge {
        Judge { bot, search: Pimc::new(worlds, seed), solver }
    }

    /// What a decision cost.
    ///
    /// # Errors
    /// The bot failed.
    pub fn judge(&mut self, choice: &Choice) -> Result<Decision, BotError> {
        let &Choice { at, did, ref state, totals } = choice;
        let seat = state.turn();
        let view = state.observe(seat, totals);
        let judged = decide_one(self.bot.as_mut(), &view, Detail::Policy)?;
        let chance = |action| {
            let found = judged.policy.iter().find(|(a, _)| *a == action);
            found.map_or(0.0, |&(_, p)| p)
        };
        let points = if did == judged.action {
            0.0
        } else {
            let values = self.search.expected_points(&view, &[did, judged.action])?;
            (values[1] - values[0]).max(0.0)
        };
        Ok(Decision {
            at,
            seat,
            phase: state.phase().name(),
            did,
            bot: judged.action,
            chance: chance(did),
            bot_chance: chance(judged.action),
            value: judged.value,
            points,
            tricks: self.tricks_lost(state, did),
        })
    }

    /// Tricks that a card gives away with all hands visible; `None` except in trick contracts, and where the solver would take long.
    fn tricks_lost(&mut self, state: &State, did: Action) -> Option<u8> {
        let (contract, card) = (state.contract()?, did.as_card()?);
        let objective = Objective::of(contract);
        if state.phase() != Phase::Play || objective.goal != Goal::Most {
            return None;
        }
        let values = self.solver.card_values_within(state, NODES)?.into_iter();
        let values: Option<Vec<_>> =
            values.map(|(card, bounds)| Some((card, bounds.exact()?))).collect();
        let values = values?;
        let taken = values.iter().find(|(c, _)| *c == card)?.1;
        let all = values.iter().map(|&(_, value)| value);
        if objective.declarers.has(state.turn()) {
            Some(all.max()? - taken)
        } else {
            Some(taken - all.min()?)
        }
    }
}
