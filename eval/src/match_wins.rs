//! Matches to the target of a rule set: share of matches won, not points per deal.

use std::ops::Range;

use serde_json::{Value, json};
use troel_agents::NamedBot;
use troel_agents::driver::{Batch, BotTable, Recorder, Seating};
use troel_env::{BySeat, Deals, Episode, Reward, RuleSet, Seat, Session, SessionConfig};

use crate::chunks::{finish_tables, play_chunks};
use crate::error::EvalError;
use crate::forfeits::Forfeits;
use crate::progress::ProgressFn;
use crate::statistics::ClusteredMean;

/// Matches per chunk. Fixed, so that results do not depend on the number of threads.
const MATCHES_PER_CHUNK: u64 = 16;

/// Maximum number of deals of a match. Bots that lose points as fast as they win them never reach
/// the target.
const MAX_DEALS_PER_MATCH: u64 = 1000;

/// Matches won by one challenger against three copies of the baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchWins {
    /// Share of each match that the challenger wins, minus a quarter. The seats with the highest
    /// total share the match equally. The value of a match is the mean over the four seats that the
    /// challenger takes in turn.
    pub share: ClusteredMean,
    /// Deals played, at all tables.
    pub deals: u64,
    /// Deals that challenger and baseline forfeited.
    pub forfeits: Forfeits,
}

impl MatchWins {
    /// Returns the share of the matches that the challenger wins, 0 to 1. It is a quarter among
    /// equal bots.
    pub fn won(&self) -> f64 {
        0.25 + self.share.mean()
    }

    /// Returns the mean number of deals of a match.
    pub fn deals_per_match(&self) -> f64 {
        self.deals as f64 / (4 * self.share.n).max(1) as f64
    }

    /// Returns the result as JSON, with the settings and the bots.
    pub fn json(
        &self,
        rules: &RuleSet,
        seed: u64,
        challenger: &NamedBot,
        baseline: &NamedBot,
    ) -> Value {
        let ci95 = self.share.interval().ends().map(|end| 0.25 + end);
        json!({
            "rules": rules.id(),
            "rules_hash": rules.hash(),
            "seed": seed,
            "challenger": challenger.name(),
            "challenger_id": challenger.identity(),
            "baseline": baseline.name(),
            "baseline_id": baseline.identity(),
            "matches": self.share.n,
            "won": self.won(),
            "ci95": ci95,
            "deals_per_match": self.deals_per_match(),
            "forfeits": self.forfeits,
        })
    }

    /// Formats the result as a line of text.
    pub fn line(&self, challenger: &str, baseline: &str) -> String {
        let percent = 100.0 * self.won();
        let margin = self.share.estimate().margin();
        let margin = margin.map_or(String::new(), |share| format!(" ± {:.2}", 100.0 * share));
        let matches = self.share.n;
        let verdict = match self.share.interval() {
            beyond_quarter if beyond_quarter.low > 0.0 => "more than a quarter",
            beyond_quarter if beyond_quarter.high < 0.0 => "less than a quarter",
            _ => "not significantly different from a quarter",
        };
        let mut line = format!(
            "{challenger} against three copies of {baseline}: wins {percent:.2}{margin} % of \
             {matches} matches in each seat, {verdict}; {:.1} deals per match",
            self.deals_per_match()
        );
        let lost = self.forfeits;
        let roles = [(challenger, lost.challenger), (baseline, lost.baseline)];
        for (name, forfeits) in roles {
            if forfeits > 0 {
                line += &format!("; {name} forfeited {forfeits} deals");
            }
        }
        line
    }
}

/// Plays the matches of an evaluation with these numbers. The challenger plays in each seat in turn
/// against three copies of the baseline, on the same source of deals. No two matches share deals.
/// `progress` counts matches.
///
/// # Errors
/// A bot failed, a match did not reach its end within 1,000 deals, or the rule set has no target.
pub fn play_matches(
    rules: &'static RuleSet,
    seed: u64,
    matches: Range<u64>,
    challenger: &NamedBot,
    baseline: &NamedBot,
    progress: ProgressFn<'_>,
) -> Result<MatchWins, EvalError> {
    if rules.spec().match_target == 0 {
        return Err(EvalError::NoTarget(rules.id().to_string()));
    }
    let end = matches.end;
    let chunks: Vec<Range<u64>> = matches
        .step_by(MATCHES_PER_CHUNK as usize)
        .map(|first| first..first.saturating_add(MATCHES_PER_CHUNK).min(end))
        .collect();
    let parts = play_chunks(&chunks, |chunk: Range<u64>| {
        let number = chunk.end - chunk.start;
        let played = play_chunk(rules, seed, chunk, challenger, baseline)?;
        progress(number as f64);
        Ok(played)
    })?;
    let mut total = MatchWins::default();
    for part in parts {
        total.share.merge(&part.share);
        total.deals += part.deals;
        total.forfeits += part.forfeits;
    }
    Ok(total)
}

fn play_chunk(
    rules: &'static RuleSet,
    seed: u64,
    matches: Range<u64>,
    challenger: &NamedBot,
    baseline: &NamedBot,
) -> Result<MatchWins, EvalError> {
    const CHALLENGER: usize = 0;
    const BASELINE: usize = 1;
    let config = SessionConfig {
        episode: Episode::Match,
        reward: Reward::Match,
        ..SessionConfig::default()
    };
    let deals = Deals::for_evaluation(rules, seed);
    let table = |n: u64, own: Seat| BotTable {
        session: Session::new(
            deals.clone(),
            config,
            n.saturating_mul(MAX_DEALS_PER_MATCH),
            Seat::dealer(n),
        ),
        seating: Seating::full(BySeat::from_fn(|s| if s == own { CHALLENGER } else { BASELINE })),
    };
    let mut tables: Vec<BotTable> =
        matches.flat_map(|n| Seat::ALL.map(|own| table(n, own))).collect();
    let bots = [challenger, baseline];
    let mut won = Won { bots, shares: vec![BySeat::default(); tables.len()], deals: 0 };
    let forfeits = finish_tables(&mut tables, bots, seed, &mut won)?.into();
    let mut found = MatchWins { deals: won.deals, forfeits, share: ClusteredMean::default() };
    for shares in won.shares.chunks(4) {
        let own = Seat::ALL.into_iter().zip(shares).map(|(seat, of)| f64::from(of[seat]));
        found.share.add(own.sum::<f64>() / 4.0);
    }
    Ok(found)
}

/// Winners of the matches, table by table.
struct Won<'a> {
    /// Challenger and baseline.
    bots: [&'a NamedBot; 2],
    /// Shares of the match less a quarter.
    shares: Vec<BySeat<f32>>,
    deals: u64,
}

impl Recorder for Won<'_> {
    type Error = EvalError;

    fn decided(&mut self, batch: &Batch<'_>) -> Result<(), EvalError> {
        let dealt = |&i: &usize| u64::from(batch.games[i].session.deals_dealt());
        if batch.game_indices.iter().any(|i| dealt(i) > MAX_DEALS_PER_MATCH) {
            let [challenger, baseline] = self.bots.map(|bot| bot.name().to_string());
            let deals = MAX_DEALS_PER_MATCH;
            return Err(EvalError::UnfinishedMatch { challenger, baseline, deals });
        }
        Ok(())
    }

    fn deal_over(&mut self, at: usize, table: &BotTable) {
        self.deals += 1;
        if let (true, Some(outcome)) = (table.session.is_over(), table.session.outcome()) {
            self.shares[at] = outcome.rewards;
        }
    }
}
