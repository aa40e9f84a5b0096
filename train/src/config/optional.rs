//! Optional values in a recipe: `""` or 0 is `None`.

/// An optional text; `""` is `None`.
pub(super) mod empty_is_none {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        text: &Option<String>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(text.as_deref().unwrap_or_default())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<String>, D::Error> {
        Ok(Some(String::deserialize(deserializer)?).filter(|text| !text.is_empty()))
    }
}

/// An optional number; 0 is `None`.
pub(super) mod zero_is_none {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(
        number: &Option<u64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(number.unwrap_or_default())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<u64>, D::Error> {
        Ok(Some(u64::deserialize(deserializer)?).filter(|&number| number > 0))
    }
}

#[cfg(test)]
mod tests {
    use crate::config::TrainConfig;

    /// Stored recipes have these forms. A resumed run compares them with the current recipe.
    #[test]
    fn none_is_written_as_empty_or_zero() {
        let required = "rules = 'wiezen'\nrun = 'r'\niterations = 1";
        let config = TrainConfig::parse(required).expect("valid");
        assert_eq!((&config.init, &config.ppo.baseline_bot), (&None, &None));
        assert_eq!((config.ppo.baseline_iterations, config.tables[0].until), (None, None));
        let written = config.to_table().expect("TOML");
        assert_eq!(written["init"].as_str(), Some(""));
        assert_eq!(written["ppo"]["baseline_bot"].as_str(), Some(""));
        assert_eq!(written["ppo"]["baseline_iterations"].as_integer(), Some(0));
        assert_eq!(written["tables"][0]["until"].as_integer(), Some(0));
        assert_eq!(TrainConfig::parse(&written.to_string()).expect("valid"), config);
    }
}
