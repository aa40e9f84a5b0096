//! Collection of training samples, in parallel chunks of tables.

mod collector;
mod open;
mod plan;
mod summary;

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use troel_agents::network::Choice;
use troel_agents::{Bot, NetworkBot, driver};
use troel_env::rng::{Purpose, Stream};
use troel_env::rules::DealMethod;

use self::collector::Collector;
use self::open::open_table;
pub use self::plan::{Baselines, Learner, Plan, TableKind, VineShares};
pub use self::summary::{Rollout, Summary};
use crate::defence;
pub use crate::error::CollectError;
use crate::vine;

/// Collects a rollout on all threads of the current pool; the result does not depend on their
/// number.
///
/// # Errors
/// A bot failed.
pub fn collect(plan: &Plan<'_>) -> Result<Rollout, CollectError> {
    collect_chunks(plan, 0..plan.chunks()).map(Chunks::merged)
}

/// Some chunks of a rollout.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Chunks {
    /// By number.
    parts: Vec<(u64, Rollout)>,
    /// Threads that collected them.
    pub threads: usize,
    /// Mean seconds of a thread for a whole chunk; NaN without any. Smaller chunks are not counted,
    /// because batches of any size have a fixed cost.
    pub seconds_per_chunk: f64,
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

/// Collects the chunks of these numbers: the part of a rollout of one of several processes.
///
/// # Errors
/// A bot failed.
pub(crate) fn collect_chunks(plan: &Plan<'_>, numbers: Range<u64>) -> Result<Chunks, CollectError> {
    let (groups, size) = (plan.groups(), plan.groups_of_chunk());
    let groups_of = |number: u64| number * size..(number * size + size).min(groups);
    let collect = |number| {
        if plan.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Ok((number, Rollout::default(), 0.0));
        }
        let start = Instant::now();
        let rollout = collect_chunk(plan, number, groups_of(number))?;
        Ok((number, rollout, start.elapsed().as_secs_f64()))
    };
    let collected: Vec<_> =
        numbers.clone().into_par_iter().map(collect).collect::<Result<_, CollectError>>()?;
    let is_whole = |&(number, _, _): &(u64, Rollout, f64)| groups_of(number).count() as u64 == size;
    let times: Vec<f64> =
        collected.iter().filter(|one| is_whole(one)).map(|&(_, _, seconds)| seconds).collect();
    Ok(Chunks {
        threads: rayon::current_num_threads(),
        seconds_per_chunk: times.iter().sum::<f64>() / times.len() as f64,
        parts: collected.into_iter().map(|(number, rollout, _)| (number, rollout)).collect(),
    })
}

fn collect_chunk(
    plan: &Plan<'_>,
    number: u64,
    groups: Range<u64>,
) -> Result<Rollout, CollectError> {
    // An iteration has fewer than 2²⁴ chunks: no two streams of a run coincide.
    let counter = plan.iteration << 24 | number;
    let mut stream = Stream::new(plan.seed, Purpose::Opponent, counter);
    let (mut tables, mut roles) = (Vec::new(), Vec::new());
    let deals = plan.deals_of_group();
    for group in groups {
        let first = (plan.iteration * plan.groups() + group) * deals;
        let rules = plan.house_rules.map_or(plan.rules, |house| house.draw(&mut stream));
        let series = if rules.spec().deal == DealMethod::Gather { deals } else { 1 };
        for first in (first..first + deals).step_by(series as usize) {
            let (table, role) = open_table(plan, rules, first, series, &mut stream);
            tables.push(table);
            roles.push(role);
        }
    }
    let seed = stream.bits();
    let learner: Box<dyn Bot> = match plan.learner {
        Learner::Network(evaluator) => {
            let stream = Stream::new(plan.seed, Purpose::Action, counter);
            let choice = match plan.defence_nodes {
                Some(_) => Choice::DrawnUnless(stream, defence::is_ending),
                None => Choice::Drawn(stream),
            };
            Box::new(NetworkBot::new(evaluator.clone(), choice, plan.reward_scale))
        }
        Learner::Bot(entry) => entry.instantiate(seed),
    };
    let mut bots = vec![learner];
    bots.extend(plan.opponents.iter().map(|entry| entry.instantiate(seed)));
    let mut collector = Collector::new(plan, roles, seed, counter);
    let played = driver::run(&mut tables, &mut bots, &mut collector);
    played.map_err(|stopped| plan.blame(stopped, collector.anchor_failed))?;
    let Collector { vines, mut vine_stream, mut rollout, .. } = collector;
    let (reward, scale) = (plan.reward, plan.reward_scale);
    vine::grow(vines, &mut rollout.samples, &mut bots, reward, scale, &mut vine_stream)
        .map_err(|stopped| plan.blame(stopped, false))?;
    Ok(rollout)
}
