//! Exact values of small games: expected points, best responses and NashConv of any four policies.
//!
//! Small rule files (`ranks = "AK"`) have few enough deals to visit every history. [`nash_conv`]
//! weighs all deals equally and walks the tree of public events once. At each node it keeps the
//! deals that are still possible, with the probability that each seat contributes to reaching them.
//! So one walk gives the expected points of each seat and its best response to the three others.
//! That is backward induction over its information sets, weighted by chance and by the others'
//! probabilities.
//!
//! NashConv (Lanctot et al., "A Unified Game-Theoretic Approach to Multiagent Reinforcement
//! Learning", 2017) sums the seats' gains. The gain of a seat is that of changing alone to a best
//! response. NashConv is 0 for a Nash equilibrium and positive otherwise. That holds for
//! general-sum games with four players, too, such as rule files with `scoring = "table"`. With more
//! than two players, however, a policy of NashConv 0 guarantees nothing against others who leave
//! the equilibrium.
//!
//! Results do not depend on the number of threads.

mod deals;
mod error;
mod policy;
#[cfg(test)]
mod tests;
mod walk;

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;
use serde::Serialize;
use troel_agents::NamedBot;
use troel_env::{BySeat, RuleSet, Seat, printable};

pub use error::NashConvError;
pub use policy::{BestResponse, BotOutput};

use crate::progress::ProgressFn;
use policy::Policies;
use walk::{DealSums, Walk, WantedResponse};

/// Exact values of one seat.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeatValue {
    /// The seat. West deals.
    pub seat: Seat,
    /// Name of its bot.
    pub bot: String,
    /// Expected points of a deal.
    pub value: f64,
    /// Expected points of a best response to the other three.
    pub best_response: f64,
    /// Gain of the best response, 0 or more.
    pub gain: f64,
}

/// Exact values of four policies, in points per deal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NashConv {
    /// Identifier of the rule set.
    pub rules: String,
    /// Whether the points of a deal always add up to zero.
    pub zero_sum: bool,
    /// The seats, North first.
    pub seats: Vec<SeatValue>,
    /// Sum of the gains.
    pub nash_conv: f64,
    /// NashConv / 4: mean gain of a seat.
    pub exploitability: f64,
    /// Number of deals, all of the same probability. With a turn-up, each card of the dealer
    /// counts.
    pub deals: u64,
    /// Information sets with a choice that at most one seat must deviate to reach.
    pub information_sets: u64,
    /// Histories visited: deals times the ways that they end.
    pub histories: u64,
}

impl NashConv {
    /// Formats the values of the seats as text. `output` is the output of the bots that was judged,
    /// and `seconds` the time that it took.
    pub fn table(&self, output: BotOutput, seconds: f64) -> String {
        let sum = if self.zero_sum { "zero-sum" } else { "not zero-sum" };
        let mut out = format!(
            "{}: {} deals, {} information sets, {} histories, {seconds:.1} s; points are {sum}\n",
            self.rules, self.deals, self.information_sets, self.histories
        );
        let of = match output {
            BotOutput::Action => "likeliest actions",
            BotOutput::Policy => "policies",
        };
        let _ = writeln!(out, "points per deal of the bots' {of}:");
        let _ = writeln!(out, "seat      value  best response       gain  bot");
        for seat in &self.seats {
            let _ = writeln!(
                out,
                "{:<5} {:>9.4}      {:>9.4}  {:>9.4}  {}",
                format!("{:?}", seat.seat),
                seat.value,
                seat.best_response,
                seat.gain,
                printable(&seat.bot)
            );
        }
        let _ = writeln!(
            out,
            "NashConv {:.4} points per deal (four seats), exploitability {:.4} points per deal and \
             seat",
            self.nash_conv, self.exploitability
        );
        out
    }
}

/// Computes NashConv of four bots, one for each seat. `seed` determines the bots' random draws.
/// `progress` counts shares of the tree, which add up to 1.
///
/// # Errors
/// The game is too large or has a contract that cannot be handled, or a bot failed.
pub fn nash_conv(
    rules: &'static RuleSet,
    bots: &BySeat<NamedBot>,
    output: BotOutput,
    seed: u64,
    progress: ProgressFn<'_>,
) -> Result<NashConv, NashConvError> {
    let (deals, sums) = walk_game(rules, bots, output, seed, None, progress)?;
    let seats: Vec<SeatValue> = Seat::ALL
        .into_iter()
        .map(|seat| {
            let mean = |sum: f64| sum / deals as f64;
            let (value, best) = (mean(sums.value[seat]), mean(sums.best(seat)));
            // A best response is at least as good as the policy; sums of rounded products may
            // differ in the last digits.
            let gain = (best - value).max(0.0);
            SeatValue { seat, bot: bots[seat].name().into(), value, best_response: best, gain }
        })
        .collect();
    let nash_conv = seats.iter().map(|seat| seat.gain).sum::<f64>();
    Ok(NashConv {
        rules: rules.id().to_string(),
        zero_sum: rules.is_zero_sum(),
        seats,
        nash_conv,
        exploitability: nash_conv / 4.0,
        deals,
        information_sets: sums.information_sets,
        histories: sums.histories,
    })
}

/// Returns a bot that plays a best response of `seat` to the other three bots.
///
/// # Errors
/// As [`nash_conv`].
pub fn best_response(
    rules: &'static RuleSet,
    bots: &BySeat<NamedBot>,
    output: BotOutput,
    seed: u64,
    seat: Seat,
) -> Result<BestResponse, NashConvError> {
    let actions = Mutex::new(HashMap::new());
    let wanted = WantedResponse { seat, actions: &actions };
    walk_game(rules, bots, output, seed, Some(wanted), &|_| {})?;
    let actions = actions.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(BestResponse::new(actions))
}

/// Walks the whole tree. Returns the number of deals, and sums over them.
fn walk_game(
    rules: &'static RuleSet,
    bots: &BySeat<NamedBot>,
    output: BotOutput,
    seed: u64,
    wanted: Option<WantedResponse<'_>>,
    progress: ProgressFn<'_>,
) -> Result<(u64, DealSums), NashConvError> {
    deals::check(rules)?;
    let (hands, roots) = deals::roots(rules);
    let policies = Policies::new(bots, output, seed);
    let number = roots.iter().map(|root| root.deals.len() as u64).sum();
    let walk = Walk { hands: &hands, policies: &policies, wanted, progress };
    let share = 1.0 / roots.len().max(1) as f64;
    let parts: Result<Vec<DealSums>, _> =
        roots.par_iter().map(|root| walk.visit(root, share)).collect();
    Ok((number, parts?.into_iter().fold(DealSums::default(), DealSums::plus)))
}
