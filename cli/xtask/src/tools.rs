//! Files, paths and other programs. Errors are sentences that name the file or the program.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file and the folders above it.
pub fn write(path: &Path, text: &str) -> Result<(), String> {
    make_parent(path)?;
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Copies a file, and makes the folders above the copy.
pub fn copy(from: &Path, to: &Path) -> Result<(), String> {
    make_parent(to)?;
    fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

/// Copies all files of a folder and of the folders below it.
pub fn copy_folder(from: &Path, to: &Path) -> Result<(), String> {
    for file in files_below(from)? {
        copy(&from.join(&file), &to.join(&file))?;
    }
    Ok(())
}

/// Removes a folder if it is there.
pub fn remove_folder(folder: &Path) -> Result<(), String> {
    match fs::remove_dir_all(folder) {
        Err(error) if folder.exists() => Err(format!("{}: {error}", folder.display())),
        _ => Ok(()),
    }
}

/// Returns the files of a folder and of the folders below it, sorted, relative to the folder.
pub fn files_below(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(next) = left.pop() {
        let failed = |error| format!("{}: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.is_dir() {
                left.push(path);
            } else if let Ok(relative) = path.strip_prefix(folder) {
                found.push(relative.to_path_buf());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Returns `folder/relative` without `.` and `..`, or `None` if it leads out of the root.
pub fn join_within(folder: &Path, relative: &str) -> Option<PathBuf> {
    let mut joined = folder.to_path_buf();
    for component in Path::new(relative).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                if !joined.pop() {
                    return None;
                }
            }
            Component::Normal(name) => joined.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(joined)
}

/// Runs a command, and returns its standard output and standard error.
pub fn run(command: &mut Command) -> Result<(String, String), String> {
    let name = display(command);
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} does not start: {error}"))?;
    let [out, err] =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    if output.status.success() {
        Ok((out, err))
    } else {
        Err(format!("{name} failed ({}):\n{out}{err}", output.status))
    }
}

/// Returns the folder of the repository.
///
/// # Errors
/// If cargo does not run this program; `task` is its first argument.
pub fn root(task: &str) -> Result<PathBuf, String> {
    let here = std::env::var_os("CARGO_MANIFEST_DIR")
        .ok_or_else(|| format!("run it as `cargo xtask {task}`"))?;
    join_within(Path::new(&here), "../..").ok_or_else(|| "the workspace has no root".into())
}

/// Returns a command that runs cargo in the repository.
pub fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}

/// Returns the value of an environment variable, or `None` if it is unset or empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn make_parent(path: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(parent).map_err(|error| format!("{}: {error}", parent.display()))
}

fn display(command: &Command) -> String {
    let parts = std::iter::once(command.get_program()).chain(command.get_args());
    parts.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

/// Returns the names of the built-in rule sets, sorted.
pub fn rule_sets(root: &Path) -> Result<Vec<String>, String> {
    let files = files_below(&root.join("configs/rules"))?;
    let tables = files.iter().filter(|file| file.extension().is_some_and(|kind| kind == "toml"));
    Ok(tables.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect())
}
