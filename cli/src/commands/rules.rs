//! `troel rules`.

use std::process::ExitCode;

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
    output::text(found.map_or("", |(_, file)| file))?;
    Ok(ExitCode::SUCCESS)
}
