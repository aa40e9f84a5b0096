//! Running the program, for the tests of all its commands.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod server;
pub mod tools;

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// The program, in the project's root.
pub fn troel() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_troel"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

/// Runs it on this input.
pub fn run_with(args: &[&str], input: &[u8]) -> Output {
    let mut child = troel()
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // A program that ends early may close its input; that is not what is tested here.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("the program ends")
}

/// What it printed, a JSON value a line.
pub fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Plays a deal under each rule set of a page in Chromium, by clicking, with pictures in `folder`. See
/// [`tools::missing`] where Chromium or playwright-core is not there.
pub fn browser(url: &str, folder: &Path) {
    if in_chromium("browser.cjs", url, folder) {
        assert!(folder.join("over.png").exists());
    }
}

/// Runs a script of this folder on a page; false where something that it needs is not there.
pub fn in_chromium(script: &str, url: &str, folder: &Path) -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let modules = root.join("target/browser/node_modules");
    if !modules.exists() || !Path::new("/usr/bin/chromium").exists() {
        tools::missing("chromium", ".ci/run installs it with playwright-core");
        return false;
    }
    let output = Command::new("node")
        .arg(root.join("cli/tests").join(script))
        .arg(url)
        .arg(folder)
        .env("NODE_PATH", modules)
        .output()
        .expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    true
}
