//! `troel rules`.

mod explain;
mod sentences;

use std::process::ExitCode;

use anyhow::Context;
use troel_configs::RULE_SETS;
use troel_env::RuleSet;

use self::sentences::Sentences;
use crate::{commands, output};

/// Print a built-in rule file, or explain rules in words
///
/// Without options, prints the file of a built-in rule set, as a start for rules of your own. Change
/// the id, the description and the points. Every command with --rules takes the path of the new
/// file. docs/rules/house-rules.md explains the keys.
///
/// Examples:
///   troel rules wiezen > club.toml
///   troel rules club.toml --explain
///   troel rules club.toml --against wiezen
#[derive(clap::Args)]
pub struct Args {
    /// Built-in rule set; with --explain or --against also the path of a rule file
    rule_set: String,
    /// Print the rules in words, to compare them with a printed sheet
    #[arg(long)]
    explain: bool,
    /// Print in words only what differs from this rule set or rule file
    #[arg(long, value_name = "RULES", conflicts_with = "explain")]
    against: Option<String>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = if let Some(other) = &args.against {
        let (rules, other) = (commands::rules(&args.rule_set)?, commands::rules(other)?);
        explain::compare(rules, other, &Sentences::english()?)
    } else if args.explain {
        explain::explain(commands::rules(&args.rule_set)?, &Sentences::english()?)
    } else {
        file(&args.rule_set)?.to_string()
    };
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of a built-in rule set.
fn file(name: &str) -> anyhow::Result<&'static str> {
    let found = RULE_SETS.iter().find(|(known, _)| *known == name);
    let (_, file) = found.with_context(|| {
        let known = RuleSet::built_in_names().collect::<Vec<_>>().join(", ");
        format!(
            "{name:?} is not a built-in rule set. Use {known}, or add --explain to explain a file"
        )
    })?;
    Ok(file)
}
