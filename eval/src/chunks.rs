//! Parallel evaluation: deals are split into chunks, and each chunk is played by one task.

use rayon::prelude::*;
use troel_agents::NamedBot;
use troel_agents::driver::{self, BotTable, DriverError, Recorder, Seating};
use troel_env::{Deals, Session};

use crate::deal_range::DealRange;
use crate::error::EvalError;
use crate::series::deals_in;

/// Deals per chunk. Fixed, so that results do not depend on the number of threads. Chunks end at
/// its multiples, so a range of deals can be split at a multiple without changing any result.
pub const DEALS_PER_CHUNK: u64 = 64;

/// Splits a range of deals into chunks.
pub(crate) fn chunks(deals: DealRange) -> Vec<DealRange> {
    let end = deals.end.max(deals.first);
    (deals.first / DEALS_PER_CHUNK..end.div_ceil(DEALS_PER_CHUNK))
        .map(|n| {
            let first = n * DEALS_PER_CHUNK;
            let end = first.saturating_add(DEALS_PER_CHUNK).min(end);
            DealRange::new(first.max(deals.first), end)
        })
        .collect()
}

/// Plays chunks in parallel and returns their results in order.
///
/// # Errors
/// A chunk failed. The first failure in the order of chunks is returned, for any number of threads.
pub(crate) fn play_chunks<Chunk: Clone + Sync, T: Send>(
    chunks: &[Chunk],
    play: impl Fn(Chunk) -> Result<T, EvalError> + Sync,
) -> Result<Vec<T>, EvalError> {
    let parts: Vec<Result<T, EvalError>> =
        chunks.par_iter().map(|chunk| play(chunk.clone())).collect();
    parts.into_iter().collect()
}

/// Plays tables to their end and returns the forfeits of each bot. Bot `i` of the seatings is
/// `bots[i]`; its random draws have the seed `seed + i`.
///
/// # Errors
/// A bot failed, or the recorder stopped the tables.
pub(crate) fn finish_tables<const BOTS: usize, R: Recorder>(
    tables: &mut [BotTable],
    bots: [&NamedBot; BOTS],
    seed: u64,
    recorder: &mut R,
) -> Result<[u64; BOTS], EvalError>
where
    EvalError: From<R::Error>,
{
    let seeds = (0..).map(|i| seed.wrapping_add(i));
    let mut instances: Vec<_> =
        bots.iter().zip(seeds).map(|(bot, seed)| bot.instantiate(seed)).collect();
    driver::run(tables, &mut instances, recorder).map_err(|stopped| match stopped {
        DriverError::Bot { bot, error } => {
            EvalError::Bot { name: bots[bot].name().to_string(), error }
        }
        DriverError::Recorder(error) => error.into(),
    })?;
    Ok(std::array::from_fn(|i| instances[i].forfeits()))
}

/// Plays each deal of a range once per seating. Returns the finished tables (by deal, then by
/// seating) and the forfeits of each bot. Bots and seeds are as for [`finish_tables`].
///
/// # Errors
/// A bot failed, or the recorder stopped the tables.
pub(crate) fn play_seatings<const BOTS: usize, R: Recorder>(
    deals: &Deals,
    range: DealRange,
    seatings: &[Seating],
    bots: [&NamedBot; BOTS],
    seed: u64,
    recorder: &mut R,
) -> Result<(Vec<BotTable>, [u64; BOTS]), EvalError>
where
    EvalError: From<R::Error>,
{
    let dealt = deals_in(deals, range).map_err(EvalError::between_deals)?;
    let open =
        |deal, &seating| BotTable { session: Session::from_deal(deals.rules(), deal), seating };
    let mut tables: Vec<BotTable> =
        dealt.iter().flat_map(|deal| seatings.iter().map(move |s| open(deal, s))).collect();
    let forfeits = finish_tables(&mut tables, bots, seed, recorder)?;
    Ok((tables, forfeits))
}

/// Plays a range of deals with a bot in all four seats. Returns the finished tables in the order of
/// the deals. The random draws of the bot have the seed `seed`.
///
/// # Errors
/// A bot failed, or the recorder stopped the tables.
pub(crate) fn self_play<R: Recorder>(
    deals: &Deals,
    range: DealRange,
    bot: &NamedBot,
    seed: u64,
    recorder: &mut R,
) -> Result<Vec<BotTable>, EvalError>
where
    EvalError: From<R::Error>,
{
    let (tables, _) = play_seatings(deals, range, &[Seating::all(0)], [bot], seed, recorder)?;
    Ok(tables)
}
