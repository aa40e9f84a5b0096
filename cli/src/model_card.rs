//! `MODEL_CARD.md`: what a trained bot is, how it was trained, its results and its limits.

use std::fmt::Write as _;

use troel_env::RuleSet;
use troel_nn::Bundle;
use troel_train::TrainConfig;
use troel_train::config::TableConfig;

/// The card of a bot for a rule set, as Markdown.
pub fn text(loaded: &Bundle, rules: &RuleSet) -> String {
    let info = &loaded.info;
    let network = info.network;
    let mut text = format!(
        "# A troel bot for {rules}\n\n\
         Plays the auction and the cards of {description}. It was trained for rule set `{rules}` (hash \
         `{hash}`) and for no other; other house rules need another bot.\n\n\
         ## Use\n\n\
         - troel: the folder is a checkpoint; give its path wherever a bot is named.\n\
         - `model.onnx`: inputs `features` [batch, {features}] (f32, observation version {observation}) and `mask` \
         [batch, {actions}] (bool, true for legal actions, action version {action}); outputs `policy` (probabilities) \
         and `value` (expected points of the deal for the seat).\n\
         - `golden.json`: observations with the bot's outputs, to test your own program.\n\
         - `play.html`: open it in a browser and play against the bot; it needs no server.\n\
         - `troel.mjs`, `troel.wasm`: the bot in JavaScript, for pages and Node; the first lines say how.\n\n\
         ## Training\n\n\
         {training}{deals} deals, {steps} decisions, {minutes:.0} minutes, seed {seed}. Network {hidden} wide, \
         {blocks} residual block(s), {weights} weights. The recipe is in `bot.toml`.\n\n\
         ## Evaluation\n\n",
        rules = info.rules,
        training = training(loaded),
        description = rules.spec().description,
        hash = info.rules_hash,
        features = info.features,
        observation = info.observation_version,
        actions = info.actions,
        action = info.action_version,
        deals = info.deals,
        steps = info.steps,
        minutes = info.train_seconds / 60.0,
        seed = info.seed,
        hidden = network.hidden,
        blocks = network.blocks,
        weights = network.len(),
    );
    if info.evaluation.is_empty() {
        text += "None yet: run `troel eval`.\n";
    } else {
        text += "Points per deal minus the baseline's on the same deals and seats (95 % confidence interval):\n\n\
                 | against | what | points | interval | deals |\n|---|---|---|---|---|\n";
        for e in &info.evaluation {
            let [low, high] = e.ci95;
            let _ = writeln!(
                text,
                "| `{}` | {} | {:+.2} | {low:+.2} to {high:+.2} | {} |",
                e.baseline, e.scope, e.points_per_deal, e.deals
            );
        }
    }
    text += "\n## Limits\n\n\
             It sees what its seat may see and remembers nothing from one deal to the next. It was measured against the bots above, \
             not against people; it is weakest in rare contracts.";
    text += match info.match_totals {
        true => " It was rewarded for points, whatever the score of the match.\n",
        false => " Match totals were always zero in training, and it is blind to them.\n",
    };
    text
}

/// How a bot was trained, as a sentence generated from its recipe.
fn training(loaded: &Bundle) -> String {
    let recipe = toml::Value::Table(loaded.info.training.clone());
    let Ok(config) = recipe.try_into::<TrainConfig>() else { return String::new() };
    let mut text = String::new();
    if let Some(imitation) = &config.imitation {
        let _ = write!(
            text,
            "{} iterations of imitation of `{}`, then ",
            imitation.iterations, imitation.bot
        );
    }
    let _ = write!(text, "{} iterations of PPO with ", config.iterations);
    match config.ppo.critic.as_str() {
        "" => text += "advantages over the value head",
        bot => {
            let _ = write!(text, "advantages over deals that `{bot}` plays on");
        }
    }
    let _ = write!(text, " (λ {}). Tables: ", config.ppo.gae_lambda);
    let total: f32 = config.tables.iter().map(|table| table.weight).sum();
    let kinds = config.tables.iter().map(|table| {
        let share = 100.0 * table.weight / total;
        format!("{share:.0} % {}", seating(table))
    });
    text += &kinds.collect::<Vec<_>>().join(", ");
    text += ". ";
    text
}

fn seating(table: &TableConfig) -> String {
    let learners = ["no seat learns", "one seat learns", "two seats learn", "three seats learn"];
    match (table.opponent.as_str(), table.learners as usize) {
        ("self", _) | (_, 4..) => "self-play of all four seats".to_string(),
        ("past", n) => format!("where {} among past selves", learners[n]),
        (bot, n) => format!("where {} among `{bot}`", learners[n]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_follow_from_the_recipe() {
        let path = std::path::Path::new("../checkpoints/luxembourg-v1");
        let mut bundle = Bundle::load(path).unwrap();
        let words = training(&bundle);
        for said in [
            "80 iterations of imitation of `rules`, then 300 iterations of PPO",
            "over deals that `rules` plays on (λ 0.8)",
            "70 % where one seat learns among `rules`",
            "20 % where two seats learn among past selves",
            "10 % self-play of all four seats",
        ] {
            assert!(words.contains(said), "{said}: {words}");
        }
        bundle.info.training = toml::Table::new();
        assert_eq!(training(&bundle), "");
    }
}
