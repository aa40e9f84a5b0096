//! `troel rules`.

mod explain;
mod sentences;

use std::process::ExitCode;

use anyhow::bail;
use troel_configs::RULE_SETS;

use self::sentences::Sentences;
use crate::{commands, output};

/// Print a built-in rule file, or explain rules in words
///
/// Without options, prints the file of a built-in rule set, as a start for rules of your own.
/// Change the id, the description and the points. Every command with --rules takes the path of the
/// new file. docs/rules/house-rules.md explains the keys.
///
/// Examples:
///   troel rules wiezen > club.toml
///   troel rules club.toml --explain
///   troel rules club.toml --against wiezen
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Built-in rule set; with --explain or --against also the path of a rule file
    rules: String,
    /// Print the rules in words, to compare them with a printed sheet
    #[arg(long)]
    explain: bool,
    /// Print in words only what differs from this rule set or rule file
    // Its own identifier, because `against` completes bots in other commands.
    #[arg(long = "against", value_name = "RULES", conflicts_with = "explain")]
    other_rules: Option<String>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = if let Some(other) = &args.other_rules {
        let (rules, other) = (commands::rules(&args.rules)?, commands::rules(other)?);
        explain::compare(rules, other, &Sentences::english()?)
    } else if args.explain {
        explain::explain(commands::rules(&args.rules)?, &Sentences::english()?)
    } else {
        file(&args.rules)?.to_string()
    };
    output::text(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the file of a built-in rule set.
fn file(name: &str) -> anyhow::Result<&'static str> {
    if let Some((_, file)) = RULE_SETS.iter().find(|(known, _)| *known == name) {
        return Ok(file);
    }
    // A misspelt name and a bad file have errors of their own.
    commands::rules(name)?;
    bail!("{name:?} is a rule file, not a built-in rule set. Add --explain to put it in words");
}
