//! Programs that tests need and a machine may lack.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

/// Skips a test because a tool is missing: says so on standard error, which `cargo test` shows at
/// once, and in the list that `.ci/skipped` prints. Where `CI` is set that is a failure, unless the
/// tool is among those, separated by commas, that `TROEL_MAY_LACK` names: a test that passes in
/// silence tests nothing.
///
/// # Panics
/// Under CI, if the tool may not be missing.
pub fn missing(tool: &str, remedy: &str) {
    let allowed = std::env::var("TROEL_MAY_LACK").unwrap_or_default();
    let is_allowed = allowed.split(',').any(|name| name.trim() == tool);
    let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(
        is_allowed || !is_ci,
        "{tool} is missing: {remedy}; or set TROEL_MAY_LACK={tool} to go without it"
    );
    // A test runs in a thread of its name.
    let thread = std::thread::current();
    let test = format!("{}::{}", env!("CARGO_CRATE_NAME"), thread.name().unwrap_or("main"));
    // Not `eprintln!`, which the test harness captures.
    let _ = writeln!(std::io::stderr(), "skipped: {test}: {tool} is missing ({remedy})");
    // One write for a line: test programs that run side by side append to the same list.
    let line = format!("{tool}\t{test}\n");
    let list = File::options().append(true).create(true).open(skipped());
    list.and_then(|mut list| list.write_all(line.as_bytes())).expect("the list of skipped tests");
}

/// The list of skipped tests: a line for each, with the tool and the test, separated by a tab.
pub fn skipped() -> PathBuf {
    let usual = || PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("skipped-tests");
    std::env::var_os("TROEL_SKIPPED").map_or_else(usual, PathBuf::from)
}
