//! Blocks of features that a network does not use.

use serde::{Deserialize, Serialize};
use troel_agents::registry::suggestion;
use troel_env::features::BLOCKS;

/// Set of feature blocks ([`BLOCKS`]); in a recipe, a list of their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct FeatureBlocks(u64);

const _: () = assert!(BLOCKS.len() <= u64::BITS as usize, "a set has one bit for each block");

impl FeatureBlocks {
    /// Returns whether the set is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0 == 0
    }

    fn has(self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// Sets the rows of these features to zero in the matrix `[inputs, hidden]` at the start of
    /// `values`. Its first inputs are the features.
    pub(crate) fn clear_rows(self, values: &mut [f32], hidden: usize) {
        let mut first = 0;
        for (index, block) in BLOCKS.iter().enumerate() {
            let rows = first..first + block.len;
            if self.has(index) {
                values[rows.start * hidden..rows.end * hidden].fill(0.0);
            }
            first = rows.end;
        }
    }
}

impl TryFrom<Vec<String>> for FeatureBlocks {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<FeatureBlocks, String> {
        let mut set = 0;
        for name in names {
            let Some(index) = BLOCKS.iter().position(|block| block.name == name) else {
                let blocks = BLOCKS.iter().map(|block| block.name);
                let suggestion = suggestion(&name, blocks);
                return Err(format!(
                    "unused_features: {name:?} is not a block of features.{suggestion} \
                     docs/concepts/features.md lists the blocks"
                ));
            };
            set |= 1 << index;
        }
        Ok(FeatureBlocks(set))
    }
}

impl From<FeatureBlocks> for Vec<String> {
    fn from(set: FeatureBlocks) -> Vec<String> {
        let named = BLOCKS.iter().enumerate().filter(|&(index, _)| set.has(index));
        named.map(|(_, block)| block.name.to_string()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_named_blocks_are_cleared() {
        let set = FeatureBlocks::try_from(vec!["KNOWN".into(), "PLAYED".into()]).unwrap();
        let mut values = vec![1.0; (troel_env::N_FEATURES + 1) * 2];
        set.clear_rows(&mut values, 2);
        // PLAYED has the features 52 to 259, KNOWN 312 to 467 (docs/concepts/features.md).
        for (i, value) in values.iter().enumerate() {
            let is_cleared = (52..260).contains(&(i / 2)) || (312..468).contains(&(i / 2));
            assert_eq!(*value == 0.0, is_cleared, "feature {}", i / 2);
        }
    }

    #[test]
    fn an_unknown_block_has_an_error_with_a_remedy() {
        let error = FeatureBlocks::try_from(vec!["trick".into()]).unwrap_err();
        assert!(error.contains("mean TRICK?"), "{error}");
    }
}
