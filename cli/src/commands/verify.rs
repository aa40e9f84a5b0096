//! `troel verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use troel_nn::bundle::{self, INFO_FILE, WEIGHTS_FILE};

use crate::output;

/// Check every file of bots and runs against its checksum
///
/// PATH is the folder of a bot, or one that holds bots at any depth, such as a run. Status 1 if a
/// file of one is missing, damaged or not the one that was written. Every command checks the
/// files that it loads; this one checks all files. It does not notice that a whole folder is
/// missing; metrics have no checksums.
///
/// Examples:
///   troel verify checkpoints runs/mine
///   troel verify --accept runs/mine/bot
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Folders
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Accept the files as they are: write new checksums for them into bot.toml, after you changed
    /// a file or for a bot of an earlier version
    #[arg(long)]
    accept: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut damaged = 0;
    for path in &args.paths {
        let mut folders = Vec::new();
        find(path, &mut folders)?;
        anyhow::ensure!(
            !folders.is_empty(),
            "{}: there is no {INFO_FILE} here or below",
            path.display()
        );
        for folder in folders {
            if is_left(&folder) {
                output::line(&format!("left over {}", folder.display()))?;
                continue;
            }
            let accepted = if args.accept { bundle::accept(&folder) } else { Ok(Vec::new()) };
            for file in accepted.iter().flatten() {
                output::line(&format!("accepted  {}/{file}", folder.display()))?;
            }
            let found = match accepted.and_then(|_| bundle::verify(&folder)) {
                Err(error) => {
                    damaged += 1;
                    output::line(&format!("DAMAGED   {error}"))?;
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
    Ok(ExitCode::from(u8::from(damaged > 0)))
}

/// Whether a folder is what a kill left half written or half removed, or a damaged checkpoint that
/// was set aside.
fn is_left(path: &Path) -> bool {
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
