//! The systemd unit and the recipe of the image: their commands start a server, and systemd accepts
//! the unit.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::server::Server;
use crate::support::{self, stderr_of, stdout_of, tools};
use crate::{HOST, TOKEN, read, replaced};

/// The highest exposure that systemd may report, in tenths. 0 is the safest service, 100 the least.
const MAX_EXPOSURE: &str = "15";

/// Path of the program in the unit and in the image.
const PROGRAM: &str = "/usr/local/bin/troel";

/// Starts a server with a command of one of the files, on a free port, and asserts that it serves
/// the page under its name and stores records in `folder`.
fn check_command(words: &[String], folder: &Path) {
    assert_eq!(words[..2], [PROGRAM, "serve"]);
    let mut command = support::troel();
    command.args(&words[1..]).env("TROEL_TOKEN", TOKEN);
    let mut process = command.stdout(Stdio::piped()).spawn().expect("starts");
    let line = support::first_line(process.stdout.take().expect("piped"));
    let (address, token) = line.trim().split_once("/?token=").expect("the token of TROEL_TOKEN");
    let address = address.trim_start_matches("http://").to_string();
    let server = Server { process, address };
    assert_eq!(token, TOKEN);
    let page = |host: &str| {
        let more = format!("Host: {host}\r\nAuthorization: Bearer {TOKEN}");
        server.http_with(&more, "GET", "/", b"").0
    };
    assert_eq!((page(HOST), page("other.example")), (200, 403));
    assert!(folder.join("records.jsonl").exists(), "the file for records");
}

#[test]
fn the_unit_starts_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let state = folder.path().to_str().expect("UTF-8");
    std::fs::create_dir(folder.path().join("troel")).expect("created");
    let unit = read("troel.service");
    let command = unit.lines().find_map(|line| line.strip_prefix("ExecStart="));
    let command = replaced(
        command.expect("a command").to_string(),
        &[("${HOST_NAME}", HOST), ("%S", state), ("7200", "0"), ("$TROEL_OPTIONS", "--bot rules")],
    );
    let words: Vec<String> = command.split(' ').map(ToString::to_string).collect();
    check_command(&words, &folder.path().join("troel"));
}

#[test]
fn systemd_accepts_the_unit() {
    if !Path::new("/usr/bin/systemd-analyze").exists() {
        tools::missing("systemd", "the package systemd has systemd-analyze");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("troel.service");
    // systemd-analyze asks for a program that exists.
    let unit = replaced(read("troel.service"), &[(PROGRAM, env!("CARGO_BIN_EXE_troel"))]);
    std::fs::write(&path, unit).expect("written");
    let analyze = |args: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        let output = command.args(args).arg(&path).stdin(Stdio::null()).output().expect("runs");
        assert!(output.status.success(), "{}{}", stdout_of(&output), stderr_of(&output));
        stderr_of(&output)
    };
    // An unknown setting is only a warning.
    assert_eq!(analyze(&["verify", "--man=no"]), "");
    analyze(&["security", "--offline=yes", "--threshold", MAX_EXPOSURE]);
}

/// Instructions of the recipe, with continued lines joined.
fn instructions() -> Vec<(String, String)> {
    let text = read("Containerfile").replace("\\\n", " ");
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines = lines.filter(|line| !line.starts_with('#'));
    let parts = lines.map(|line| line.split_once(' ').expect("an instruction and its arguments"));
    parts.map(|(name, rest)| (name.to_string(), rest.trim().to_string())).collect()
}

#[test]
fn the_image_starts_a_server() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = instructions();
    let last = |name: &str| {
        let found = all.iter().rfind(|(own, _)| own == name);
        found.map(|(_, rest)| rest.clone()).unwrap_or_else(|| panic!("no {name}"))
    };
    let rust = all.iter().find(|(name, _)| name == "FROM").expect("an image").1.clone();
    let version = concat!("rust:", env!("CARGO_PKG_RUST_VERSION"));
    assert!(rust.contains(version), "{rust}: the minimum version of the workspace is {version}");
    assert!(all.iter().filter(|(name, _)| name == "FROM").count() == 2, "two stages");
    assert_ne!(last("USER").split(':').next(), Some("0"), "not root");
    assert!(last("COPY").ends_with(PROGRAM), "{}", last("COPY"));
    let command: Vec<String> = serde_json::from_str(&last("ENTRYPOINT")).expect("a list");
    let volume = last("VOLUME");
    let state = folder.path().to_str().expect("UTF-8");
    let more = ["--host-name", HOST, "--trusted-proxy", "127.0.0.1", "--port", "0"];
    let more = more.into_iter().chain(["--bot", "rules"]).map(ToString::to_string);
    let words = command.iter().map(|word| word.replace(&volume, state)).chain(more);
    check_command(&words.collect::<Vec<_>>(), folder.path());
}
