//! The files of `frontends/server/deploy`: each reverse proxy in front of a server, the systemd
//! unit, and the recipe of the image. Clients have several addresses of the loopback interface.
#![cfg(target_os = "linux")]

mod proxies;
mod recipes;
#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};

/// Host name in all files of the folder.
const HOST: &str = "whist.example";

/// Secret that the server of a test requires.
const TOKEN: &str = "0123456789abcdef";

/// Path of a file of `frontends/server/deploy`.
fn path_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../frontends/server/deploy").join(name)
}

/// Content of a file of `frontends/server/deploy`.
fn read(name: &str) -> String {
    std::fs::read_to_string(path_of(name)).expect("the file is in the repository")
}

/// Replaces parts of a file that a test cannot use, and asserts that each part is there.
fn replaced(text: String, parts: &[(&str, &str)]) -> String {
    parts.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{from} is not in the file");
        text.replace(from, to)
    })
}
