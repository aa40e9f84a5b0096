//! Records of deals, and their replay.

mod seat_replay;
mod seat_view;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::action::{Action, ActionSet};
use crate::cards::{Card, Suit};
use crate::contract::{Contract, ContractKind};
use crate::deal::{self, Deal};
use crate::error::{DealError, RecordError};
use crate::phase::Phase;
use crate::rules::RuleSet;
use crate::seat::{BySeat, Seat};
use crate::state::State;
use crate::text::excerpt;

/// The record of a deal, one line of a `.jsonl` file. Replaying its actions gives the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Identifier of a rule set, or path of a rule file.
    pub rules: String,
    /// The dealer.
    pub dealer: Seat,
    /// The four hands as dealt, as in PBN: `N:S.H.D.C S.H.D.C S.H.D.C S.H.D.C`. A `-` is a hidden
    /// hand.
    pub deal: String,
    /// The dealer's last card, where the rule set turns it up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_up: Option<String>,
    /// Codes of the actions, in order.
    #[serde(default)]
    pub actions: Vec<String>,
    /// Match points before the deal, N E S W, each −100,000,000 to 100,000,000.
    #[serde(
        default,
        deserialize_with = "deserialize_totals",
        skip_serializing_if = "Option::is_none"
    )]
    pub scores_before: Option<[i32; 4]>,
    /// Fields that this version does not know; kept as they are.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The largest match total of a record: with the points of a deal it does not overflow.
const MAX_TOTAL: i32 = 100_000_000;

/// Reads match totals, which must lie within the range of [`MAX_TOTAL`].
fn deserialize_totals<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<[i32; 4]>, D::Error> {
    let totals = Option::<[i32; 4]>::deserialize(deserializer)?;
    let all = totals.iter().flatten();
    match all.copied().find(|total| !(-MAX_TOTAL..=MAX_TOTAL).contains(total)) {
        None => Ok(totals),
        Some(total) => Err(D::Error::custom(format!(
            "scores_before: {total} must be -{MAX_TOTAL} to {MAX_TOTAL}"
        ))),
    }
}

/// A contract as replays show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContractView {
    /// Kind.
    pub kind: ContractKind,
    /// Tricks to make; `None` for misères and piccolo.
    pub level: Option<u8>,
    /// Trumps, if any.
    pub trump: Option<Suit>,
    /// Seat letters in the order N E S W.
    pub declarers: String,
}

impl From<&Contract> for ContractView {
    fn from(contract: &Contract) -> ContractView {
        ContractView {
            kind: contract.kind,
            level: (contract.goal > 0).then_some(contract.goal),
            trump: contract.trump,
            declarers: contract.declarers.iter().map(Seat::letter).collect(),
        }
    }
}

/// Seat to act after the last action of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NextTurn {
    /// The seat to act.
    pub seat: Seat,
    /// The phase.
    pub phase: Phase,
    /// Codes of the legal actions.
    pub legal: Vec<String>,
}

/// Replay of a record, as `troel replay` prints it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Replay {
    /// Seat that acted at each step.
    pub seats: String,
    /// The phase of each step.
    pub phases: Vec<Phase>,
    /// The legal actions at each step, if asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal: Option<Vec<Vec<String>>>,
    /// The contract, if there is one yet.
    pub contract: Option<ContractView>,
    /// Tricks taken, N E S W.
    pub tricks: [u8; 4],
    /// Points, N E S W; `None` while the deal is unfinished.
    pub scores: Option<[i32; 4]>,
    /// Whether the deal was passed out: everybody passed. The name of the field is part of the
    /// format.
    pub void: bool,
    /// Seat to act next; `None` once the deal is over.
    pub next: Option<NextTurn>,
}

/// Code of an action whose content a seat may not see: a card laid aside.
pub const HIDDEN_ACTION: &str = "-";

fn codes(set: ActionSet) -> Vec<String> {
    set.iter().map(|a| a.to_string()).collect()
}

/// Returns the error message for a text that is not an action code.
fn unknown_code(code: &str) -> String {
    let shown = excerpt(code, 20);
    format!(
        "{shown:?} is not an action code: write a call such as pass, 8S or solo-6S, or a card such \
         as QD"
    )
}

impl Record {
    /// Returns the record of a deal before its first action.
    pub fn new(rules: &RuleSet, deal: &Deal) -> Record {
        Record {
            rules: rules.id().to_string(),
            dealer: deal.dealer,
            deal: deal.format_hands(),
            turn_up: deal.turn_up.map(|c| c.to_string()),
            actions: Vec::new(),
            scores_before: None,
            extra: Map::new(),
        }
    }

    /// Returns the full record of a deal in progress or finished. `scores_before` are the match
    /// points before the deal. Replaying it gives the same state again, in every phase.
    pub fn from_state(state: &State, scores_before: &BySeat<i32>) -> Record {
        let code = |action: Option<Action>| {
            action.map_or_else(|| HIDDEN_ACTION.to_string(), |action| action.to_string())
        };
        Record {
            actions: state.history().iter().map(|(_, action)| code(action)).collect(),
            scores_before: Some(scores_before.0),
            ..Record::new(state.rules(), &state.deal())
        }
    }

    /// Returns the deal of a full record, checked against the rule set.
    ///
    /// # Errors
    /// The hands are malformed, incomplete, unknown, or do not fit the rule set.
    pub fn full_deal(&self, rules: &RuleSet) -> Result<Deal, DealError> {
        let hands = deal::parse_four_hands(&self.deal)?;
        let read = |code: &String| {
            Card::parse(code).ok_or_else(|| DealError::UnreadableTurnUp(excerpt(code, 20)))
        };
        let turn_up = self.turn_up.as_ref().map(read).transpose()?;
        let turn_up = turn_up.filter(|_| rules.has_turn_up());
        let deal = Deal { dealer: self.dealer, hands, turn_up };
        deal.check(rules)?;
        Ok(deal)
    }

    /// Plays the record through, calling `visit` before each action.
    ///
    /// # Errors
    /// Gives the index of an action that is unknown or not legal.
    pub fn play(
        &self,
        rules: &'static RuleSet,
        mut visit: impl FnMut(&State, Action),
    ) -> Result<State, RecordError> {
        let mut state = State::new(rules, &self.full_deal(rules)?);
        for (at, code) in self.actions.iter().enumerate() {
            let error = |message| RecordError { message, at: Some(at) };
            let action = Action::parse(code, state.phase())
                .ok_or_else(|| error(format!("action {at}: {}", unknown_code(code))))?;
            let mut after = state;
            after.apply(action).map_err(|e| {
                let seat = state.turn().letter();
                error(if state.is_done() {
                    format!("action {at}: {e}")
                } else {
                    let legal = codes(state.legal_actions()).join(" ");
                    format!("action {at} by {seat}: {e}; legal: {legal}")
                })
            })?;
            visit(&state, action);
            state = after;
        }
        Ok(state)
    }

    /// Replays the record.
    ///
    /// # Errors
    /// See [`Record::play`].
    pub fn replay(&self, rules: &'static RuleSet, with_legal: bool) -> Result<Replay, RecordError> {
        let mut seats = String::new();
        let mut phases = Vec::new();
        let mut legal = with_legal.then(Vec::new);
        let state = self.play(rules, |state, _| {
            seats.push(state.turn().letter());
            phases.push(state.phase());
            if let Some(legal) = &mut legal {
                legal.push(codes(state.legal_actions()));
            }
        })?;
        let next = (!state.is_done()).then(|| NextTurn {
            seat: state.turn(),
            phase: state.phase(),
            legal: codes(state.legal_actions()),
        });
        Ok(Replay {
            seats,
            phases,
            legal,
            contract: state.contract().map(ContractView::from),
            tricks: state.tricks().0,
            scores: state.scores().map(|s| s.0),
            void: state.is_passed_out(),
            next,
        })
    }
}
