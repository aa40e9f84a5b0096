//! Checks that a bundle fits this program and the rules of a deal.

use std::path::Path;

use troel_env::features::RULE_FEATURE_VERSION;
use troel_env::{ACTION_VERSION, FEATURE_VERSION, N_ACTIONS, N_FEATURES, RuleSet};

use super::error::BundleError;
use super::info::BotInfo;
use super::layout::{F16_FORMAT_VERSION, FORMAT_VERSION, INFO_FILE, ONNX_FORMAT_VERSION};
use super::weight_format::WeightFormat;

/// Version of the layout without checksums, which is still read.
const FORMAT_WITHOUT_CHECKSUMS: u32 = 1;

impl BotInfo {
    /// Returns the rule set that the bot was trained for. `path` names the bundle in errors.
    ///
    /// # Errors
    /// The rules are neither built in nor in the bundle, or their hash has changed since training.
    pub fn rule_set(&self, path: &Path) -> Result<&'static RuleSet, BundleError> {
        let rules = match &self.house_rules {
            Some(spec) => RuleSet::from_spec(spec.clone(), "house_rules")
                .map_err(|error| BundleError::damaged(&path.join(INFO_FILE), error))?,
            None => RuleSet::built_in(&self.rules).ok_or_else(|| {
                let message = format!(
                    "rule set {} is neither built in nor in the bundle; give its rule file",
                    self.rules
                );
                BundleError::Mismatch { path: path.to_path_buf(), message }
            })?,
        };
        self.check_rules(path, rules)?;
        Ok(rules)
    }

    /// Checks that the bot was trained for a rule set, or plays any. `path` names the bundle in
    /// errors.
    ///
    /// # Errors
    /// The hashes differ. The message ends with the remedy "a bot for any rules".
    pub fn check_rules(&self, path: &Path, rules: &RuleSet) -> Result<(), BundleError> {
        if self.any_rules || self.rules_hash == rules.hash() {
            return Ok(());
        }
        let remedy = match self.house_rules {
            None if self.rules == rules.id() => {
                let changed = "its points or options have changed since";
                format!("{changed}; train a new bot, or use a bot for any rules")
            }
            None => format!(
                "use it with these rules (--rules {0}; in training --set rules={0}), or a bot for \
                 any rules",
                self.rules
            ),
            Some(_) => "use it with its rule file, or use a bot for any rules".to_string(),
        };
        let message = format!(
            "the bot was trained for rule set {} (hash {}), not for {} (hash {}): {remedy}",
            self.rules,
            self.rules_hash,
            rules.id(),
            rules.hash()
        );
        Err(BundleError::Mismatch { path: path.to_path_buf(), message })
    }

    /// Returns the version of the layout in which this program writes the bundle.
    pub(super) fn current_format(&self) -> u32 {
        match self.weight_format {
            _ if self.is_onnx() => ONNX_FORMAT_VERSION,
            WeightFormat::F32 => FORMAT_VERSION,
            WeightFormat::F16 => F16_FORMAT_VERSION,
        }
    }

    /// Returns whether the bundle was written with checksums, so that damage is noticed.
    pub fn has_checksums(&self) -> bool {
        self.format != FORMAT_WITHOUT_CHECKSUMS
    }

    /// Checks that this program supports the bundle's versions and network sizes.
    pub(super) fn check_versions(&self, path: &Path) -> Result<(), BundleError> {
        let format =
            if self.has_checksums() { self.current_format() } else { FORMAT_WITHOUT_CHECKSUMS };
        let rules = if self.network.rule_features { RULE_FEATURE_VERSION } else { 0 };
        let versions = [
            ("format", u64::from(self.format), u64::from(format)),
            ("observation_version", self.observation_version.into(), FEATURE_VERSION.into()),
            ("features", self.features as u64, N_FEATURES as u64),
            ("rule_feature_version", self.rule_feature_version.into(), rules.into()),
            ("action_version", self.action_version.into(), ACTION_VERSION.into()),
            ("actions", self.actions as u64, N_ACTIONS as u64),
        ];
        for (key, found, wanted) in versions {
            if found != wanted {
                let message = format!(
                    "{key} is {found}, but this program needs {wanted}; use the version of troel \
                     that wrote the bundle, or train a new bot"
                );
                return Err(BundleError::Mismatch { path: path.to_path_buf(), message });
            }
        }
        if self.is_onnx() {
            return Ok(());
        }
        self.network.check().map_err(|error| BundleError::damaged(&path.join(INFO_FILE), error))
    }
}
