//! States as files: the record of the deal and its rule set, replayed when read.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::State;
use crate::error::SaveError;
use crate::record::Record;
use crate::rules::{RuleSet, reference};
use crate::seat::BySeat;

/// A state as it is serialised.
#[derive(Serialize, Deserialize)]
#[serde(rename = "State")]
struct SavedState {
    #[serde(with = "reference")]
    rules: &'static RuleSet,
    record: Record,
}

impl TryFrom<SavedState> for State {
    type Error = SaveError;
    fn try_from(saved: SavedState) -> Result<State, SaveError> {
        if saved.record.rules != saved.rules.id() {
            return Err(SaveError::Contradiction("the record names another rule set"));
        }
        Ok(saved.record.play(saved.rules, |_, _| {})?)
    }
}

/// Writes the record and the rule set.
impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut record = Record::from_state(self, &BySeat::default());
        record.scores_before = None;
        SavedState { rules: self.rules(), record }.serialize(serializer)
    }
}

/// Replays the record; an impossible one is an error that says where.
impl<'de> Deserialize<'de> for State {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<State, D::Error> {
        SavedState::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
    }
}
