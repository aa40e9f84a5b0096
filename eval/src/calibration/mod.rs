//! Calibration: a bot's predictions against outcomes, with four copies of it at a table.
//!
//! Two predictions are judged. The value that a bot gives with a decision should be the seat's mean
//! points at the end of the deal ([`values`]). The worlds that a searching bot samples should give
//! the hidden cards to their true holders as often as they can ([`cards`]).

mod cards;
mod estimate;
mod part;
mod settings;
mod table;
mod values;

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use troel_agents::NamedBot;
use troel_agents::driver::{Batch, Recorder};
use troel_agents::search::Beliefs;
use troel_env::{Deals, Seat, State, printable};

use crate::chunks::{chunks, play_chunks, self_play};
use crate::deal_range::DealRange;
use crate::error::EvalError;
use crate::progress::ProgressFn;
use crate::text_table::deals_with_unit;
pub use cards::{CardRow, CardSheet};
pub use part::DealPart;
pub use settings::CalibrationSettings;
pub use values::{Decile, ValueSheet, ValueSummary};

/// Calibration of one bot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Name of the bot.
    pub bot: String,
    /// Identity of the bot: a hash of its weights, or its name.
    pub identity: String,
    /// Rule set.
    pub rules: String,
    /// Hash of the rule set.
    pub rules_hash: String,
    /// Deals played.
    pub deals: u64,
    /// Seed.
    pub seed: u64,
    /// Predicted against achieved points; `None` if the bot gives no values.
    pub values: Option<ValueSheet>,
    /// Probabilities of the hidden cards; `None` if no position was asked for.
    pub cards: Option<CardSheet>,
}

impl Calibration {
    /// Formats the tables of a bot as text.
    pub fn table(&self) -> String {
        let mut out = format!(
            "{} · {} · seed {} · four copies of {}\n",
            printable(&self.rules),
            deals_with_unit(self.deals),
            self.seed,
            printable(&self.bot)
        );
        match &self.values {
            Some(values) => out += &table::values(values),
            None => out += "\nthis bot gives no values\n",
        }
        if let Some(cards) = &self.cards {
            out += &table::cards(cards);
        }
        out
    }
}

/// Predictions and scored cards of some deals.
#[derive(Default)]
struct Observed {
    values: Vec<values::Prediction>,
    cards: Vec<cards::ScoredCard>,
}

/// Plays deals with the bot in all four seats, and judges its predictions. They are its values, and
/// the worlds that `beliefs` sample.
///
/// # Errors
/// The bot failed, or no world fits a position.
pub fn measure_calibration(
    settings: &CalibrationSettings,
    bot: &NamedBot,
    beliefs: &Beliefs,
    progress: ProgressFn<'_>,
) -> Result<Calibration, EvalError> {
    let judged = settings.deals.first + settings.positions;
    let parts = play_chunks(&chunks(settings.deals), |range| {
        let mut observed = Observed::default();
        for (number, state) in play_range(settings, bot, range, &mut observed.values)? {
            if number < judged {
                let scored = cards::score(settings, &state, number, beliefs);
                let failed = |error| EvalError::Bot { name: bot.name().to_string(), error };
                observed.cards.extend(scored.map_err(failed)?);
            }
            progress(1.0);
        }
        Ok(observed)
    })?;
    let mut all = Observed::default();
    for part in parts {
        all.values.extend(part.values);
        all.cards.extend(part.cards);
    }
    Ok(Calibration {
        bot: bot.name().to_string(),
        identity: bot.identity().to_string(),
        rules: settings.rules.id().to_string(),
        rules_hash: settings.rules.hash().to_string(),
        deals: settings.deals.len(),
        seed: settings.seed,
        values: ValueSheet::of(&all.values),
        cards: CardSheet::of(&all.cards, settings.worlds),
    })
}

/// Plays deals with the bot in all seats, and adds its predictions. Returns the number and the end
/// of each deal.
fn play_range(
    settings: &CalibrationSettings,
    bot: &NamedBot,
    range: DealRange,
    predictions: &mut Vec<values::Prediction>,
) -> Result<Vec<(u64, State)>, EvalError> {
    let CalibrationSettings { rules, seed, .. } = *settings;
    let deals = Deals::for_evaluation(rules, seed);
    let mut seen = Seen { open: vec![Vec::new(); range.len() as usize] };
    let tables = self_play(&deals, range, bot, seed, &mut seen)?;
    let mut ends = Vec::new();
    for ((number, table), open) in range.numbers().zip(&tables).zip(seen.open) {
        let end = *table.session.state();
        let scores = end.scores().expect("a finished deal");
        let cluster = settings.cluster(number);
        predictions.extend(open.into_iter().map(|(seat, part, predicted)| values::Prediction {
            cluster,
            part,
            predicted: f64::from(predicted),
            achieved: f64::from(scores[seat]),
        }));
        ends.push((number, end));
    }
    Ok(ends)
}

/// Values that were given so far, table by table.
struct Seen {
    open: Vec<Vec<(Seat, DealPart, f32)>>,
}

impl Recorder for Seen {
    type Error = Infallible;

    fn decided(&mut self, batch: &Batch<'_>) -> Result<(), Infallible> {
        for ((&table, obs), decision) in
            batch.game_indices.iter().zip(batch.observations).zip(batch.decisions)
        {
            if let Some(value) = decision.value {
                let part = DealPart::of(obs.public());
                self.open[table].push((obs.seat(), part, value));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::{Arc, Mutex};

    use troel_agents::{Bot, BotError, Decision, DecisionDetail, Heuristic, decide};
    use troel_env::{Observation, RuleSet};

    use super::*;

    /// `rules`, with the points of the deal as its value once these are known.
    struct Oracle {
        known: Arc<Mutex<HashMap<u64, f32>>>,
    }

    impl Bot for Oracle {
        fn decide(
            &mut self,
            observations: &[Observation],
            detail: DecisionDetail,
        ) -> Result<Vec<Decision>, BotError> {
            let mut decisions = decide(&mut Heuristic, observations, detail)?;
            let known = self.known.lock().expect("a lock");
            for (decision, obs) in decisions.iter_mut().zip(observations) {
                decision.value = known.get(&obs.fingerprint()).copied();
            }
            Ok(decisions)
        }
    }

    fn settings(rules: &str, deals: u64, positions: u64) -> CalibrationSettings {
        let rules = RuleSet::built_in(rules).expect("built in");
        CalibrationSettings {
            rules,
            deals: DealRange::new(0, deals),
            positions,
            worlds: 16,
            seed: 5,
        }
    }

    /// Notes the points of the seat at each decision.
    fn learn(settings: &CalibrationSettings, known: &Mutex<HashMap<u64, f32>>) {
        let mut predictions = Vec::new();
        let bot = NamedBot::find("rules", settings.rules).expect("a bot");
        let ends = play_range(settings, &bot, settings.deals, &mut predictions).expect("played");
        assert!(predictions.is_empty(), "rules gives no values");
        for (_, end) in ends {
            for (state, seat, _) in end.steps() {
                let points = end.scores().expect("the end")[seat] as f32;
                let obs = state.observe(seat, Default::default());
                known.lock().expect("a lock").insert(obs.fingerprint(), points);
            }
        }
    }

    #[test]
    fn values_that_are_exact_are_calibrated() {
        for rules in ["luxembourg", "iwwa"] {
            let settings = settings(rules, 64, 0);
            let known = Arc::new(Mutex::new(HashMap::new()));
            learn(&settings, &known);
            let oracle =
                NamedBot::new("oracle", move |_| Box::new(Oracle { known: known.clone() }));
            let found =
                measure_calibration(&settings, &oracle, &Beliefs::Calls, &|_| ()).expect("played");
            assert!(found.cards.is_none());
            let values = found.values.expect("values");
            for summary in &values.parts {
                let part = summary.part.name();
                assert_eq!((summary.error.mean, summary.calibration_error), (0.0, 0.0), "{part}");
                assert!((summary.slope.mean - 1.0).abs() < 1e-9, "{part}: {summary:?}");
                assert!((summary.explained.mean - 1.0).abs() < 1e-9, "{part}: {summary:?}");
            }
            assert_eq!(values.deciles.len(), 20, "ten of the auction, ten of the play");
        }
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        let settings = settings("wiezen", 130, 70);
        let bot = NamedBot::find("rules", settings.rules).expect("a bot");
        let found = |threads: usize| {
            let pool =
                rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                measure_calibration(&settings, &bot, &Beliefs::Calls, &|_| ()).expect("played")
            })
        };
        let alone = found(1);
        assert_eq!(alone, found(3));
        assert!(alone.values.is_none(), "rules gives no values");
        let cards = alone.cards.expect("positions were judged");
        assert!(cards.parts.len() >= 4 && cards.parts[0].positions > 50, "{cards:?}");
    }

    /// Checks that the auction tells about the cards. Worlds weighted by calls do better than
    /// worlds that are not.
    #[test]
    fn calls_say_something_of_the_cards() {
        let base = settings("luxembourg", 120, 120);
        let settings = CalibrationSettings { worlds: 48, seed: 2, ..base };
        let bot = NamedBot::find("rules", settings.rules).expect("a bot");
        let found = measure_calibration(&settings, &bot, &Beliefs::Calls, &|_| ());
        let sheet = found.expect("played").cards.expect("positions");
        let all = &sheet.parts[0];
        assert!(all.belief.mean > all.consistent.mean, "{all:?}");
        let low = all.belief.mean - all.belief.half_width.expect("an interval");
        assert!(low > all.counts.mean, "{all:?}");
        let last = sheet.parts.last().expect("a row");
        assert!(last.counts.mean > 0.4, "few places are left at the end: {last:?}");
    }
}
