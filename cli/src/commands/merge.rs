//! `troel merge`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;
use troel_eval::{Report, parse_json};

use crate::report;

/// Join reports of `troel eval --json` on parts of the same deals
///
/// The reports must be of the same rules, seed, bots and weights, on consecutive ranges of deals
/// (`troel eval --deals 0..500`, then `--deals 500..1000`). The result is the same as that of one
/// evaluation of all deals.
///
/// Example: troel merge part-1.json part-2.json
#[derive(clap::Args)]
pub struct Args {
    /// Reports of `troel eval --json`
    #[arg(required = true, num_args = 1..)]
    files: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Also print how often each contract was made in each role, as for `troel eval`
    #[arg(long)]
    contracts: bool,
}

/// Largest report that is read, in bytes.
const MAX_REPORT_BYTES: u64 = 64 << 20;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    join(&args.files, args.json, args.contracts)
}

/// Merges the reports in these files and prints the result.
pub fn join(files: &[String], json: bool, contracts: bool) -> anyhow::Result<ExitCode> {
    let mut reports: Vec<Report> = Vec::new();
    for file in files {
        let text = troel_files::read_text(Path::new(file), MAX_REPORT_BYTES)
            .with_context(|| file.clone())?;
        let report = parse_json(text.as_bytes())
            .with_context(|| format!("{file} is not a report of `troel eval --json`"))?;
        reports.push(report);
    }
    report::show(&Report::merge(&reports)?, json, contracts)?;
    Ok(ExitCode::SUCCESS)
}
