//! Several processes that train one network together.
//!
//! All processes (ranks) hold the same weights and the same samples. Each rank collects some chunks
//! of the deals and computes some shards of each gradient, and all ranks receive all results. Each
//! chunk has a separate random stream, and shards are added in a fixed order. So the weights are
//! bit-identical to those of one process for any number of ranks.

use std::fmt;

/// Ranks that work together. All call the same methods in the same order; each call waits for the
/// others.
pub trait Collective: Send + Sync {
    /// Returns the number of this rank, from 0.
    fn rank(&self) -> usize;

    /// Returns the number of ranks, at least 1.
    fn size(&self) -> usize;

    /// Returns the bytes of all ranks, in the order of ranks. `own` are the bytes of this rank.
    ///
    /// # Errors
    /// Another rank cannot be reached.
    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError>;

    /// Waits for all ranks, without a timeout.
    ///
    /// # Errors
    /// Another rank cannot be reached.
    fn wait(&self) -> Result<(), CollectiveError> {
        self.all_gather(&[]).map(|_| ())
    }

    /// Sends bytes to a partner, and returns the `wanted` bytes that it sends. The partner calls
    /// this with this rank's number.
    ///
    /// # Errors
    /// The other rank cannot be reached.
    fn exchange(
        &self,
        partner: usize,
        own: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, CollectiveError>;
}

/// Reason that ranks cannot work together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CollectiveError {
    /// A rank cannot be reached.
    #[error(
        "another process of the training cannot be reached: {0}. Start all processes again with \
         --resume"
    )]
    Lost(String),
    /// A message from a rank cannot be read.
    #[error(
        "a message of process {rank} cannot be read: {reason}. Start all processes with the same \
         build of troel"
    )]
    Unreadable {
        /// The rank.
        rank: usize,
        /// Reason.
        reason: String,
    },
    /// Ranks with other recipes.
    #[error(
        "process {rank} has another recipe than process 0: {keys}; start all processes with the \
         same recipe"
    )]
    Recipe {
        /// The rank.
        rank: usize,
        /// The keys that differ, with the values at ranks 0 and `rank`.
        keys: String,
    },
    /// Ranks that do not fit together.
    #[error(
        "process {rank} has another {what} than process 0 ({theirs}, not {ours}); start all \
         processes with the same program, recipe and files"
    )]
    Differs {
        /// The rank.
        rank: usize,
        /// Name of the value that differs.
        what: &'static str,
        /// Its value there.
        theirs: String,
        /// Its value at rank 0.
        ours: String,
    },
}

/// A single process.
pub struct SingleProcess;

impl Collective for SingleProcess {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        Ok(vec![own.to_vec()])
    }

    fn exchange(&self, _: usize, own: &[u8], _: usize) -> Result<Vec<u8>, CollectiveError> {
        Ok(own.to_vec())
    }
}

impl dyn Collective + '_ {
    /// Returns whether this is the rank that writes files and messages.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Returns whether `own` is true at any rank.
    ///
    /// # Errors
    /// Another rank cannot be reached.
    pub fn any(&self, own: bool) -> Result<bool, CollectiveError> {
        Ok(self.all_gather(&[u8::from(own)])?.iter().any(|said| said == &[1]))
    }

    /// Checks that all ranks have the same value. `what` names it in the error message.
    ///
    /// # Errors
    /// A rank has another value, or cannot be reached.
    pub fn agree(&self, what: &'static str, own: impl fmt::Display) -> Result<(), CollectiveError> {
        let all = self.all_gather(own.to_string().as_bytes())?;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match all.iter().position(|other| *other != all[0]) {
            None => Ok(()),
            Some(rank) => Err(CollectiveError::Differs {
                rank,
                what,
                theirs: text(&all[rank]),
                ours: text(&all[0]),
            }),
        }
    }
}
