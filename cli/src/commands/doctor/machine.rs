//! Checks of the program, the machine and the folders.

use std::io::IsTerminal;
use std::path::Path;

use troel_agents::registry;
use troel_env::RuleSet;

use super::row::{Row, Status};
use crate::output;

/// Default folder of runs.
const RUNS: &str = "runs";

/// Checks the parts of the program: rule sets, bots and features.
pub fn program() -> Vec<Row> {
    let group = "Program";
    let bots = registry::all_released();
    let damaged = bots.iter().find_map(|name| registry::find_bundle(name).err());
    let bots = match damaged {
        None => Row::ok(group, "released bots", bots.join(", ")),
        Some(error) => Row {
            status: Status::Broken,
            remedy: "Remove the folder that is named, unset TROEL_CHECKPOINTS, or install troel \
                     again.",
            ..Row::ok(group, "released bots", error.to_string())
        },
    };
    let rules: Vec<&str> = RuleSet::all_built_in().into_iter().map(RuleSet::id).collect();
    let recipes: Vec<&str> = troel_configs::RECIPES.iter().map(|&(name, _)| name).collect();
    vec![
        Row::ok(group, "version", env!("TROEL_VERSION").to_string()),
        bots,
        Row::ok(group, "rule sets", rules.join(", ")),
        Row::ok(group, "recipes", recipes.join(", ")),
        feature("cuda", cfg!(feature = "cuda"), "trains on an NVIDIA GPU", CUDA),
        feature("wgpu", cfg!(feature = "wgpu"), "trains on any GPU", WGPU),
        feature("mpi", cfg!(feature = "mpi"), "trains on several machines", MPI),
    ]
}

const CUDA: &str = "In a clone of the repository: cargo install --path cli --features cuda";
const WGPU: &str = "In a clone of the repository: cargo install --path cli --features wgpu";
const MPI: &str = "In a clone of the repository: cargo install --path cli --features mpi";

/// Returns the row of a Cargo feature.
fn feature(name: &'static str, is_built: bool, purpose: &'static str, remedy: &'static str) -> Row {
    let (status, found) = match is_built {
        true => (Status::Ok, "built in"),
        false => (Status::Missing, "not built in"),
    };
    Row { status, purpose, remedy, ..Row::ok("Program", name, found) }
}

/// Checks the machine: processor, memory, terminal.
pub fn machine() -> Vec<Row> {
    let group = "Machine";
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let mut rows = vec![
        Row::ok(group, "system", format!("{}, {}", std::env::consts::OS, std::env::consts::ARCH)),
        Row::ok(group, "cores", cores.to_string()),
    ];
    #[cfg(target_arch = "x86_64")]
    {
        let sets = [
            ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
            ("AVX-512", std::arch::is_x86_feature_detected!("avx512f")),
        ];
        let found: Vec<&str> = sets.iter().filter(|(_, has)| *has).map(|&(name, _)| name).collect();
        let found = if found.is_empty() { "neither AVX2 nor AVX-512" } else { &found.join(", ") };
        rows.push(Row::ok(group, "vectors", found));
    }
    if let Some(memory) = memory() {
        rows.push(Row::ok(group, "memory", memory));
    }
    let colour = match output::has_colour(&std::io::stdout()) {
        true => "yes",
        false if std::env::var_os("NO_COLOR").is_some() => "no: NO_COLOR is set",
        false if !std::io::stdout().is_terminal() => "no: standard output is not a terminal",
        false => "no",
    };
    rows.push(Row::ok(group, "colours", colour));
    rows.push(unicode());
    rows
}

/// Returns the memory of the machine, in gibibytes; `None` if the system does not say.
fn memory() -> Option<String> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let gibibytes = |key: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(key))?;
        let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kibibytes / f64::from(1 << 20))
    };
    let (total, free) = (gibibytes("MemTotal:")?, gibibytes("MemAvailable:")?);
    Some(format!("{total:.1} GiB, {free:.1} GiB available"))
}

/// Checks whether the locale lets the terminal show the suit symbols.
fn unicode() -> Row {
    // The first variable that is set decides.
    let variables = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter();
    let mut values = variables.filter_map(|name| Some((name, std::env::var(name).ok()?)));
    let locale = values.find(|(_, value)| !value.is_empty());
    let row = |status, found| Row {
        status,
        purpose: "shows the suits at the terminal",
        remedy: "Set a locale with UTF-8, such as LC_ALL=C.UTF-8.",
        ..Row::ok("Machine", "Unicode", found)
    };
    match locale {
        _ if cfg!(windows) => row(Status::Ok, "yes".to_string()),
        Some((name, value)) => {
            let plain = value.to_lowercase().replace('-', "");
            let status = if plain.contains("utf8") { Status::Ok } else { Status::Missing };
            row(status, format!("{name}={value}"))
        }
        None => row(Status::Missing, "no locale is set".to_string()),
    }
}

/// Checks the folders that the program reads and writes.
pub fn folders() -> Vec<Row> {
    let group = "Folders";
    let mut rows = Vec::new();
    for folder in registry::folders_of_named_bots() {
        let shown = folder.display();
        let found = match folder.is_dir() {
            true => format!("{shown}"),
            false => format!("{shown} (not there: only released bots and paths are found)"),
        };
        rows.push(Row::ok(group, "bots by name", found));
    }
    rows.push(Row::ok(group, "recipes", "the path that is given, else the built-in recipes"));
    rows.push(writable(
        "runs",
        Path::new(RUNS),
        Status::Missing,
        "Name a folder that you may write to: troel train quickstart --run FOLDER",
    ));
    rows.push(temporary_files(&std::env::temp_dir()));
    rows
}

/// Checks the folder of temporary files, which programs expect to be there.
fn temporary_files(folder: &Path) -> Row {
    let (name, status) = ("temporary files", Status::Missing);
    let remedy = "Set TMPDIR to a folder that you may write to.";
    if folder.is_dir() {
        return writable(name, folder, status, remedy);
    }
    let found = format!("{}: there is no such folder", folder.display());
    Row { status, remedy, ..Row::ok("Folders", name, found) }
}

/// Checks that files can be written in a folder, or in the folder above if it does not exist yet.
/// Otherwise the row has `status`.
fn writable(name: &'static str, folder: &Path, status: Status, remedy: &'static str) -> Row {
    let place = if folder.is_dir() { folder } else { Path::new(".") };
    let file = place.join(format!(".troel-doctor-{}", std::process::id()));
    let written = std::fs::File::create_new(&file);
    let is_there = written.is_ok();
    if is_there {
        let _ = std::fs::remove_file(&file);
    }
    let shown = folder.display();
    match written {
        Ok(_) if folder.is_dir() => Row::ok("Folders", name, format!("{shown} (writable)")),
        Ok(_) => Row::ok("Folders", name, format!("{shown} (can be created)")),
        Err(error) => {
            Row { status, remedy, ..Row::ok("Folders", name, format!("{shown}: {error}")) }
        }
    }
}
