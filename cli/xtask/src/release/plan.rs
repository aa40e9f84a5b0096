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
    /// The files to build.
    pub scope: Scope,
    /// Command that runs a program of the target, if this system cannot: an emulator and its
    /// arguments.
    pub runner: Vec<String>,
    /// The tools that were found.
    pub tools: Tools,
}

/// Part of a release to build.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All files.
    #[default]
    All,
    /// Files that depend on the target: the program, its archive and the wheel.
    Target,
    /// The program and its archive.
    Archive,
}

/// Optional tools of a release.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    /// `cargo zigbuild`: links for an old C library.
    pub zig: bool,
    /// Name of an `objcopy` for the target: it moves the symbols of the program into a separate
    /// file.
    pub objcopy: Option<String>,
    /// `maturin`: builds the wheel.
    pub maturin: bool,
}

impl Tools {
    /// Looks for the tools for a target.
    pub fn find(root: &Path, target: &str) -> Self {
        let starts = |program: &str, arguments: &[&str]| {
            tools::run(&mut command(root, program, arguments)).is_ok()
        };
        Self {
            zig: starts("cargo-zigbuild", &["--version"])
                && starts("python3", &["-m", "ziglang", "version"]),
            objcopy: objcopies(target).into_iter().find(|name| starts(name, &["--version"])),
            maturin: starts("maturin", &["--version"]),
        }
    }

    /// Returns a sentence for each tool that is missing: its cost and the remedy.
    pub fn missing(&self, target: &str) -> Vec<String> {
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
        if self.objcopy.is_none() && target.contains("-linux-") {
            missing.push(format!(
                "{} is missing: no file of symbols. Install binutils for the target, or LLVM",
                objcopies(target).join(" or ")
            ));
        }
        missing
    }
}

/// Returns the names of programs that may copy objects of a target, the best first.
fn objcopies(target: &str) -> [String; 2] {
    // GNU's knows only the formats that it was built for, LLVM's knows all.
    let arch = target.split('-').next().unwrap_or_default();
    let is_native = arch == std::env::consts::ARCH;
    let gnu = if is_native { "objcopy".to_owned() } else { format!("{arch}-linux-gnu-objcopy") };
    [gnu, "llvm-objcopy".to_owned()]
}

/// Returns the emulator of a target and its arguments, from cargo's `CARGO_TARGET_…_RUNNER`; empty
/// if unset.
pub fn runner(target: &str) -> Vec<String> {
    let name = format!("CARGO_TARGET_{}_RUNNER", target.replace('-', "_").to_uppercase());
    let value = tools::variable(&name).unwrap_or_default();
    value.split_whitespace().map(str::to_owned).collect()
}

impl Plan {
    /// Returns a command that runs the built program.
    pub fn run(&self, program: &Path) -> Command {
        match self.runner.split_first() {
            Some((runner, arguments)) => {
                let mut command = Command::new(runner);
                command.args(arguments).arg(program);
                command
            }
            None => Command::new(program),
        }
    }

    /// Whether the target is Windows.
    pub fn is_windows(&self) -> bool {
        self.target.contains("-windows-")
    }

    /// Whether zig links the program and the wheel.
    pub fn uses_zig(&self) -> bool {
        self.tools.zig && self.target.contains("-linux-")
    }

    /// Returns the program that moves the symbols into a separate file, if there is one.
    pub fn objcopy(&self) -> Option<&str> {
        self.tools.objcopy.as_deref().filter(|_| self.target.contains("-linux-"))
    }

    /// Whether the symbols of the program are in a separate file.
    pub fn has_symbols(&self) -> bool {
        self.objcopy().is_some()
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
        self.tools.maturin && self.scope != Scope::Archive
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
        if self.scope == Scope::All {
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
            scope: Scope::All,
            runner: Vec::new(),
            tools,
        }
    }

    fn all() -> Tools {
        Tools { zig: true, objcopy: Some("objcopy".into()), maturin: true }
    }

    #[test]
    fn zig_links_for_an_old_library_on_linux_alone() {
        let gnu = plan("x86_64-unknown-linux-gnu", all());
        assert_eq!(gnu.zig_target(), "x86_64-unknown-linux-gnu.2.17");
        assert_eq!(gnu.compatibility(), Some("manylinux2014"));
        let musl = plan("x86_64-unknown-linux-musl", all());
        assert_eq!(musl.zig_target(), "x86_64-unknown-linux-musl");
        assert_eq!(musl.compatibility(), Some("musllinux_1_2"));
        assert_eq!(plan("aarch64-apple-darwin", all()).compatibility(), None);
        assert_eq!(plan("x86_64-unknown-linux-gnu", Tools::default()).compatibility(), None);
    }

    #[test]
    fn the_files_depend_on_the_target_and_the_tools() {
        let named = |plan: &Plan| -> Vec<String> {
            let files = plan.files(&["wiezen".into()], &["troel-env".into()]);
            files.iter().map(|file| file.display().to_string()).collect()
        };
        assert_eq!(
            named(&plan("x86_64-unknown-linux-gnu", all())),
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
        let mut old = plan("x86_64-unknown-linux-gnu", all());
        (old.cpu, old.scope) = (Some("x86-64".into()), Scope::Archive);
        assert_eq!(
            named(&old),
            [
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.tar.gz",
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.debug",
                "troel-1.2.3-x86_64-unknown-linux-gnu-for-x86-64.cdx.json",
                "SHA256SUMS",
            ]
        );
        let mut target = plan("aarch64-unknown-linux-gnu", all());
        target.scope = Scope::Target;
        assert_eq!(
            named(&target),
            [
                "troel-1.2.3-aarch64-unknown-linux-gnu.tar.gz",
                "troel-1.2.3-aarch64-unknown-linux-gnu.debug",
                "troel-1.2.3-cp310-abi3-*.whl",
                "troel-1.2.3-aarch64-unknown-linux-gnu.cdx.json",
                "SHA256SUMS",
            ]
        );
        let windows = named(&plan("x86_64-pc-windows-msvc", Tools { maturin: false, ..all() }));
        assert_eq!(windows[0], "troel-1.2.3-x86_64-pc-windows-msvc.zip");
        assert_eq!(windows[1], "crates/troel-env-1.2.3.crate");
    }

    #[test]
    fn an_emulator_runs_programs_that_this_system_cannot() {
        let mut plan = plan("aarch64-unknown-linux-gnu", all());
        assert_eq!(plan.run(Path::new("troel")).get_program(), "troel");
        plan.runner = vec!["qemu-aarch64".into(), "-L".into(), "/sysroot".into()];
        let command = plan.run(Path::new("troel"));
        assert_eq!(command.get_program(), "qemu-aarch64");
        assert_eq!(command.get_args().collect::<Vec<_>>(), ["-L", "/sysroot", "troel"]);
    }

    #[test]
    fn objects_of_another_processor_need_another_program() {
        let native = format!("{}-unknown-linux-musl", std::env::consts::ARCH);
        assert_eq!(objcopies(&native)[0], "objcopy");
        assert_eq!(objcopies("riscv64-unknown-linux-gnu")[0], "riscv64-linux-gnu-objcopy");
    }

    #[test]
    fn each_missing_tool_has_a_remedy() {
        let missing = Tools::default().missing("x86_64-unknown-linux-gnu");
        assert_eq!(missing.len(), 3);
        assert_eq!(Tools::default().missing("x86_64-pc-windows-msvc").len(), 1);
        assert_eq!(all().missing("x86_64-unknown-linux-gnu"), Vec::<String>::new());
    }
}
