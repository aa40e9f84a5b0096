//! References to rule sets in saved states and sessions.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::compile::RuleSet;
use super::spec::Spec;
use crate::error::SaveError;
use crate::text::excerpt;

/// A rule set by identifier and hash; one that is not built in is written out.
#[derive(Serialize, Deserialize)]
struct Reference {
    id: String,
    hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    spec: Option<Spec>,
}

impl Reference {
    fn find(self) -> Result<&'static RuleSet, SaveError> {
        let rules = match self.spec {
            Some(spec) => RuleSet::from_spec(spec, &self.id)?,
            None => RuleSet::built_in(&self.id)
                .ok_or_else(|| SaveError::UnknownRules { id: excerpt(&self.id, 64) })?,
        };
        if rules.id() == self.id && rules.hash() == self.hash {
            return Ok(rules);
        }
        let (found, hash) = (rules.hash().to_string(), excerpt(&self.hash, 64));
        Err(SaveError::OtherRules { id: rules.id().to_string(), hash, found })
    }
}

pub(crate) fn serialize<S: Serializer>(
    rules: &&'static RuleSet,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let spec = rules.custom_spec().cloned();
    Reference { id: rules.id().to_string(), hash: rules.hash().to_string(), spec }
        .serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<&'static RuleSet, D::Error> {
    Reference::deserialize(deserializer)?.find().map_err(D::Error::custom)
}
