//! `MODEL_CARD.md`: description, training, results and limits of a trained bot.

use std::fmt::Write as _;
use std::iter;

use troel_env::{RuleSet, printable};
use troel_nn::{BotInfo, Bundle};
use troel_train::TrainConfig;
use troel_train::config::{AnchorBot, Opponent, TableConfig};

/// Returns the card of a bot for a rule set, as Markdown.
pub fn text(loaded: &Bundle, rules: &RuleSet) -> String {
    let info = &loaded.info;
    let network = info.network;
    let mut text = format!(
        "# A troel bot for {rules}\n\n\
         Plays the auction and the cards of {description}. {trained_for}\n\n\
         ## Use\n\n\
         - troel: the folder is a bot. Give its path wherever a command takes a bot.\n\
         - `model.onnx`: inputs `features` [batch, {features}] (f32, observation version {observation}) and `mask` \
         [batch, {actions}] (bool, true for legal actions, action version {action}){suits}; outputs `policy` (probabilities) \
         and `value` ({value}).\n\
         - `golden.json`: observations with the bot's outputs, to test your own program.\n\
         - `play.html`: open it in a browser and play against the bot; it needs no server.\n\
         - `troel.mjs`, `troel.wasm`: the bot in JavaScript, for pages and Node; the first lines say how.\n\n\
         ## Training\n\n\
         {training}{deals} deals, {steps} decisions, {minutes:.0} minutes{cores}, seed {seed}. Network {hidden} wide, \
         {blocks} residual block(s), {weights} weights. The recipe is in `bot.toml`.\n\n\
         ## Evaluation\n\n",
        value = if info.value_in_points {
            "expected points of the deal for the seat"
        } else {
            "hundredths by which the deal is expected to change the seat's share of a match"
        },
        suits = if network.canonical_suits {
            ", and `suits` [batch, 1] (i64, from the command `features` of the bot protocol)"
        } else {
            ""
        },
        rules = markdown(&info.rules),
        trained_for = if info.any_rules {
            format!(
                "It was trained under many rule sets, whose rules are part of its input, and is exported for {} (hash {}); \
                 `troel export --rules FILE` exports it for others.",
                code(&info.rules),
                code(&info.rules_hash)
            )
        } else {
            format!(
                "It was trained for rule set {} (hash {}) and for no other; other house rules need another bot.",
                code(&info.rules),
                code(&info.rules_hash)
            )
        },
        training = training(loaded),
        description = markdown(&rules.spec().description),
        features = network.inputs(),
        observation = info.observation_version,
        actions = info.actions,
        action = info.action_version,
        deals = info.deals,
        steps = info.steps,
        minutes = info.train_seconds / 60.0,
        cores = match info.core_seconds {
            None => String::new(),
            Some(seconds) => format!(" ({:.2} core-hours)", seconds / 3600.0),
        },
        seed = info.seed,
        hidden = network.hidden,
        blocks = network.blocks,
        weights = network.weight_count(),
    );
    text += &results(info);
    text += &limits(info);
    text
}

/// Returns the tables of the bot's evaluations and of its answers to problems.
fn results(info: &BotInfo) -> String {
    let mut text = String::new();
    let under = |rules: &str| match rules {
        rules if rules.is_empty() || rules == info.rules => String::new(),
        rules => format!(" under {}", code(rules)),
    };
    if info.evaluation.is_empty() {
        text += "None yet: run `troel eval`.\n";
    } else {
        text += "Points per deal minus the baseline's on the same deals and seats (95 % confidence interval):\n\n\
                 | against | what | points | interval | deals |\n|---|---|---|---|---|\n";
    }
    for e in &info.evaluation {
        let [low, high] = e.ci95;
        let _ = writeln!(
            text,
            "| {}{} | {} | {:+.2} | {low:+.2} to {high:+.2} | {} |",
            code(&e.baseline),
            under(&e.rules),
            markdown(&e.scope),
            e.points_per_deal,
            e.deals
        );
    }
    if !info.problems.is_empty() {
        text += "\nProblems with known answers (docs/problems.md), points lost per problem (95 % confidence interval):\n\n\
                 | suite | problems | solved | points lost | interval |\n|---|---|---|---|---|\n";
    }
    for found in &info.problems {
        let [low, high] = found.ci95;
        let _ = writeln!(
            text,
            "| {}{} | {} | {:.0} % | {:.2} | {low:.2} to {high:.2} |",
            code(&found.suite),
            under(&found.rules),
            found.problems,
            100.0 * found.solved,
            found.lost
        );
    }
    text
}

/// Returns the section on the limits of the bot.
fn limits(info: &BotInfo) -> String {
    let mut text = String::from(
        "\n## Limits\n\n\
         It uses only the information of its seat, and keeps no memory between deals. It was \
         measured against the bots above, not against people. It is weakest in rare contracts.",
    );
    if !info.value_in_points {
        text += " It was rewarded for winning matches, not for points.";
    }
    text += if !info.match_totals {
        " Match totals were always zero in training; it ignores them.\n"
    } else if info.value_in_points {
        " It was rewarded for points, regardless of the match totals.\n"
    } else {
        "\n"
    };
    text
}

/// Describes the training of a bot, in sentences generated from its recipe.
fn training(loaded: &Bundle) -> String {
    let recipe = toml::Value::Table(loaded.info.training.clone());
    let Ok(config) = recipe.try_into::<TrainConfig>() else { return String::new() };
    let mut text = String::new();
    let _ = match (&config.start, &config.init) {
        (Some(start), _) => write!(text, "From a bot of the recipe {}: ", code(&start.recipe)),
        (None, Some(init)) => write!(text, "From the bot {}: ", code(init)),
        (None, None) => Ok(()),
    };
    if let Some(imitation) = &config.imitation {
        let _ = write!(
            text,
            "{} iterations of imitation of {}, then ",
            imitation.iterations,
            code(&imitation.bot)
        );
    }
    let _ = write!(text, "{} iterations of PPO with ", config.iterations);
    text += &advantages(&config);
    if let Some(anchor) = &config.anchor {
        text += ", calls kept close to those of ";
        text += &match &anchor.bot {
            AnchorBot::Init => "the bot that it starts from".to_string(),
            AnchorBot::Bot(bot) => code(bot),
        };
    }
    if config.defence.is_some() {
        text += ", lessons from the solver in the defence of open misères";
    }
    if let Some(lessons) = &config.bid_lessons {
        text += match lessons.worlds {
            0 => ", lessons in calls that a hand is certain to make",
            _ => {
                ", lessons in calls that a hand is certain to make and in bids that rollouts find \
                 best"
            }
        };
    }
    if config.vine.is_some() {
        text += ", rollouts of all plausible calls in some auctions";
    }
    if let Some(house) = &config.house_rules {
        let named = [vec![config.rules.clone()], house.others.clone()].concat().join(", ");
        let _ = write!(text, ", under {}", markdown(&named));
        if house.drawn > 0 {
            let share = 100.0 * house.share;
            let _ = write!(
                text,
                " and, at {share:.0} % of the tables, {} rule sets drawn at random around each",
                house.drawn
            );
        }
    }
    text += &tables(&config);
    text += ". ";
    if loaded.info.network.canonical_suits {
        text += "In card play the network reads suits in a canonical order. ";
    }
    let decay = config.ppo.ema_decay;
    if decay > 0.0 {
        let _ = write!(text, "Its weights are averages over the last steps (decay {decay}). ");
    }
    text
}

/// Describes the estimates of advantages of a recipe.
fn advantages(config: &TrainConfig) -> String {
    let ppo = &config.ppo;
    let own = match config.critic {
        Some(_) => "a critic that sees all hands",
        None => "the value head",
    };
    match &ppo.baseline_bot {
        None => format!("advantages over {own} (λ {})", ppo.gae_lambda),
        Some(bot) => {
            let lambda = ppo.baseline_lambda.unwrap_or(ppo.gae_lambda);
            let over = format!("advantages over deals that {} plays on (λ {lambda})", code(bot));
            match ppo.baseline_iterations {
                None => over,
                Some(n) => {
                    format!("{over} for {n} iterations, then over {own} (λ {})", ppo.gae_lambda)
                }
            }
        }
    }
}

/// Describes the tables of a recipe. Tables that begin or end during the training are listed phase
/// by phase.
fn tables(config: &TrainConfig) -> String {
    let mut text = String::new();
    let tables = &config.tables;
    let mut starts: Vec<u64> =
        tables.iter().flat_map(|t| iter::once(t.from).chain(t.until)).collect();
    starts.push(0);
    starts.retain(|&start| start < config.iterations.max(1));
    starts.sort_unstable();
    starts.dedup();
    for &start in &starts {
        let open: Vec<&TableConfig> = tables.iter().filter(|t| t.is_open(start)).collect();
        let total: f32 = open.iter().map(|table| table.weight).sum();
        let share = |table: &TableConfig| 100.0 * table.weight / total;
        let kinds = open.iter().map(|table| format!("{:.0} % {}", share(table), seating(table)));
        let from =
            if start > 0 { format!(" from iteration {start} of PPO on") } else { String::new() };
        let _ = write!(text, ". Tables{from}: {}", kinds.collect::<Vec<_>>().join(", "));
    }
    text
}

fn seating(table: &TableConfig) -> String {
    let learners = ["no seat learns", "one seat learns", "two seats learn", "three seats learn"];
    match (&table.opponent, table.learners as usize) {
        (Opponent::Learner, _) | (_, 4..) => "self-play of all four seats".to_string(),
        (Opponent::Past, n) => format!("where {} among past selves", learners[n]),
        (Opponent::Bot(bot), n) => format!("where {} among {}", learners[n], code(bot)),
    }
}

/// Returns text with the characters escaped that Markdown and HTML give a meaning.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '&' => out += "&amp;",
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '|' | '~' | '!' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    // A bare address would become a link.
    out.replace("://", ":&#47;/").replace("www.", "www&#46;").replace('@', "&#64;")
}

/// Returns text as a Markdown code span, also for a table, where a bar would end the cell.
fn code(text: &str) -> String {
    let text = printable(text).replace('|', "\\u007c");
    // The fence is longer than any run of backticks within.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if longest > 0 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_follow_from_the_recipe() {
        let path = std::path::Path::new("../checkpoints/luxembourg-v5");
        let mut bundle = Bundle::load(path).unwrap();
        let config = TrainConfig::load(std::path::Path::new("quickstart")).unwrap();
        bundle.info.training = toml::Table::try_from(config).unwrap();
        let words = training(&bundle);
        for said in [
            "25 iterations of imitation of `rules`, then 280 iterations of PPO",
            "over deals that `rules` plays on (λ 0.8)",
            "100 % where one seat learns among `rules`",
        ] {
            assert!(words.contains(said), "{said}: {words}");
        }
        let config = TrainConfig::load(std::path::Path::new("champion")).unwrap();
        bundle.info.training = toml::Table::try_from(config).unwrap();
        let words = training(&bundle);
        for said in [
            "From a bot of the recipe `quickstart`: 1600 iterations of PPO",
            "calls kept close to those of the bot that it starts from",
            "50 % self-play of all four seats",
            "20 % where two seats learn among past selves",
            "30 % where two seats learn among `rules`",
            "lessons from the solver in the defence of open misères, lessons in calls that a hand is certain to make",
        ] {
            assert!(words.contains(said), "{said}: {words}");
        }
        let config =
            TrainConfig::parse("rules = 'iwwa'\nrun = 'r'\niterations = 9\ninit = 'iwwa-v2'");
        bundle.info.training = toml::Table::try_from(config.unwrap()).unwrap();
        let words = training(&bundle);
        assert!(words.starts_with("From the bot `iwwa-v2`: 9 iterations of PPO"), "{words}");
        let recipe = "rules = 'luxembourg'\nrun = 'r'\niterations = 90\n[ppo]\nbaseline_bot = 'rules'\nbaseline_lambda = 0.5\n\
                      baseline_iterations = 40\nema_decay = 0.5\n[[tables]]\nopponent = 'rules'\nweight = 1.0\nuntil = 50\n\
                      [[tables]]\nopponent = 'self'\nweight = 3.0\nfrom = 20";
        let config = TrainConfig::parse(recipe).unwrap();
        bundle.info.training = toml::Table::try_from(config).unwrap();
        bundle.info.network.canonical_suits = true;
        let words = training(&bundle);
        for said in [
            "plays on (λ 0.5) for 40 iterations, then over the value head (λ 0.95)",
            "Tables: 100 % where one seat learns among `rules`",
            "from iteration 20 of PPO on: 25 % where one seat learns among `rules`, 75 % self-play",
            "from iteration 50 of PPO on: 100 % self-play",
            "a canonical order",
            "decay 0.5",
        ] {
            assert!(words.contains(said), "{said}: {words}");
        }
        let recipe = "rules = 'luxembourg'\nrun = 'r'\niterations = 90\nnetwork.rule_features = true\n\
                      house_rules = { others = ['iwwa'], drawn = 3, share = 0.25 }";
        bundle.info.training = toml::Table::try_from(TrainConfig::parse(recipe).unwrap()).unwrap();
        let words = training(&bundle);
        let said = "under luxembourg, iwwa and, at 25 % of the tables, 3 rule sets drawn at random around each";
        assert!(words.contains(said), "{words}");
        bundle.info.training = toml::Table::new();
        bundle.info.network.canonical_suits = false;
        assert_eq!(training(&bundle), "");
    }

    /// A rule file's description, and the names of bots in a recipe, come from elsewhere.
    #[test]
    fn foreign_text_is_only_text() {
        let hostile = "<script>alert(1)</script> [x](http://e.example) `a` |b| **c** ![d](e)";
        let path = std::path::Path::new("../checkpoints/luxembourg-v5");
        let mut bundle = Bundle::load(path).unwrap();
        let mut spec = RuleSet::built_in("luxembourg").unwrap().spec().clone();
        spec.description = hostile.to_string();
        spec.id = "club_of_us".to_string();
        let rules = RuleSet::from_spec(spec, "club").unwrap();
        bundle.info.set_rules(rules);
        for result in &mut bundle.info.evaluation {
            result.baseline = format!("bot:{hostile}");
            result.scope = "a|b\n\n# c".to_string();
            result.rules.clear();
        }
        let card = text(&bundle, rules);
        assert!(card.starts_with("# A troel bot for club\\_of\\_us\n"), "{card}");
        assert!(
            card.contains("&lt;script&gt;alert(1)&lt;/script&gt; \\[x\\](http:&#47;/e.example)"),
            "{card}"
        );
        let rows: Vec<&str> = card.lines().filter(|line| line.contains("bot:")).collect();
        assert_eq!(rows.len(), bundle.info.evaluation.len());
        assert!(!rows.is_empty());
        for row in rows {
            let cells = row.replace("\\|", "").matches('|').count();
            assert_eq!(cells, 6, "{row}");
            assert!(row.starts_with("| `` bot:<script>") && row.contains(" `` |"), "{row}");
        }
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(code("plain"), "`plain`");
    }
}
