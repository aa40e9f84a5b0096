//! `troel replay`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use troel_env::{Record, RuleSet};

/// Replay game records and print what the rules say of them
///
/// One JSON line in, one JSON line out: who acted at each step, the phases, the contract, the
/// tricks, the scores, and who acts next. A bad record yields {"line":…,"error":…,"at":…} and
/// the others still run; the exit status is then 1.
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
}

#[derive(Serialize)]
struct BadRecord {
    line: usize,
    error: String,
    at: Option<usize>,
}

/// Lines longer than this are refused; a record is a few kilobytes.
const LONGEST_LINE: u64 = 1 << 20;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut replayer = Replayer { legal: args.legal, rules: HashMap::new() };
    let mut all_good = true;
    for file in &args.files {
        let input: Box<dyn Read> = if file == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(file).with_context(|| file.clone())?)
        };
        all_good &= replayer.file(BufReader::new(input), &mut out, file)?;
    }
    out.flush()?;
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

struct Replayer {
    legal: bool,
    /// Rule sets met so far; files are read once.
    rules: HashMap<String, Result<&'static RuleSet, String>>,
}

impl Replayer {
    fn file(
        &mut self,
        mut input: impl BufRead,
        out: &mut impl Write,
        name: &str,
    ) -> anyhow::Result<bool> {
        let mut all_good = true;
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let read = input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
            if read.with_context(|| name.to_string())? == 0 {
                break;
            }
            let too_long = bytes.len() as u64 > LONGEST_LINE;
            if too_long && bytes.last() != Some(&b'\n') {
                input.skip_until(b'\n').with_context(|| name.to_string())?;
            }
            if !too_long && bytes.trim_ascii().is_empty() {
                continue;
            }
            let result = if too_long {
                Err((format!("the line is longer than {LONGEST_LINE} bytes"), None))
            } else {
                self.record(&bytes)
            };
            match result {
                Ok(text) => writeln!(out, "{text}")?,
                Err((error, at)) => {
                    all_good = false;
                    let bad = BadRecord { line, error, at };
                    writeln!(out, "{}", serde_json::to_string(&bad)?)?;
                }
            }
        }
        Ok(all_good)
    }

    fn record(&mut self, bytes: &[u8]) -> Result<String, (String, Option<usize>)> {
        let record: Record =
            serde_json::from_slice(bytes).map_err(|e| (format!("not a game record: {e}"), None))?;
        let rules = match self.rules.get(&record.rules) {
            Some(known) => known.clone(),
            None => {
                let found = troel_agents::find_rules(&record.rules);
                self.rules.insert(record.rules.clone(), found.clone());
                found
            }
        };
        let rules = rules.map_err(|e| (e, None))?;
        let replay = record.replay(rules, self.legal).map_err(|e| (e.message, e.at))?;
        serde_json::to_string(&replay).map_err(|e| (e.to_string(), None))
    }
}
