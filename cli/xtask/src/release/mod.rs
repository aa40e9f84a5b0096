//! The files of a release, and the checks before it.
//!
//! - `versions`: the version, which several files repeat.
//! - `metadata`: the packages of the workspace, from `cargo metadata`.
//! - `contents`: the files of the packages for the registry.
//! - `plan`: the files that a release has, and the tools that make them.
//! - `man`: manual pages.
//! - `sbom`: the list of components.
//! - `build`: the steps, in order.

mod build;
mod contents;
mod man;
mod metadata;
mod plan;
mod sbom;
mod versions;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::tools;
use plan::{Plan, Scope, Tools};

/// Options of `cargo xtask release`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Folder for the files.
    pub out: PathBuf,
    /// Target triple; without one, that of the compiler.
    pub target: Option<String>,
    /// Oldest processor for the program, as for `-C target-cpu`; without one, that of
    /// `.cargo/config.toml`.
    pub cpu: Option<String>,
    /// The files to build.
    pub scope: Scope,
    /// Check, and print the files, but build nothing.
    pub is_dry: bool,
}

impl Options {
    /// Reads the arguments after `release`. `None` if they are not understood.
    pub fn parse(arguments: &[&str]) -> Option<Self> {
        let mut options = Self::default();
        let mut left = arguments;
        loop {
            left = match left {
                ["--out", out, rest @ ..] => {
                    options.out = PathBuf::from(out);
                    rest
                }
                ["--target", target, rest @ ..] => {
                    options.target = Some((*target).to_owned());
                    rest
                }
                ["--cpu", cpu, rest @ ..] => {
                    options.cpu = Some((*cpu).to_owned());
                    rest
                }
                ["--archive-only", rest @ ..] => {
                    options.scope = Scope::Archive;
                    rest
                }
                ["--target-only", rest @ ..] => {
                    options.scope = Scope::Target;
                    rest
                }
                ["--dry-run", rest @ ..] => {
                    options.is_dry = true;
                    rest
                }
                [] => break,
                _ => return None,
            };
        }
        // A wheel has no place for the processor in its name, and pages and crates do not depend
        // on it.
        let is_understood = options.cpu.is_none() || options.scope == Scope::Archive;
        (is_understood && !options.out.as_os_str().is_empty()).then_some(options)
    }
}

/// Builds the files of a release, or checks with `--dry-run` whether it could.
///
/// # Errors
/// Names each fault that the checks found, or the step that failed.
pub fn run(options: &Options) -> Result<(), String> {
    let root = tools::root("release")?;
    let out = std::path::absolute(&options.out)
        .map_err(|error| format!("{}: {error}", options.out.display()))?;
    let (version, mut notes) = versions::check(&root)?;
    if !options.is_dry && options.scope == Scope::All {
        refuse_changes(&root)?;
    }
    let target = match &options.target {
        Some(target) => target.clone(),
        None => host()?,
    };
    let tools = Tools::find(&root, &target);
    notes.extend(tools.missing(&target));
    let plan = Plan {
        version,
        cpu: options.cpu.clone(),
        scope: options.scope,
        runner: plan::runner(&target),
        target,
        tools,
    };
    let metadata = metadata::read(&root, Some(&plan.target))?;
    let crates = metadata::publishable(&metadata)?;
    let mut faults = Vec::new();
    for package in &crates {
        match contents::check(&root, package) {
            Ok(files) => println!("{}: {} files", package.name, files.len()),
            Err(error) => faults.push(error),
        }
    }
    let bom = sbom::cyclonedx(&metadata, "troel")?;
    if !faults.is_empty() {
        return Err(faults.join("\n"));
    }
    for note in &notes {
        eprintln!("note: {note}");
    }
    let rule_sets = tools::rule_sets(&root)?;
    let names: Vec<String> = crates.into_iter().map(|package| package.name).collect();
    if options.is_dry {
        for file in plan.files(&rule_sets, &names) {
            println!("{}", out.join(file).display());
        }
        return Ok(());
    }
    build::build(&root, &out, &plan, &rule_sets, &names, &bom)
}

/// Fails if the working tree has changes, which `cargo package` would find after the long builds.
fn refuse_changes(root: &Path) -> Result<(), String> {
    let mut status = Command::new("git");
    let (changes, _) = tools::run(status.args(["status", "--porcelain"]).current_dir(root))?;
    match changes.lines().next() {
        None => Ok(()),
        Some(first) => Err(format!(
            "the working tree has changes, for example '{first}': commit them, or leave out the \
             crates with --target-only or --archive-only"
        )),
    }
}

/// Returns the target of the compiler.
fn host() -> Result<String, String> {
    let compiler = tools::variable("RUSTC").unwrap_or_else(|| "rustc".into());
    let (about, _) = tools::run(Command::new(compiler).arg("-vV"))?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc -vV names no host; name a --target".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_come_in_any_order_and_need_a_folder() {
        let parsed = Options::parse(&["--dry-run", "--target", "t", "--out", "o"]);
        let target = Some("t".to_owned());
        let expected = Options { out: "o".into(), target, is_dry: true, ..Options::default() };
        assert_eq!(parsed, Some(expected));
        let parsed = Options::parse(&["--cpu", "x86-64", "--out", "o", "--archive-only"]);
        let cpu = Some("x86-64".to_owned());
        let expected =
            Options { out: "o".into(), cpu, scope: Scope::Archive, ..Options::default() };
        assert_eq!(parsed, Some(expected));
        let parsed = Options::parse(&["--target-only", "--out", "o"]);
        let expected = Options { out: "o".into(), scope: Scope::Target, ..Options::default() };
        assert_eq!(parsed, Some(expected));
        for wrong in [
            &["--dry-run"][..],
            &["--out"],
            &["--out", "o", "more"],
            &["--out", "o", "--cpu", "x86-64"],
        ] {
            assert_eq!(Options::parse(wrong), None, "{wrong:?}");
        }
    }
}
