//! `troel page`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use troel_agents::registry::{self, ReleasedFor};
use troel_env::RuleSet;
use troel_nn::{BotInfo, Bundle, bundle};

use crate::commands::WeightsArg;
use crate::{commands, output};

/// Write a page that plays without a server
///
/// One HTML file with the bots inside (WebAssembly): open it in a browser, send it to a friend, or
/// put it on any web server. Only trained bots can be included. For each rule set, the first bot is
/// the opponent. A page for one rule set (--rules) loads fastest.
///
/// Example: troel page wiezen.html --rules wiezen
#[derive(clap::Args)]
pub struct Args {
    /// The file to write; it must not exist yet
    file: PathBuf,
    /// Trained bot, as for `troel eval`; may be repeated [default: the released bots for points]
    #[arg(long = "bot")]
    bots: Vec<String>,
    /// Only this rule set, or the rules of this file. The opponent is the first bot that plays them
    #[arg(long, value_name = "RULES")]
    rules: Option<String>,
    /// Number format of the weights in the page
    #[arg(long, value_enum, default_value = "f16")]
    weights: WeightsArg,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = args.file.display();
    anyhow::ensure!(!args.file.exists(), "{name} already exists; name a new file");
    let found = match &args.rules {
        Some(rules) => vec![bot_for(commands::rules(rules)?, &args.bots)?],
        None if args.bots.is_empty() => {
            registry::released_for_points().map(load).collect::<anyhow::Result<_>>()?
        }
        None => args.bots.iter().map(|bot| load(bot)).collect::<anyhow::Result<_>>()?,
    };
    let mut bots = Vec::new();
    for (path, bundle) in found {
        let rules = bundle.info.rule_set(&path)?;
        anyhow::ensure!(
            rules.has_full_deck(),
            "{} plays {}, whose deck has fewer than 13 ranks; the page cannot show it",
            path.display(),
            rules.id()
        );
        bots.push((bundle::short_name(&path), args.weights.apply(bundle)));
    }
    let text = troel_web::standalone(&bots)?;
    bundle::write_file(&args.file, text.as_bytes())?;
    output::line(&format!("{name}: {:.1} MB", text.len() as f64 / 1e6))?;
    Ok(ExitCode::SUCCESS)
}

/// Loads a trained bot, with the path that names it in errors.
fn load(bot: &str) -> anyhow::Result<(PathBuf, Bundle)> {
    registry::find_bundle(bot).context("only trained bots can be included in a page")
}

/// Returns the first of the bots that plays these rules. Without bots, this is the released bot of
/// the rule set, or else that for any rules.
fn bot_for(rules: &'static RuleSet, bots: &[String]) -> anyhow::Result<(PathBuf, Bundle)> {
    let purposes = [ReleasedFor::Points(rules.id()), ReleasedFor::AnyRules];
    let released = purposes.into_iter().filter_map(registry::released_for);
    let candidates: Vec<&str> = match bots {
        [] => released.collect(),
        bots => bots.iter().map(String::as_str).collect(),
    };
    let mut refusals = Vec::new();
    for bot in &candidates {
        let (path, mut bundle) = load(bot)?;
        if bundle.info.check_rules(&path, rules).is_ok() {
            // A bot for any rules plays those that its bundle names.
            bundle.info.set_rules(rules);
            return Ok((path, bundle));
        }
        refusals.push(refusal(bot, &bundle.info, rules));
    }
    anyhow::bail!(
        "no bot for {}: {}. Name a bot for any rules, such as --bot {}, or train a new one",
        rules.id(),
        refusals.join(", "),
        registry::ANY_RULES_BOT
    )
}

/// Returns the reason that a bot does not play these rules, phrased to stand in a list.
fn refusal(bot: &str, info: &BotInfo, rules: &RuleSet) -> String {
    if info.rules == rules.id() {
        format!("{bot} was trained before the points or options of {} changed", info.rules)
    } else {
        format!("{bot} plays {}", info.rules)
    }
}

#[cfg(test)]
mod tests {
    use troel_nn::NetworkConfig;

    use super::*;

    #[test]
    fn a_refusal_tells_changed_rules_from_others() {
        let [wiezen, iwwa] =
            ["wiezen", "iwwa"].map(|name| RuleSet::built_in(name).expect("built in"));
        let mut info = BotInfo::new(wiezen, NetworkConfig::default(), 1.0, 1);
        assert_eq!(refusal("a", &info, iwwa), "a plays wiezen");
        info.rules_hash = "0123456789abcdef".to_string();
        let changed = refusal("a", &info, wiezen);
        assert_eq!(changed, "a was trained before the points or options of wiezen changed");
    }
}
