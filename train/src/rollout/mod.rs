//! Collection of training samples, in parallel chunks of tables.
//!
//! `open` seats bots at tables, and `collector` records their decisions as samples with targets:
//!
//! - `advantage` estimates advantages over a `baseline`.
//! - `vine` tries all plausible calls of some auctions.
//! - `defence` has lessons from the solver. The lessons of the auction are in `collector`.

mod advantage;
mod baseline;
mod collector;
mod defence;
mod open;
mod settings;
mod summary;
mod vine;

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::driver::{self, BotTable};
use troel_agents::network::ActionSelection;
use troel_agents::{Bot, NetworkBot};
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::DealMethod;

use self::collector::Collector;
use self::open::{RecordingSettings, open_table};
pub use self::settings::{
    AdvantageSettings, BaselineSource, CollectSettings, DealSettings, LessonSettings,
    RecordedPlayer, TableKind, TableSettings,
};
pub use self::summary::{DealSummary, Rollout};
use crate::error::CollectError;

/// Collects a rollout on all threads of the current pool. The result does not depend on their
/// number.
///
/// # Errors
/// A bot failed.
pub fn collect(settings: &CollectSettings<'_>) -> Result<Rollout, CollectError> {
    collect_chunks(settings, 0..settings.chunks()).map(Chunks::merged)
}

/// Some chunks of a rollout.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Chunks {
    /// Rollouts of the chunks, with their numbers.
    parts: Vec<(u64, Rollout)>,
    /// Number of threads that collected them.
    pub threads: usize,
    /// Mean seconds of a thread for a whole chunk. `None` without whole chunks: smaller ones are
    /// not counted, because batches of any size have a fixed cost.
    pub seconds_per_chunk: Option<f64>,
}

impl Chunks {
    /// Adds chunks of another process.
    pub fn add(&mut self, others: Chunks) {
        self.parts.extend(others.parts);
    }

    /// Returns the rollout of these chunks, in the order of their numbers.
    pub fn merged(mut self) -> Rollout {
        self.parts.sort_by_key(|&(number, _)| number);
        let mut rollout = Rollout::default();
        for (_, part) in self.parts {
            rollout.samples.extend(part.samples);
            rollout.ordinary.merge(&part.ordinary);
            rollout.scenarios.merge(&part.scenarios);
        }
        rollout
    }
}

/// Collects the chunks of these numbers: one process's part of a rollout.
///
/// # Errors
/// A bot failed.
pub(crate) fn collect_chunks(
    settings: &CollectSettings<'_>,
    numbers: Range<u64>,
) -> Result<Chunks, CollectError> {
    let (groups, size) = (settings.deals.groups(), settings.groups_per_chunk());
    let groups_of = |number: u64| number * size..(number * size + size).min(groups);
    let collect = |number| {
        if settings.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Ok((number, Rollout::default(), 0.0));
        }
        let start = Instant::now();
        let rollout = collect_chunk(settings, number, groups_of(number))?;
        Ok((number, rollout, start.elapsed().as_secs_f64()))
    };
    let collected: Vec<_> =
        numbers.into_par_iter().map(collect).collect::<Result<_, CollectError>>()?;
    let is_whole = |&(number, _, _): &(u64, Rollout, f64)| groups_of(number).count() as u64 == size;
    let times: Vec<f64> =
        collected.iter().filter(|one| is_whole(one)).map(|&(_, _, seconds)| seconds).collect();
    let seconds_per_chunk =
        (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
    Ok(Chunks {
        threads: rayon::current_num_threads(),
        seconds_per_chunk,
        parts: collected.into_iter().map(|(number, rollout, _)| (number, rollout)).collect(),
    })
}

/// Collects the deals of these groups.
fn collect_chunk(
    settings: &CollectSettings<'_>,
    number: u64,
    groups: Range<u64>,
) -> Result<Rollout, CollectError> {
    let counter = settings.chunk_in_run(number);
    let mut stream = Stream::new(settings.deals.seed, Purpose::Opponent, counter);
    let (mut tables, recordings) = open_tables(settings, groups, &mut stream);
    let bot_seed = stream.bits();
    let mut bots = vec![learner(settings, bot_seed, counter)];
    bots.extend(settings.tables.opponents.iter().map(|bot| bot.instantiate(bot_seed)));
    let mut collector = Collector::new(settings, number, recordings, bot_seed);
    let played = driver::run(&mut tables, &mut bots, &mut collector);
    played.map_err(|stopped| settings.collect_error(stopped))?;
    collector.finish(&mut bots).map_err(|stopped| settings.collect_error(stopped))
}

/// Opens the tables of these groups of deals.
fn open_tables(
    settings: &CollectSettings<'_>,
    groups: Range<u64>,
    stream: &mut Stream,
) -> (Vec<BotTable>, Vec<RecordingSettings>) {
    let (mut tables, mut recordings) = (Vec::new(), Vec::new());
    let deals = settings.deals.deals_per_group();
    for group in groups {
        let first = (settings.deals.iteration * settings.deals.groups() + group) * deals;
        let rules =
            settings.deals.rule_set_pool.map_or(settings.deals.rules, |pool| pool.draw(stream));
        let series = if rules.spec().deal == DealMethod::Gather { deals } else { 1 };
        for first in (first..first + deals).step_by(series as usize) {
            let (table, recording) = open_table(settings, rules, first, series, stream);
            tables.push(table);
            recordings.push(recording);
        }
    }
    (tables, recordings)
}

/// Returns the learner of a chunk.
fn learner(settings: &CollectSettings<'_>, bot_seed: u64, counter: u64) -> Box<dyn Bot> {
    match settings.tables.recorded_player {
        RecordedPlayer::Learner(evaluator) => {
            let stream = Stream::new(settings.deals.seed, Purpose::Action, counter);
            let choice = match settings.lessons.defence_nodes {
                Some(_) => ActionSelection::SampledUnless(stream, defence::is_ending),
                None => ActionSelection::Sampled(stream),
            };
            let points_per_value = Some(settings.advantages.reward_scale);
            Box::new(NetworkBot::new(evaluator.clone(), choice, points_per_value))
        }
        RecordedPlayer::Teacher(bot) => bot.instantiate(bot_seed),
    }
}
