//! Errors of merging reports.

/// Why reports cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// No report was given.
    #[error("there is no report to merge: name the JSON files of an evaluation's shards")]
    Nothing,
    /// The reports are of different evaluations.
    #[error("the reports differ in {0}; only shards of one evaluation can be merged")]
    Differs(&'static str),
    /// A report is of a match that a sequential test ended.
    #[error(
        "a match that a sequential test ended cannot be merged with others: where it ended depends on its result"
    )]
    Sequential,
    /// A report has matches that a control corrected.
    #[error(
        "a match with --control cannot be merged with others: its correction is fitted to its own deals; play the shards \
         without --control"
    )]
    Controlled,
    /// A report does not hold together.
    #[error("a report has {found}: it is damaged or was changed by hand")]
    Damaged {
        /// Description of the fault.
        found: String,
    },
    /// The reports share deals.
    #[error("deals {0} to {1} are in more than one report")]
    Overlap(u64, u64),
    /// A shard is missing between others.
    #[error("no report has the deals {0} to {1}: add the shard that has them")]
    Gap(u64, u64),
}
