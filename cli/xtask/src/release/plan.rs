//! The files of a release, and the tools that make them.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools;

/// Oldest glibc that the program and the wheel run with, if zig links them.
const GLIBC: &str = "2.17";

/// Target, version and tools of a release.
#[derive(Debug)]
pub struct Plan {
    /// Version of the workspace.
    pub version: String,
    /// Target triple.
    pub target: String,
    /// Oldest processor, if it is not that of `.cargo/config.toml`.
    pub cpu: Option<String>,
    /// Whether only the program and its archive are built.
    pub is_archive_only: bool,
    /// The tools that were found.
    pub tools: Tools,
}

/// Optional tools of a release.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tools {
    /// `cargo zigbuild`: links for an old C library.
    pub zig: bool,
    /// `objcopy`: moves the symbols of the program into a separate file.
    pub objcopy: bool,
    /// `maturin`: builds the wheel.
    pub maturin: bool,
}

impl Tools {
    /// Looks for the tools.
    pub fn find(root: &Path) -> Self {
        let starts = |program: &str, arguments: &[&str]| {
            tools::run(&mut command(root, program, arguments)).is_ok()
        };
        Self {
            zig: starts("cargo-zigbuild", &["--version"])
                && starts("python3", &["-m", "ziglang", "version"]),
            objcopy: starts("objcopy", &["--version"]),
            maturin: starts("maturin", &["--version"]),
        }
    }

    /// Returns a sentence for each tool that is missing: its cost and the remedy.
    pub fn missing(self, target: &str) -> Vec<String> {
        let mut missing = Vec::new();
        if !self.maturin {
            missing.push("maturin is missing: no wheel. Run `pip install maturin`".to_owned());
        }
        if !self.zig && target.contains("-linux-") {
            missing.push(
                "cargo-zigbuild or ziglang is missing: the files run only on systems as new as \
                 this one. Run `pip install cargo-zigbuild ziglang`"
                    .to_owned(),
            );
        }
        if !self.objcopy && target.contains("-linux-") {
            missing.push("objcopy is missing: no file of symbols. Install binutils".to_owned());
        }
        missing
    }
}

impl Plan {
    /// Whether the target is Windows.
    pub fn is_windows(&self) -> bool {
        self.target.contains("-windows-")
    }

    /// Whether zig links the program and the wheel.
    pub fn uses_zig(&self) -> bool {
        self.tools.zig && self.target.contains("-linux-")
    }

    /// Whether the symbols of the program are in a separate file.
    pub fn has_symbols(&self) -> bool {
        self.tools.objcopy && self.target.contains("-linux-")
    }

    /// Returns the file name of the program.
    pub fn program(&self) -> &'static str {
        if self.is_windows() { "troel.exe" } else { "troel" }
    }

    /// Returns the name of the archive without its ending, which is also its only folder.
    pub fn name(&self) -> String {
        let name = format!("troel-{}-{}", self.version, self.target);
        match &self.cpu {
            Some(cpu) => format!("{name}-for-{cpu}"),
            None => name,
        }
    }

    /// Whether a wheel is built.
    pub fn has_wheel(&self) -> bool {
        self.tools.maturin && !self.is_archive_only
    }

    /// Returns the target for `cargo zigbuild`, with the version of the C library.
    pub fn zig_target(&self) -> String {
        let glibc = if self.target.ends_with("-gnu") { GLIBC } else { "" };
        let dot = if glibc.is_empty() { "" } else { "." };
        format!("{}{dot}{glibc}", self.target)
    }

    /// Returns the platform tag of the wheel; `None` for the tag of the building system.
    pub fn compatibility(&self) -> Option<&'static str> {
        let (is_zig, is_musl) = (self.uses_zig(), self.target.contains("-musl"));
        is_zig.then_some(if is_musl { "musllinux_1_2" } else { "manylinux2014" })
    }

    /// Returns the files that the release will have, relative to its folder.
    pub fn files(&self, rule_sets: &[String], crates: &[String]) -> Vec<PathBuf> {
        let (version, name) = (&self.version, self.name());
        let mut files =
            vec![format!("{name}.{}", if self.is_windows() { "zip" } else { "tar.gz" })];
        if self.has_symbols() {
            files.push(format!("{name}.debug"));
        }
        if self.has_wheel() {
            // maturin chooses the platform tag, which depends on the linked libraries.
            files.push(format!("troel-{version}-cp310-abi3-*.whl"));
        }
        if !self.is_archive_only {
            files.extend(crates.iter().map(|name| format!("crates/{name}-{version}.crate")));
            files.extend(rule_sets.iter().map(|rules| format!("troel-{version}-{rules}.html")));
            files.push("site/index.html".into());
        }
        files.push(format!("{name}.cdx.json"));
        files.push("SHA256SUMS".into());
        files.into_iter().map(PathBuf::from).collect()
    }
}

/// Returns a command in the repository. It finds tools in `target/release-venv`, too.
pub fn command(root: &Path, program: &str, arguments: &[&str]) -> Command {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    let venv = root.join("target/release-venv").join(folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(venv).chain(std::env::split_paths(&path));
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root);
    if let Ok(path) = std::env::join_paths(folders) {
        command.env("PATH", path);
    }
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(target: &str, tools: Tools) -> Plan {
        Plan {
            version: "1.2.3".into(),
            target: target.into(),
            cpu: None,
            is_archive_only: false,
            tools,
        }
    }

    const ALL: Tools = Tools { zig: true, objcopy: true, maturin: true };

    #[test]
    fn zig_links_for_an_old_library_on_linux_alone() {
        let gnu = plan("x86_64-unknown-linux-gnu", ALL);
        assert_eq!(gnu.zig_target(), "x86_64-unknown-linux-gnu.2.17");
        assert_eq!(gnu.compatibility(), Some("manylinux2014"));
        let musl = plan("x86_64-unknown-linux-musl", ALL);
        assert_eq!(musl.zig_target(), "x86_64-unknown-linux-musl");
        assert_eq!(musl.compatibility(), Some("musllinux_1_2"));
        assert_eq!(plan("aarch64-apple-darwin", ALL).compatibility(), None);
        assert_eq!(plan("x86_64-unknown-linux-gnu", Tools::default()).compatibility(), None);
    }

    #[test]
    fn the_files_depend_on_the_target_and_the_tools() {
        let named = |plan: &Plan| -> Vec<String> {
            let files = plan.files(&["wiezen".into()], &["troel-env".into()]);
            files.iter().map(|file| file.display().to_string()).collect()
        };
        assert_eq!(
            named(&plan("x86_64-unknown-linux-gnu", ALL)),
            [
                "troel-1.2.3-x86_64-unknown-linux-gnu.tar.gz",
                "troel-1.2.3-x86_64-unknown-linux-gnu.debug",
                "troel-1.2.3-cp310-abi3-*.whl",
                "crates/troel-env-1.2.3.crate",
                "troel-1.2.3-wiezen.html",
                "site/index.html",
                "troel-1.2.3-x86_64-unknown-linux-gnu.cdx.json",
                "SHA256SUMS",
            ]
        );
        let mut old = plan("x86_64-unknown-linux-gnu", ALL);
        (old.cpu, old.is_archive_only) = (Some("x86-64".into()), true);
        assert_eq!(
            named(&old),
            [
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.tar.gz",
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.debug",
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.cdx.json",
                "SHA256SUMS",
            ]
        );
        let windows = named(&plan("x86_64-pc-windows-msvc", Tools { maturin: false, ..ALL }));
        assert_eq!(windows[0], "troel-1.2.3-x86_64-pc-windows-msvc.zip");
        assert_eq!(windows[1], "crates/troel-env-1.2.3.crate");
    }

    #[test]
    fn each_missing_tool_has_a_remedy() {
        let missing = Tools::default().missing("x86_64-unknown-linux-gnu");
        assert_eq!(missing.len(), 3);
        assert_eq!(Tools::default().missing("x86_64-pc-windows-msvc").len(), 1);
        assert_eq!(ALL.missing("x86_64-unknown-linux-gnu"), Vec::<String>::new());
    }
}
