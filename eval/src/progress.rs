//! Progress of a long evaluation: the type of the callbacks, and the reports of a chunk of deals.

use std::convert::Infallible;

use troel_agents::driver::{BotTable, Recorder};

/// Callback that receives the amount of work done since its last call.
///
/// The unit is deals, unless the function that takes the callback names another. An amount is at
/// least 0 and may be a fraction. All amounts add up to the work of the function if that does not
/// end early. Several threads may call it at the same time.
pub type ProgressFn<'a> = &'a (dyn Fn(f64) + Sync);

/// Reports the progress of a chunk while its tables are played.
pub(crate) struct ChunkProgress<'a> {
    report: ProgressFn<'a>,
    /// Deals of the chunk.
    deals: f64,
    /// Deals reported so far.
    reported: f64,
}

impl<'a> ChunkProgress<'a> {
    /// Creates the progress of a chunk with this number of deals, none of which is played yet.
    pub(crate) fn new(report: ProgressFn<'a>, deals: u64) -> ChunkProgress<'a> {
        ChunkProgress { report, deals: deals as f64, reported: 0.0 }
    }

    /// Reports that this share of the chunk is played, 0 to 1.
    pub(crate) fn reach(&mut self, share: f64) {
        let done = self.deals * share;
        if done > self.reported {
            (self.report)(done - self.reported);
            self.reported = done;
        }
    }
}

impl Recorder for ChunkProgress<'_> {
    type Error = Infallible;

    fn moved(&mut self, tables: &[BotTable]) {
        let tricks = |table: &BotTable| {
            if table.session.is_deal_over() {
                u32::from(table.session.rules().cards_per_hand())
            } else {
                table.session.state().tricks().iter().map(|&n| u32::from(n)).sum::<u32>()
            }
        };
        let hand_size = |table: &BotTable| u32::from(table.session.rules().cards_per_hand());
        let (tricks, all) = tables
            .iter()
            .fold((0, 0), |(sum, all), table| (sum + tricks(table), all + hand_size(table)));
        self.reach(f64::from(tricks) / f64::from(all.max(1)));
    }
}
