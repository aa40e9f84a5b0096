//! Tasks of the repository that `cargo` has no command for: `cargo xtask site` builds the
//! documentation site, and `cargo xtask release` the files of a release.
//!
//! - `release`: the files of a release, and the checks before it.
//! - `site`: the steps of the site's build, in order.
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
mod release;
mod site;
mod stage;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;

use release::Options;

const USAGE: &str = "Usage: cargo xtask site [--out DIR]
       cargo xtask release --out DIR [--target TARGET] [--dry-run]
                           [--target-only | --archive-only [--cpu CPU]]

site     build the documentation site in DIR (default target/site)
release  build the files of a release in DIR, a new folder; with --dry-run, check everything that
         needs no long build, and print the files; with --target-only, build only the program,
         its archive and the wheel, and with --archive-only no wheel either; with --cpu x86-64,
         for processors without AVX2

Environment:
  CARGO_TARGET_..._RUNNER
                  emulator that runs the program of another system, as for cargo, for example
                  CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=\"qemu-aarch64 -L SYSROOT\"
  TROEL_PROGRAM   built program `troel`, with the Python library in deps/ beside it, from which the
                  site is made instead of building both
  CI              fail if the Python pages cannot be built
  TROEL_MAY_LACK  with CI: leave the Python pages out if this list has `python`";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["site"] => site::build(None),
        ["site", "--out", out] => site::build(Some(PathBuf::from(out))),
        ["--help" | "-h"] | ["site" | "release", "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["release", ref options @ ..] => match Options::parse(options) {
            Some(options) => release::run(&options),
            None => return misused(),
        },
        _ => return misused(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn misused() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
