//! Hints and reviews: values of a decision's actions, by search from the seat's observation, and in
//! hindsight with all hands open.

use serde::Serialize;
use troel_agents::search::{self, ActionValue, Advisor};
use troel_agents::{Bot, BotError, Detail, NamedBot, decide_one};
use troel_env::error::RecordError;
use troel_env::record::ContractView;
use troel_env::{Action, BySeat, Observation, Phase, Record, RuleSet, Seat, State};
use troel_solver::{Goal, Objective, PositionError, Solver};

use crate::json::{code, codes, if_by_letter};

/// Default number of worlds that a judge samples for a decision.
pub const DEFAULT_WORLDS: usize = 40;

/// Maximum number of positions that the solver visits for one decision, which takes some seconds.
/// If the first lead settles trumps, this is the maximum for each card.
const MAX_NODES: u64 = 20_000_000;
/// Maximum number of positions that the solver visits for each of the hundred contracts of a par;
/// most need far fewer.
const MAX_PAR_NODES: u64 = 8_000_000;

/// A decision in which there was a choice.
#[derive(Clone, Debug)]
pub struct DecisionPoint {
    /// Number of the action in the record, from 1.
    pub at: usize,
    /// The action of the record.
    pub did: Action,
    state: State,
    totals: BySeat<i32>,
}

impl DecisionPoint {
    /// Returns whether the points of the deal were settled before the decision.
    pub fn is_settled(&self) -> bool {
        self.state.is_decided()
    }
}

/// An action that was judged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Candidate {
    /// The action.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub action: Action,
    /// Expected points of the deal for the seat.
    pub points: f32,
    /// Standard error of `points`.
    #[serde(rename = "error")]
    #[cfg_attr(test, ts(type = "number | null"))]
    pub standard_error: f32,
    /// Probability of the action in the bot's policy.
    pub chance: f32,
}

/// The values of a decision's plausible actions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Advice {
    /// The best action.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub action: Action,
    /// The bot's choice.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub bot: Action,
    /// The bot's policy, in order of decreasing probability.
    #[serde(serialize_with = "codes")]
    #[cfg_attr(test, ts(type = "[string, number][]"))]
    pub policy: Vec<(Action, f32)>,
    /// Points of the deal that the bot expects; `None` from bots without an estimate.
    pub value: Option<f32>,
    /// The plausible actions, the best one first, then by points. Empty if there is no choice.
    pub candidates: Vec<Candidate>,
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    judged: Vec<ActionValue>,
}

/// A reviewed decision.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Decision {
    /// Number of the action in the record, from 1.
    pub at: usize,
    /// The seat that decided.
    #[cfg_attr(test, ts(type = "Seat"))]
    pub seat: Seat,
    /// Phase of the decision.
    #[cfg_attr(test, ts(type = "Phase"))]
    pub phase: &'static str,
    /// The action of the record.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub did: Action,
    /// The best action by search.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub best: Action,
    /// The bot's choice.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub bot: Action,
    /// Probability of `did` in the bot's policy; `bot_chance` is that of `bot`.
    pub chance: f32,
    /// Probability of `bot` in the bot's policy.
    pub bot_chance: f32,
    /// Points of the deal that the bot expects; `None` from bots without an estimate.
    pub value: Option<f32>,
    /// Expected points given away beside `best`; 0 where it is not clearly better.
    #[serde(rename = "points")]
    pub loss: f32,
    /// Expected points that `bot` gives away beside `best`; 0 where it is not clearly better.
    #[serde(rename = "bot_points")]
    pub bot_loss: f32,
    /// Expected points by which `did` is better than `bot`; 0 where it is not clearly better.
    #[serde(rename = "over_bot")]
    pub gain_over_bot: f32,
    /// The plausible actions, the best one first, then by points.
    pub candidates: Vec<Candidate>,
    /// Hindsight: tricks given away with all hands visible; `None` except for cards in trick
    /// contracts.
    pub tricks: Option<u8>,
}

/// Result of a deal if all seats see all hands.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Hindsight {
    /// Contract in which the auction ends; `None` if no seat gains by a call, or if it would
    /// take too long to find.
    #[cfg_attr(test, ts(type = "Contract | null"))]
    pub contract: Option<ContractView>,
    /// Points by seat; `None` if it would take too long.
    #[serde(serialize_with = "if_by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number> | null"))]
    pub points: Option<BySeat<i32>>,
    /// Points by which each seat got less than `points`; `None` for an unfinished deal.
    #[serde(serialize_with = "if_by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number> | null"))]
    pub regret: Option<BySeat<i32>>,
}

/// A reviewed deal.
#[derive(Clone, Debug, Serialize)]
pub struct Review {
    /// The rule set, as the record names it.
    pub rules: String,
    /// Name of the bot whose choices are compared.
    pub judge: String,
    /// The contract, if there was one.
    pub contract: Option<ContractView>,
    /// Points by seat; `None` for an unfinished deal.
    #[serde(serialize_with = "if_by_letter")]
    pub scores: Option<BySeat<i32>>,
    /// The decisions in which there was a choice.
    pub decisions: Vec<Decision>,
    /// The deal in hindsight.
    pub par: Hindsight,
}

/// Reason why a record cannot be reviewed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The record is not one of these rules.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The bot failed.
    #[error(transparent)]
    Bot(#[from] BotError),
    /// The hands of the deal are not complete.
    #[error(transparent)]
    Hands(#[from] PositionError),
}

/// Returns the par of a deal and its difference to the result, if the deal is over.
///
/// # Errors
/// The hands of the deal are not complete.
pub fn hindsight(end: &State, solver: &mut Solver) -> Result<Hindsight, PositionError> {
    let par = search::par(end.rules(), &end.deal(), solver, MAX_PAR_NODES)?;
    let points = par.map(|par| par.points);
    let regret = points.zip(end.scores());
    Ok(Hindsight {
        contract: par.and_then(|par| par.contract).as_ref().map(ContractView::from),
        points,
        regret: regret.map(|(par, scores)| BySeat::from_fn(|seat| par[seat] - scores[seat])),
    })
}

/// Returns the decisions of a full record in which there was a choice, of one seat or of all, and
/// the state at its end.
///
/// # Errors
/// The record is not one of these rules.
pub fn choices(
    rules: &'static RuleSet,
    record: &Record,
    wanted: Option<Seat>,
) -> Result<(Vec<DecisionPoint>, State), RecordError> {
    let totals = BySeat(record.scores_before.unwrap_or_default());
    let mut choices = Vec::new();
    let mut at = 0;
    let end = record.play(rules, |state, did| {
        at += 1;
        let is_wanted = wanted.is_none_or(|wanted| wanted == state.turn());
        if is_wanted && state.legal_actions().len() > 1 {
            choices.push(DecisionPoint { at, did, state: *state, totals });
        }
    })?;
    Ok((choices, end))
}

/// Judges decisions by search and asks a bot for its own choice.
pub struct Reviewer {
    name: String,
    bot: Box<dyn Bot>,
    advisor: Advisor,
    solver: Solver,
}

impl Reviewer {
    /// Creates a judge that asks this bot, and averages points over `worlds` worlds consistent with
    /// the observation. `seed` is that of the bot and of the worlds.
    pub fn new(bot: &NamedBot, worlds: usize, seed: u64, solver: Solver) -> Reviewer {
        let (name, advisor) = (bot.name().to_string(), bot.advisor(worlds, seed));
        Reviewer { name, bot: bot.instantiate(seed), advisor, solver }
    }

    /// Reviews the decisions of a full record, of one seat or of all.
    ///
    /// # Errors
    /// The record is not one of these rules, or the bot failed.
    pub fn review(
        &mut self,
        rules: &'static RuleSet,
        record: &Record,
        wanted: Option<Seat>,
    ) -> Result<Review, ReviewError> {
        let (choices, end) = choices(rules, record, wanted)?;
        let decisions = choices.iter().map(|choice| self.review_decision(choice));
        let decisions = decisions.collect::<Result<_, _>>()?;
        Ok(Review {
            rules: record.rules.clone(),
            judge: self.name.clone(),
            contract: end.contract().map(ContractView::from),
            scores: end.scores(),
            decisions,
            par: hindsight(&end, &mut self.solver)?,
        })
    }

    /// Returns the values of the plausible actions of the observing seat, `did` among them.
    ///
    /// # Errors
    /// The bot failed, or `did` is not legal.
    pub fn advise(&mut self, view: &Observation, did: Option<Action>) -> Result<Advice, BotError> {
        let mut decision = decide_one(self.bot.as_mut(), view, Detail::Policy)?;
        decision.policy.sort_by(|a, b| b.1.total_cmp(&a.1));
        let has_choice = view.legal_actions().len() > 1;
        let judged =
            if has_choice { self.advisor.action_values(view, &decision, did)? } else { Vec::new() };
        let candidate = |judged: &ActionValue| Candidate {
            action: judged.action,
            points: judged.points.value,
            standard_error: judged.points.standard_error,
            chance: chance(&decision.policy, judged.action),
        };
        Ok(Advice {
            action: judged.first().map_or(decision.action, |best| best.action),
            bot: decision.action,
            candidates: judged.iter().map(candidate).collect(),
            policy: decision.policy,
            value: decision.value,
            judged,
        })
    }

    /// Reviews one decision.
    ///
    /// # Errors
    /// The bot failed.
    pub fn review_decision(&mut self, choice: &DecisionPoint) -> Result<Decision, BotError> {
        let &DecisionPoint { at, did, ref state, totals } = choice;
        let seat = state.turn();
        let advice = self.advise(&state.observe(seat, totals), Some(did))?;
        let of = |action| advice.judged.iter().find(|judged| judged.action == action);
        let loss = |action| of(action).map_or(0.0, |judged| judged.loss.if_significant());
        Ok(Decision {
            at,
            seat,
            phase: state.phase().name(),
            did,
            best: advice.action,
            bot: advice.bot,
            chance: chance(&advice.policy, did),
            bot_chance: chance(&advice.policy, advice.bot),
            value: advice.value,
            loss: loss(did),
            bot_loss: loss(advice.bot),
            gain_over_bot: of(did).map_or(0.0, |judged| judged.gain.if_significant()),
            candidates: advice.candidates,
            tricks: self.tricks_lost(state, did),
        })
    }

    /// Returns the tricks that a card gives away with all hands visible; `None` except in trick
    /// contracts, and where the solver would take long.
    fn tricks_lost(&mut self, state: &State, did: Action) -> Option<u8> {
        let (contract, card) = (state.contract()?, did.as_card()?);
        let objective = Objective::of(contract);
        if state.phase() != Phase::Play || objective.goal != Goal::Most {
            return None;
        }
        let values = self.solver.card_values_within(state, MAX_NODES)?.into_iter();
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

fn chance(policy: &[(Action, f32)], action: Action) -> f32 {
    policy.iter().find(|(a, _)| *a == action).map_or(0.0, |&(_, p)| p)
}
