//! Hints and reviews as messages have them.

use serde::Serialize;
use troel_agents::review::{Advice, Hindsight, Review, ReviewedDecision};
use troel_env::{Action, BySeat, ContractView, Seat};

use crate::json::{code, codes, if_by_letter};

/// An action that was judged.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CandidateView {
    /// The action.
    #[serde(serialize_with = "code")]
    #[cfg_attr(test, ts(type = "string"))]
    pub action: Action,
    /// Expected points of the deal for the seat.
    pub points: f32,
    /// Standard error of `points`.
    #[cfg_attr(test, ts(type = "number | null"))]
    pub error: f32,
    /// Probability of the action in the bot's policy.
    pub chance: f32,
}

/// Returns the plausible actions, the best one first, then by points.
fn candidates(advice: &Advice) -> Vec<CandidateView> {
    let candidate = |value: &troel_agents::search::ActionValue| CandidateView {
        action: value.action,
        points: value.points.value,
        error: value.points.standard_error,
        chance: advice.probability(value.action),
    };
    advice.values.iter().map(candidate).collect()
}

/// The values of a decision's plausible actions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HintView {
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
    pub candidates: Vec<CandidateView>,
}

impl From<Advice> for HintView {
    fn from(advice: Advice) -> HintView {
        HintView {
            action: advice.best(),
            bot: advice.decision.action,
            candidates: candidates(&advice),
            policy: advice.decision.policy,
            value: advice.decision.value,
        }
    }
}

/// A reviewed decision.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DecisionView {
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
    /// Expected points lost against `best`; 0 if it is not clearly better.
    pub points: f32,
    /// Expected points that `bot` loses against `best`; 0 if it is not clearly better.
    pub bot_points: f32,
    /// Expected points by which `did` is better than `bot`; 0 if it is not clearly better.
    pub over_bot: f32,
    /// The plausible actions, the best one first, then by points.
    pub candidates: Vec<CandidateView>,
    /// Hindsight: tricks lost with all hands visible; `None` except for cards in trick contracts.
    pub tricks: Option<u8>,
}

impl From<&ReviewedDecision> for DecisionView {
    fn from(decision: &ReviewedDecision) -> DecisionView {
        let ReviewedDecision { number: at, seat, phase, did, ref advice, tricks } = *decision;
        let bot = advice.decision.action;
        DecisionView {
            at,
            seat,
            phase: phase.name(),
            did,
            best: advice.best(),
            bot,
            chance: advice.probability(did),
            bot_chance: advice.probability(bot),
            value: advice.decision.value,
            points: decision.loss(),
            bot_points: advice.loss(bot),
            over_bot: decision.gain_over_bot(),
            candidates: candidates(advice),
            tricks,
        }
    }
}

/// Result of a deal if all seats see all hands.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ParView {
    /// Contract in which the auction ends; `None` if no seat gains by a call, or if it would
    /// take too long to find.
    #[cfg_attr(test, ts(type = "Contract | null"))]
    pub contract: Option<ContractView>,
    /// Points by seat; `None` if it would take too long.
    #[serde(serialize_with = "if_by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number> | null"))]
    pub points: Option<BySeat<i32>>,
    /// Points by which each seat scored less than `points`; `None` for an unfinished deal.
    #[serde(serialize_with = "if_by_letter")]
    #[cfg_attr(test, ts(type = "BySeat<number> | null"))]
    pub regret: Option<BySeat<i32>>,
}

impl From<&Hindsight> for ParView {
    fn from(hindsight: &Hindsight) -> ParView {
        let contract = hindsight.par.as_ref().and_then(|par| par.contract.as_ref());
        ParView {
            contract: contract.map(ContractView::from),
            points: hindsight.par.map(|par| par.points),
            regret: hindsight.regret,
        }
    }
}

/// A reviewed deal.
#[derive(Clone, Debug, Serialize)]
pub struct DealReviewView<'a> {
    /// The rule set, as the record names it.
    pub rules: &'a str,
    /// Name of the bot whose choices are compared.
    pub judge: &'a str,
    /// The contract, if there was one.
    pub contract: Option<ContractView>,
    /// Points by seat; `None` for an unfinished deal.
    #[serde(serialize_with = "if_by_letter")]
    pub scores: Option<BySeat<i32>>,
    /// The decisions in which there was a choice.
    pub decisions: Vec<DecisionView>,
    /// The deal in hindsight.
    pub par: ParView,
}

impl<'a> DealReviewView<'a> {
    /// Creates the view of a review. `rules` is the rule set as the record names it, `judge` the
    /// name of the bot.
    pub fn new(rules: &'a str, judge: &'a str, review: &Review) -> DealReviewView<'a> {
        DealReviewView {
            rules,
            judge,
            contract: review.end.contract().map(ContractView::from),
            scores: review.end.scores(),
            decisions: review.decisions.iter().map(DecisionView::from).collect(),
            par: ParView::from(&review.hindsight),
        }
    }
}
