//! Errors of merging reports.

use crate::deal_range::DealRange;
use crate::forfeits::TooManyForfeits;

/// Numbers of a report that do not agree with each other, phrased to follow "a report has".
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ReportError {
    /// A range of deals is empty or too far out.
    #[error("the range of deals {0}")]
    Range(DealRange),
    /// The ranges do not have the number of deals.
    #[error("{deals} deals, but ranges of {in_ranges}")]
    Deals {
        /// Number of deals of the report.
        deals: u64,
        /// Number of deals in its ranges.
        in_ranges: u64,
    },
    /// A comparison has another number of deals than the report.
    #[error("a comparison of {found} deals, but {deals} deals in all")]
    ComparisonDeals {
        /// Number of deals of the comparison.
        found: u64,
        /// Number of deals of the report.
        deals: u64,
    },
    /// The sums over clusters of deals are inconsistent.
    #[error("inconsistent sums of clusters")]
    Clusters,
    /// The points or their interval are not those of the sums.
    #[error("{points:+.2} points per deal, but sums of {sums:+.2}")]
    Points {
        /// Points per deal of the comparison.
        points: f64,
        /// Points per deal by its sums.
        sums: f64,
    },
    /// There are more forfeits than seats.
    #[error(transparent)]
    Forfeits(#[from] TooManyForfeits),
    /// The control played too many deals.
    #[error("a control of {0} deals")]
    Control(u64),
    /// The points of the contracts are not those of the sums.
    #[error("contracts that add up to {contracts:+.2} points per deal, but sums of {sums:+.2}")]
    ContractPoints {
        /// Points per deal by the contracts.
        contracts: f64,
        /// Points per deal by the sums.
        sums: f64,
    },
    /// A contract was made more often than played, or has too many points.
    #[error("contract {key:?} at {seats} seats, made at {made}, for {points} points")]
    Contract {
        /// Contract and role.
        key: String,
        /// Number of seats.
        seats: u64,
        /// Number of seats that made it.
        made: u64,
        /// Total points.
        points: i64,
    },
    /// The contracts do not have four seats in each deal.
    #[error("contracts of {seats} seats, but four in each of {deals} deals")]
    Seats {
        /// Number of seats by the contracts.
        seats: u128,
        /// Number of deals.
        deals: u64,
    },
    /// The regret is of more cards than this number of deals has.
    #[error("regret of more cards or tricks than {0} deals have")]
    Regret(u64),
}

/// Reason that reports cannot be merged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MergeError {
    /// No report was given.
    #[error("there is no report to merge: name the JSON files of an evaluation's shards")]
    Nothing,
    /// The reports are of different evaluations.
    #[error("the reports differ in {0}; only shards of one evaluation can be merged")]
    Differs(&'static str),
    /// A report has a comparison that a sequential test ended.
    #[error(
        "a comparison that a sequential test ended cannot be merged: the deal at which it ended \
         depends on its result; pass its report alone"
    )]
    Sequential,
    /// A report has comparisons that a control corrected.
    #[error(
        "a comparison with --control cannot be merged: its correction is fitted to its own deals; \
         play the shards without --control"
    )]
    Controlled,
    /// The numbers of a report do not agree with each other.
    #[error("a report has {0}: it is damaged or was changed by hand; evaluate its deals again")]
    Damaged(#[from] ReportError),
    /// The reports share deals.
    #[error("the deals {0} are in more than one report: leave one of the reports out")]
    Overlap(DealRange),
    /// A shard is missing between others.
    #[error("no report has the deals {0}: add the shard that has them")]
    Gap(DealRange),
}
