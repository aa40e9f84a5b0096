//! Step 4: a bot of your own, measured against a built-in bot.

use troel_agents::{Bot, BotError, Decision, DecisionDetail, NamedBot, find_rules, heuristic};
use troel_env::{Action, Observation, Phase};
use troel_eval::{DuplicateBots, DuplicateConfig, Report, play_duplicate};

/// Bids like the heuristic bot and always plays its lowest card.
struct Timid;

impl Bot for Timid {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        let choose = |obs: &Observation| {
            let lowest = obs.legal_actions().cards.iter().min_by_key(|card| card.rank());
            match lowest {
                Some(card) if obs.public().phase() == Phase::Play => Action::card(card),
                _ => heuristic::choose(obs),
            }
        };
        Ok(observations.iter().map(|o| Decision::sure(choose(o), detail)).collect())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rules = find_rules("wiezen")?;
    let timid = NamedBot::new("timid", |_seed| Box::new(Timid));
    let baseline = NamedBot::find("rules", rules)?;
    let config = DuplicateConfig::new(rules, 0..500, 1);
    let bots = DuplicateBots::full(&timid, &baseline);
    let result = play_duplicate(&config, bots, &|_| {})?;
    let mut report = Report::new(&config, "any");
    report.add(config.scope, bots, result, None);
    print!("{}", report.table());
    Ok(())
}
