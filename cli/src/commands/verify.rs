//! `troel verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use troel_nn::BundleError;
use troel_nn::bundle::{self, INFO_FILE, SUMS_FILE, WEIGHTS_FILE};

use crate::commands::export;
use crate::output;

/// Check every file of bots and runs against its checksum
///
/// PATH is the folder of a bot, or one that holds bots at any depth, such as a run. Lists every
/// file with a checksum in bot.toml that is missing, damaged or not the one that was written; the
/// exit status is then 1. It is also 1 for a bot that this version cannot load; that bot is listed
/// as UNUSABLE instead of DAMAGED. If bot.toml itself is damaged, the other files are not checked.
/// Every command checks the files that it loads; this one checks all files. It does not notice that
/// a whole folder is missing. Metrics have no checksums. SHA256SUMS of an export is not checked:
/// use `sha256sum -c`.
///
/// Examples:
///   troel verify checkpoints runs/mine
///   troel verify --accept runs/mine/bot
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Folders of bots, or folders that hold such folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Accept the files as they are: write new checksums for them into bot.toml, and into
    /// SHA256SUMS in the folder of an export. Use it after an intended change of a file, or for a
    /// bot of an earlier version
    #[arg(long)]
    accept: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut has_faults = false;
    for path in &args.paths {
        let mut folders = Vec::new();
        find(path, &mut folders)?;
        anyhow::ensure!(
            !folders.is_empty(),
            "{}: no {INFO_FILE} in this folder or below; name the folder of a bot or a run",
            path.display()
        );
        for folder in folders {
            if is_left_over(&folder) {
                output::line(&format!("left over {}", folder.display()))?;
                continue;
            }
            let accepted = if args.accept { accept(&folder) } else { Ok(Vec::new()) };
            for file in accepted.iter().flatten() {
                output::line(&format!("accepted  {}/{file}", folder.display()))?;
            }
            let accepted = accepted.map_err(|error| vec![error]);
            let found = match accepted.and_then(|_| bundle::verify(&folder)) {
                Err(faults) => {
                    has_faults = true;
                    for fault in faults {
                        use BundleError::{Mismatch, Model};
                        let is_unusable = matches!(fault, Mismatch { .. } | Model { .. });
                        let word = if is_unusable { "UNUSABLE " } else { "DAMAGED  " };
                        output::line(&format!("{word} {fault}"))?;
                    }
                    continue;
                }
                Ok(found) => found,
            };
            let folder = folder.display();
            let word = if found.has_checksums { "ok       " } else { "no sums  " };
            output::line(&format!("{word} {folder}"))?;
            for other in found.others.iter().filter(|_| found.has_checksums) {
                output::line(&format!("          {folder}/{other} has no checksum"))?;
            }
        }
    }
    Ok(ExitCode::from(u8::from(has_faults)))
}

/// Accepts the files of a folder as they are, and returns the names of the changed ones.
fn accept(folder: &Path) -> Result<Vec<String>, BundleError> {
    let mut changed = bundle::accept(folder)?;
    let path = folder.join(SUMS_FILE);
    if path.exists() {
        let old = std::fs::read_to_string(&path).unwrap_or_default();
        let new = export::sums(folder)?;
        if old != new {
            bundle::write_file(&path, new.as_bytes())?;
            let name = |line: &str| line.split_whitespace().last().unwrap_or_default().to_string();
            for line in new.lines().filter(|line| !old.lines().any(|other| other == *line)) {
                if !changed.contains(&name(line)) {
                    changed.push(name(line));
                }
            }
            changed.push(SUMS_FILE.to_string());
            let kept: Vec<String> = new.lines().map(name).collect();
            let dropped = old.lines().map(name).filter(|name| !kept.contains(name));
            changed.extend(dropped.map(|name| format!("{SUMS_FILE} without {name}")));
        }
    }
    Ok(changed)
}

/// Returns whether a folder is a leftover. A kill left it half written or half removed, or it is a
/// damaged checkpoint that was set aside.
fn is_left_over(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| ["new", "old", "damaged"].iter().any(|left| suffix == *left))
}

/// Finds the folders of bots at a path and below, in order: those that have one of a bot's files.
fn find(path: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    if [INFO_FILE, WEIGHTS_FILE].iter().any(|file| path.join(file).exists()) {
        found.push(path.to_path_buf());
    }
    let mut folders = Vec::new();
    let entries = std::fs::read_dir(path);
    let entries = entries.map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    for entry in entries {
        let entry = entry?;
        // Links are not followed: they may lead in a circle.
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    folders.iter().try_for_each(|folder| find(folder, found))
}
