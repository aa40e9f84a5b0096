//! Hints and reviews: values of a decision's actions. They come from a search from the seat's
//! observation and, in hindsight, with all hands open.

use troel_env::{Action, BySeat, Observation, Phase, Record, RecordError, RuleSet, Seat, State};
use troel_solver::{Goal, Objective, PositionError, Solver};

use crate::bot::{Bot, BotError, Decision, DecisionDetail, decide_one, probability_of};
use crate::registry::NamedBot;
use crate::search::{ActionValue, Advisor, Par, par};

/// Default number of worlds that a reviewer samples for a decision.
pub const DEFAULT_REVIEW_WORLDS: usize = 40;

/// Maximum number of positions that the solver visits for one decision, which takes some seconds.
/// If the first lead settles trumps, this is the maximum for each card.
const MAX_REVIEW_NODES: u64 = 20_000_000;
/// Maximum number of positions that the solver visits for each of the hundred contracts of a par.
/// Most need far fewer.
const MAX_PAR_NODES: u64 = 8_000_000;

/// A decision in which there was a choice.
#[derive(Clone, Debug)]
pub struct DecisionPoint {
    /// Number of the action in the record, from 1.
    pub number: usize,
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

/// A bot's decision, and the values of the plausible actions.
#[derive(Clone, Debug)]
pub struct Advice {
    /// The bot's decision; its policy is in order of decreasing probability.
    pub decision: Decision,
    /// Values of the plausible actions, the best one first, then by points. Empty if there is no
    /// choice.
    pub values: Vec<ActionValue>,
}

impl Advice {
    /// Returns the best action.
    pub fn best(&self) -> Action {
        self.values.first().map_or(self.decision.action, |best| best.action)
    }

    /// Returns the probability of an action in the bot's policy.
    pub fn probability(&self, action: Action) -> f32 {
        probability_of(&self.decision.policy, action)
    }

    /// Returns the expected points that an action loses against the best one. 0 if the best one is
    /// not clearly better.
    pub fn loss(&self, action: Action) -> f32 {
        self.value_of(action).map_or(0.0, |value| value.loss.if_clear())
    }

    /// Returns the expected points by which an action is better than the bot's choice. 0 if it is
    /// not clearly better.
    pub fn gain_over_bot(&self, action: Action) -> f32 {
        self.value_of(action).map_or(0.0, |value| value.gain.if_clear())
    }

    /// Returns the standard error of the points that an action loses. 0 for the best action.
    pub fn loss_error(&self, action: Action) -> f32 {
        self.value_of(action).map_or(0.0, |value| value.loss.standard_error)
    }

    fn value_of(&self, action: Action) -> Option<&ActionValue> {
        self.values.iter().find(|value| value.action == action)
    }
}

/// A reviewed decision.
#[derive(Clone, Debug)]
pub struct ReviewedDecision {
    /// Number of the action in the record, from 1.
    pub number: usize,
    /// The seat that decided.
    pub seat: Seat,
    /// Phase of the decision.
    pub phase: Phase,
    /// The action of the record.
    pub did: Action,
    /// The bot's decision, and the values of the plausible actions, `did` among them.
    pub advice: Advice,
    /// Tricks lost with all hands visible. `None` except for cards in trick contracts.
    pub tricks: Option<u8>,
}

impl ReviewedDecision {
    /// Returns the expected points lost against the best action. 0 if it is not clearly better.
    pub fn loss(&self) -> f32 {
        self.advice.loss(self.did)
    }

    /// Returns the expected points by which `did` is better than the bot's choice. 0 if it is not
    /// clearly better.
    pub fn gain_over_bot(&self) -> f32 {
        self.advice.gain_over_bot(self.did)
    }
}

/// Result of a deal if all seats see all hands.
#[derive(Clone, Debug)]
pub struct Hindsight {
    /// Contract in which the auction ends, and its points; `None` if it would take too long.
    pub par: Option<Par>,
    /// Points by which each seat scored less than par; `None` for an unfinished deal.
    pub regret: Option<BySeat<i32>>,
}

/// A reviewed deal.
#[derive(Clone, Debug)]
pub struct Review {
    /// The end of the deal, or of its unfinished record.
    pub end: State,
    /// The decisions in which there was a choice.
    pub decisions: Vec<ReviewedDecision>,
    /// The deal in hindsight.
    pub hindsight: Hindsight,
}

/// Reason why a record cannot be reviewed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// The record does not follow the rules.
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
    let par = par(end.rules(), &end.deal(), solver, MAX_PAR_NODES)?;
    let regret = par.zip(end.scores());
    let regret =
        regret.map(|(par, scores)| BySeat::from_fn(|seat| par.points[seat] - scores[seat]));
    Ok(Hindsight { par, regret })
}

/// Returns the decisions of a full record in which there was a choice, and the state at its end.
/// The decisions are those of one seat or of all.
///
/// # Errors
/// The record does not follow `rules`.
pub fn decision_points(
    rules: &'static RuleSet,
    record: &Record,
    wanted: Option<Seat>,
) -> Result<(Vec<DecisionPoint>, State), RecordError> {
    let totals = BySeat(record.scores_before.unwrap_or_default());
    let mut points = Vec::new();
    let mut number = 0;
    let end = record.play(rules, |state, did| {
        number += 1;
        let is_wanted = wanted.is_none_or(|wanted| wanted == state.turn());
        if is_wanted && state.legal_actions().len() > 1 {
            points.push(DecisionPoint { number, did, state: *state, totals });
        }
    })?;
    Ok((points, end))
}

/// Values the actions of decisions by search, and asks a bot for its own choice.
pub struct Reviewer {
    bot: Box<dyn Bot>,
    advisor: Advisor,
    solver: Solver,
}

impl Reviewer {
    /// Creates a reviewer that asks this bot, and averages points over `worlds` sampled worlds.
    /// `seed` is that of the bot and of the worlds.
    pub fn new(bot: &NamedBot, worlds: usize, seed: u64, solver: Solver) -> Reviewer {
        Reviewer { bot: bot.instantiate(seed), advisor: bot.advisor(worlds, seed), solver }
    }

    /// Reviews the decisions of a full record, of one seat or of all.
    ///
    /// # Errors
    /// The record does not follow `rules`, or the bot failed.
    pub fn review(
        &mut self,
        rules: &'static RuleSet,
        record: &Record,
        wanted: Option<Seat>,
    ) -> Result<Review, ReviewError> {
        let (points, end) = decision_points(rules, record, wanted)?;
        let decisions = points.iter().map(|point| self.review_decision(point));
        let decisions = decisions.collect::<Result<_, _>>()?;
        Ok(Review { end, decisions, hindsight: hindsight(&end, &mut self.solver)? })
    }

    /// Returns the bot's decision and the values of the plausible actions, `did` among them.
    ///
    /// # Errors
    /// The bot failed, or `did` is not legal.
    pub fn advise(&mut self, obs: &Observation, did: Option<Action>) -> Result<Advice, BotError> {
        let mut decision = decide_one(self.bot.as_mut(), obs, DecisionDetail::Policy)?;
        decision.sort_policy();
        let has_choice = obs.legal_actions().len() > 1;
        let values =
            if has_choice { self.advisor.action_values(obs, &decision, did)? } else { Vec::new() };
        Ok(Advice { decision, values })
    }

    /// Reviews one decision.
    ///
    /// # Errors
    /// The bot failed.
    pub fn review_decision(&mut self, point: &DecisionPoint) -> Result<ReviewedDecision, BotError> {
        let &DecisionPoint { number, did, ref state, totals } = point;
        let seat = state.turn();
        Ok(ReviewedDecision {
            number,
            seat,
            phase: state.phase(),
            did,
            advice: self.advise(&state.observe(seat, totals), Some(did))?,
            tricks: self.tricks_lost(state, did),
        })
    }

    /// Returns the tricks that a card loses with all hands visible. `None` except in trick
    /// contracts, and if the solver would take long.
    fn tricks_lost(&mut self, state: &State, did: Action) -> Option<u8> {
        let (contract, card) = (state.contract()?, did.as_card()?);
        let objective = Objective::of(contract);
        if state.phase() != Phase::Play || objective.goal != Goal::Most {
            return None;
        }
        // Tricks of the declarers after the card played, and after every legal card.
        let (mut played, mut all) = (None, Vec::new());
        for (legal, bounds) in self.solver.card_values_within(state, MAX_REVIEW_NODES)? {
            let tricks = bounds.exact()?;
            all.push(tricks);
            if legal == card {
                played = Some(tricks);
            }
        }
        if objective.declarers.has(state.turn()) {
            Some(all.into_iter().max()? - played?)
        } else {
            Some(played? - all.into_iter().min()?)
        }
    }
}
