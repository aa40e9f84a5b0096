//! Losses of bots in the decisions of a corpus.

use std::collections::BTreeMap;
use std::fmt::Write;

use rayon::prelude::*;
use serde_json::{Value, json};
use troel_agents::{DecisionDetail, NamedBot, PointsEstimate, decide};
use troel_env::{Action, Observation, RuleSet, Scenario};

use super::types::{CorpusDecision, CorpusInfo};
use crate::error::EvalError;
use crate::series::{DEALS_PER_SERIES, is_gathered};
use crate::statistics::{ClusteredMean, Estimate};
use crate::text_table::column_width;

/// Loss of a bot's choices in the positions of a corpus, in points of the deal per decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DecisionLosses {
    /// In the auction and the choice of trumps.
    pub calls: ClusteredMean,
    /// In card play, discards, exchanges and answers.
    pub cards: ClusteredMean,
}

/// Returns each bot's losses, and their differences to the first bot's on the same positions.
///
/// The choice of one search is valued by the other, so that no choice is valued in the worlds that
/// it was made in. The loss of a choice is the second search's value of the first search's best
/// action, minus its value of the choice. The same is done with the searches exchanged, and the
/// mean of both counts. It is below zero where a bot chooses better than the search. Intervals are
/// clustered by deal, by series of deals where these come from one deck.
///
/// `progress` is called with the place of a bot among `bots` and a number of further decisions that
/// it has made; 0 when it begins.
///
/// # Errors
/// A bot failed.
pub fn measure_losses(
    rules: &RuleSet,
    decisions: &[CorpusDecision],
    bots: &[NamedBot],
    seed: u64,
    progress: &(dyn Fn(usize, f64) + Sync),
) -> Result<Vec<[DecisionLosses; 2]>, EvalError> {
    let mut all: Vec<Vec<f64>> = Vec::new();
    for (place, bot) in bots.iter().enumerate() {
        progress(place, 0.0);
        let parts: Vec<Result<Vec<f64>, EvalError>> = decisions
            .par_chunks(64)
            .map(|decisions| {
                let failed = |error| EvalError::Bot { name: bot.name().to_string(), error };
                let observations: Vec<Observation> =
                    decisions.iter().map(|d| d.observation).collect();
                let chosen =
                    decide(bot.instantiate(seed).as_mut(), &observations, DecisionDetail::Action)
                        .map_err(failed)?;
                progress(place, decisions.len() as f64);
                Ok(decisions.iter().zip(chosen).map(|(d, c)| loss(d, c.action)).collect())
            })
            .collect();
        let mut own = Vec::with_capacity(decisions.len());
        for part in parts {
            own.extend(part?);
        }
        all.push(own);
    }
    // Deals from one deck follow from each other.
    let cluster = if is_gathered(rules, Scenario::Any) { DEALS_PER_SERIES } else { 1 };
    let sum = |values: &dyn Fn(usize) -> f64, of_calls: bool| {
        let mut clusters: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for (p, decision) in decisions.iter().enumerate() {
            if decision.observation.public().phase().is_bidding() == of_calls {
                clusters.entry(decision.number / cluster).or_default().push(values(p));
            }
        }
        let mut sum = ClusteredMean::default();
        clusters.iter().for_each(|(&n, values)| sum.add_series(n, values.len() as u64, values));
        sum
    };
    let calls_and_cards = |values: &dyn Fn(usize) -> f64| DecisionLosses {
        calls: sum(values, true),
        cards: sum(values, false),
    };
    Ok(all
        .iter()
        .map(|own| [calls_and_cards(&|p| own[p]), calls_and_cards(&|p| own[p] - all[0][p])])
        .collect())
}

impl DecisionLosses {
    /// Returns the losses of a bot and their differences to the first bot's as JSON.
    pub fn json(bot: &NamedBot, [own, beyond]: &[DecisionLosses; 2]) -> Value {
        let sum = |sum: &ClusteredMean| {
            let Estimate { mean, half_width } = sum.estimate();
            json!({"decisions": sum.n, "points": mean, "half_width": half_width})
        };
        json!({
            "bot": bot.name(),
            "calls": sum(&own.calls),
            "cards": sum(&own.cards),
            "beyond_first": {"calls": sum(&beyond.calls), "cards": sum(&beyond.cards)},
        })
    }

    /// Formats the losses of bots, as [`measure_losses`] returns them, as a table.
    pub fn table(info: &CorpusInfo, bots: &[NamedBot], found: &[[DecisionLosses; 2]]) -> String {
        let numbers = found.first().map_or([0, 0], |[own, _]| [own.calls.n, own.cards.n]);
        let mut out = format!(
            "{} · {} calls, {} other decisions · two sets of {} worlds · points given away \
             per decision\n",
            info.rules, numbers[0], numbers[1], info.worlds
        );
        let width = column_width(bots.iter().map(NamedBot::name), 10);
        let heads = ["calls", "cards", "calls beyond first", "cards beyond first"];
        let heads: String = heads.iter().map(|head| format!("  {head:<18}")).collect();
        let _ = writeln!(out, "{:<width$}{}", "bot", heads.trim_end());
        for (i, (bot, [own, beyond])) in bots.iter().zip(found).enumerate() {
            let sums = [&own.calls, &own.cards, &beyond.calls, &beyond.cards];
            let shown = if i == 0 { 2 } else { 4 };
            let cell = |sum: &&ClusteredMean| sum.estimate().text(3);
            let cells: String =
                sums.iter().take(shown).map(|sum| format!("  {:<18}", cell(sum))).collect();
            let _ = writeln!(out, "{:<width$}{}", bot.name(), cells.trim_end());
        }
        out
    }
}

/// Returns the loss of a choice, in points of the deal.
pub(super) fn loss(decision: &CorpusDecision, chosen: Action) -> f64 {
    let one_way = |by: usize, other: usize| {
        // Both searches choose the first of equals.
        let better = |best: usize, i: usize| {
            let points = |i: usize| decision.estimates[i].1[by].points;
            if points(i) > points(best) { i } else { best }
        };
        let best = (0..decision.estimates.len()).fold(0, better);
        let points = |estimate: &(Action, [PointsEstimate; 2])| f64::from(estimate.1[other].points);
        let of_choice = decision.estimates.iter().find(|(action, _)| *action == chosen);
        let of_choice = of_choice.expect("estimates hold every legal action");
        points(&decision.estimates[best]) - points(of_choice)
    };
    (one_way(0, 1) + one_way(1, 0)) / 2.0
}
