//! Tasks of the repository that `cargo` has no command for: `cargo xtask site` builds the
//! documentation site.
//!
//! - `site`: the steps of the build, in order.
//! - `stage`: copies the pages and the files that they link to into one folder.
//! - `help`: the page of all commands, from the program's own help.
//! - `interfaces`: rustdoc, pdoc and the page to play on.
//! - `check`: finds links and anchors of the built site that lead nowhere.
//! - `markdown` and `html`: links and identifiers of a text.
//! - `tools`: files, paths and other programs.

mod check;
mod help;
mod html;
mod interfaces;
mod markdown;
mod site;
mod stage;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "Usage: cargo xtask site [--out DIR]

Build the documentation site in DIR (default target/site).

Environment:
  TROEL_PROGRAM   built program `troel`, with the Python library in deps/ beside it, to use
                  instead of building both
  CI              fail if the Python pages cannot be built
  TROEL_MAY_LACK  with CI: leave the Python pages out if this list has `python`";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let out = match arguments[..] {
        ["site"] => None,
        ["site", "--out", out] => Some(PathBuf::from(out)),
        ["--help" | "-h"] | ["site", "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match site::build(out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
