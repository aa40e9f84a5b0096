//! `troel replay`.

use std::process::ExitCode;

use troel_env::Record;
use troel_eval::parse_json;

use crate::lines::{self, BadLine};
use crate::misspelt_keys;
use crate::record_rules::RulesFolder;

/// Replay game records under the rules and print every step
///
/// One JSON line in, one JSON line out: who acted at each step, the phases, the contract, the
/// tricks, the scores, and who acts next. A bad record yields {"line":…,"error":…,"at":…} and does
/// not stop the others; the exit status is then 1. `at` and the message count actions from 0.
///
/// Example: troel replay --legal games.jsonl
#[derive(clap::Args)]
pub struct Args {
    /// Also print the legal actions at every step
    #[arg(long)]
    legal: bool,
    /// Record files, one JSON object per line; - is standard input
    #[arg(required = true)]
    files: Vec<String>,
    #[command(flatten)]
    rules: RulesFolder,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut rules = args.rules.rule_sets();
    lines::answer(&args.files, |line| {
        let record: Record =
            parse_json(&line.bytes).map_err(|e| BadLine::new(format!("not a game record: {e}")))?;
        let rules = rules.find(&record.rules)?;
        misspelt_keys::warn(&line.place, &record, rules);
        let replay = record.replay(rules, args.legal)?;
        Ok(serde_json::to_string(&replay)?)
    })
}
