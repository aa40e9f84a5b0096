//! Tells the program its version, and which commit it was built from, where that is known.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=../.git/HEAD");
    println!("cargo:rerun-if-changed=../.git/logs/HEAD");
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let commit = output.ok().filter(|o| o.status.success());
    let commit = commit.and_then(|o| String::from_utf8(o.stdout).ok()).unwrap_or_default();
    let commit = commit.trim();
    println!("cargo:rustc-env=TROEL_COMMIT={commit}");
    let number = env!("CARGO_PKG_VERSION");
    let version =
        if commit.is_empty() { number.to_string() } else { format!("{number} ({commit})") };
    println!("cargo:rustc-env=TROEL_VERSION={version}");
}
