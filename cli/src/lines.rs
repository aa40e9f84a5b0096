//! One JSON line in, one JSON line out; a bad line yields an error line, and the others still run.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;

use anyhow::Context;
use serde::Serialize;
use troel_env::RuleSet;
use troel_env::error::RulesError;
use troel_env::record::RecordError;

/// Lines longer than this are refused; a record is a few kilobytes.
const LONGEST_LINE: u64 = 1 << 20;

/// What is wrong with a line.
pub struct BadLine {
    message: String,
    /// Index into `actions` of the faulty action, if it is one.
    at: Option<usize>,
}

impl BadLine {
    /// An error of the line as a whole.
    pub fn new(message: impl Into<String>) -> BadLine {
        BadLine { message: message.into(), at: None }
    }

    /// An error of one of its actions, with the index of that action.
    pub fn at(message: impl Into<String>, at: usize) -> BadLine {
        BadLine { message: message.into(), at: Some(at) }
    }
}

impl From<RecordError> for BadLine {
    fn from(error: RecordError) -> BadLine {
        BadLine { message: error.message, at: error.at }
    }
}

impl From<serde_json::Error> for BadLine {
    fn from(error: serde_json::Error) -> BadLine {
        BadLine::new(error.to_string())
    }
}

#[derive(Serialize)]
struct ErrorLine {
    line: usize,
    error: String,
    at: Option<usize>,
}

/// Rule sets read so far, by name or path; each file is read once.
#[derive(Default)]
pub struct RuleSets(HashMap<String, Result<&'static RuleSet, RulesError>>);

impl RuleSets {
    /// The rule set of a name or path.
    pub fn find(&mut self, name: &str) -> Result<&'static RuleSet, BadLine> {
        let found = match self.0.get(name) {
            Some(known) => known.clone(),
            None => {
                let found = troel_agents::find_rules(name);
                self.0.insert(name.to_string(), found.clone());
                found
            }
        };
        found.map_err(|error| BadLine::new(error.to_string()))
    }
}

/// Writes an answer to every line of the files (`-`: standard input) to standard output. Exit status 1 if a line was
/// bad.
pub fn answer(
    files: &[String],
    mut answer: impl FnMut(&[u8]) -> Result<String, BadLine>,
) -> anyhow::Result<ExitCode> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut all_good = true;
    for file in files {
        let input: Box<dyn Read> = if file == "-" {
            Box::new(std::io::stdin())
        } else {
            Box::new(File::open(file).with_context(|| file.clone())?)
        };
        let mut input = BufReader::new(input);
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            let read = input.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
            if read.with_context(|| file.clone())? == 0 {
                break;
            }
            let too_long = bytes.len() as u64 > LONGEST_LINE;
            if too_long && bytes.last() != Some(&b'\n') {
                input.skip_until(b'\n').with_context(|| file.clone())?;
            }
            if !too_long && bytes.trim_ascii().is_empty() {
                continue;
            }
            let result = if too_long {
                Err(BadLine::new(format!("the line is longer than {LONGEST_LINE} bytes")))
            } else {
                answer(&bytes)
            };
            match result {
                Ok(text) => writeln!(out, "{text}")?,
                Err(BadLine { message: error, at }) => {
                    all_good = false;
                    writeln!(out, "{}", serde_json::to_string(&ErrorLine { line, error, at })?)?;
                }
            }
        }
    }
    out.flush()?;
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
