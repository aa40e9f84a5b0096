//! Running the program, for the tests of all its commands.
#![allow(dead_code, reason = "each test file uses a part")]

pub mod server;
pub mod tools;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Time limit for anything that a test waits for: generous, since the machine may be busy.
pub const PATIENCE: Duration = Duration::from_secs(600);

/// Asks again and again until there is an answer.
///
/// # Panics
/// On timeout; the message contains `what`.
pub fn wait_for<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begun.elapsed() < PATIENCE, "waited {PATIENCE:?} for {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Kills a program that still runs after [`PATIENCE`], so that a test that reads from it or waits
/// for its end fails and does not hang. Ends when it is dropped.
pub struct Deadline(mpsc::Sender<()>);

/// Starts a [`Deadline`]. `what` appears in the timeout message.
pub fn deadline(child: &Child, what: &'static str) -> Deadline {
    let process = child.id().to_string();
    let (sender, ended) = mpsc::channel::<()>();
    std::thread::spawn(move || {
        if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            // Not `eprintln!`: the harness captures what this thread prints, and shows it nowhere.
            let _ = writeln!(std::io::stderr(), "waited {PATIENCE:?} for {what}; it is killed");
            let _ = Command::new("kill").args(["-9", &process]).status();
        }
    });
    Deadline(sender)
}

/// The first line that a program prints.
pub fn first_line(output: ChildStdout) -> String {
    let (sender, line) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        // A program that prints nothing leaves the line empty.
        let _ = BufReader::new(output).read_line(&mut line);
        let _ = sender.send(line);
    });
    line.recv_timeout(PATIENCE).expect("the program prints a line in time")
}

/// Options of `troel serve` for pages on which deals of a seed are played. These bots stay when
/// newer ones are released. The first does not bid what it holds, so that a person can be better.
pub const PINNED_BOTS: [&str; 8] =
    ["--bot", "luxembourg-v4", "--bot", "horesca-v4", "--bot", "wiezen-v4", "--bot", "iwwa-v4"];

/// The program, with the default actions of all signals. The parent of the tests may ignore
/// signals, as a shell does for background jobs, and troel would inherit that. Only GNU's `env`
/// undoes it; elsewhere, run the tests in the foreground.
pub fn troel_with_default_signals() -> Command {
    let program = env!("CARGO_BIN_EXE_troel");
    if cfg!(target_os = "linux") {
        let mut command = Command::new("env");
        command.args(["--default-signal", program]);
        command
    } else {
        Command::new(program)
    }
}

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

/// Runs it without input.
pub fn run(args: &[&str]) -> Output {
    troel().args(args).stdin(Stdio::null()).output().expect("the program starts")
}

/// Runs it on this input, and asserts that it succeeds.
pub fn succeed(args: &[&str], input: &[u8]) -> Output {
    let output = run_with(args, input);
    assert!(output.status.success(), "{args:?}: {}", stderr_of(&output));
    output
}

/// Returns the standard output of a program, successful or not.
pub fn stdout_of(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// Returns the standard error of a program, successful or not.
pub fn stderr_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Asserts that the program succeeded, and returns its standard output.
pub fn expect_success(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(output));
    stdout_of(output)
}

/// Asserts that the program ended with an error and did not panic, and returns its standard error.
pub fn expect_error(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", stdout_of(output));
    let error = stderr_of(output);
    assert!(!error.contains("panicked"), "{error}");
    error
}

/// Parses its standard output, one JSON value per line.
pub fn lines(output: &Output) -> Vec<Value> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Plays a deal under each rule set of a page in Chromium, by clicking, with pictures in `folder`.
/// See [`tools::missing`] where Chromium or playwright-core is not there.
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
    // Each step of the script has a time limit; this one is for a browser that does not end.
    let output = Command::new("timeout")
        .args(["--verbose", "1800", "node"])
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
