//! The page's matches in Chromium: what it keeps, asks and offers, also while its server is away.

mod support;

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// No match and no action is lost while the server is stopped, started again, or started with other
/// rules.
#[test]
fn a_match_outlives_its_server() {
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("page-server.cjs", env!("CARGO_BIN_EXE_troel"), folder.path());
}

/// A server that is killed on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Steps in `page-state.cjs`: matches in several windows, first rules, expensive calls, the Back
/// button, settled deals.
#[test]
fn matches_are_kept_and_expensive_calls_are_asked_about() {
    let mut command = support::troel();
    let args = [["serve", "--port", "0"].as_slice(), &support::PINNED_BOTS].concat();
    command.args(args).stdout(Stdio::piped());
    let mut server = Server(command.spawn().expect("starts"));
    let mut url = String::new();
    let output = server.0.stdout.take().expect("piped");
    BufReader::new(output).read_line(&mut url).expect("says where it is");
    let folder = tempfile::tempdir().expect("a folder");
    support::in_chromium("page-state.cjs", url.trim(), folder.path());
}
