//! `troel rules`.

use std::process::ExitCode;

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use troel_configs::RULE_SETS;

use crate::output;

/// Print the file of a built-in rule set, as a start for rules of your own
///
/// Change the id, the description and the points. Every command with --rules takes the path of the
/// new file. docs/rules/house-rules.md explains the keys.
///
/// Example: troel rules wiezen > club.toml
#[derive(clap::Args)]
pub struct Args {
    /// Built-in rule set
    #[arg(value_parser = PossibleValuesParser::new(RULE_SETS.map(|(name, _)| name)))]
    rule_set: String,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let found = RULE_SETS.iter().find(|(name, _)| *name == args.rule_set);
    let (_, file) = found.with_context(|| format!("{}: not a built-in rule set", args.rule_set))?;
    output::text(file)?;
    Ok(ExitCode::SUCCESS)
}
