//! Running bot programs, and killing them with all their descendants.
//!
//! Each program leads its own process group, which is killed as a whole. A descendant may leave the
//! group (`setsid`) or outlive its parent (a daemon). Each program therefore has a mark in its
//! environment, which descendants inherit. On Linux all processes with the mark, and their
//! children, are found in `/proc` and killed. A descendant survives if it runs as another user. It
//! also survives if it has left the group and has no mark, and its parent has ended.

use std::collections::BTreeMap;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// Environment variable of the marks of the bot programs that a process descends from. Colons
/// separate the marks: a bot program may itself be troel with a bot program.
const MARKS_VARIABLE: &str = "TROEL_BOT_ID";

/// Running programs: process identifier, which is also that of the group, and mark. `None` after
/// [`end_all`], when no program may start any more.
static RUNNING: Mutex<Option<BTreeMap<u32, String>>> = Mutex::new(Some(BTreeMap::new()));

/// Starts a program in a new process group, with a new mark.
///
/// # Errors
/// It cannot be started, or [`end_all`] was called.
pub(super) fn start(command: &mut Command) -> std::io::Result<Child> {
    static STARTED: AtomicU64 = AtomicU64::new(0);
    let number = STARTED.fetch_add(1, Ordering::Relaxed);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // Unique among all programs of all processes.
    let mark = format!("{}-{:x}-{number}", std::process::id(), now.as_nanos());
    let marks = match std::env::var(MARKS_VARIABLE) {
        Ok(outer) => format!("{outer}:{mark}"),
        Err(_) => mark.clone(),
    };
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // Started under the lock: `end_all` finds each program that was started before it.
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(programs) = running.as_mut() else {
        return Err(std::io::Error::other("all external bots of this process were ended"));
    };
    let child = command.env(MARKS_VARIABLE, marks).spawn()?;
    programs.insert(child.id(), mark);
    Ok(child)
}

/// Kills a program and all its descendants.
pub(super) fn end(child: &mut Child) {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    let mark = running.as_mut().and_then(|programs| programs.remove(&child.id()));
    drop(running);
    if let Some(mark) = mark {
        kill(&BTreeMap::from([(child.id(), mark)]));
    }
    // Fails if the program has already ended.
    let _ = child.kill();
    let _ = child.wait();
}

/// Kills all external bots of this process and all their descendants.
///
/// It is for a process that is about to exit without dropping them, for example after a signal.
/// (They are in their own process groups, which Ctrl-C at a terminal does not reach.) Afterwards no
/// external bot can be started in this process.
pub fn end_all() {
    let programs = RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take();
    kill(&programs.unwrap_or_default());
}

#[cfg(unix)]
fn kill(programs: &BTreeMap<u32, String>) {
    use rustix::process::{Pid, Signal, kill_process, kill_process_group};
    use std::time::{Duration, Instant};

    /// Maximum time to wait for killed processes to end. One that waits for a disk does not end.
    const KILL_TIMEOUT: Duration = Duration::from_secs(1);

    if programs.is_empty() {
        return;
    }
    let pid = |id: u32| i32::try_from(id).ok().and_then(Pid::from_raw);
    let until = Instant::now() + KILL_TIMEOUT;
    loop {
        // Found before the first one is killed: children of an ended process belong to another
        // parent.
        let found = descendants(programs);
        for group in programs.keys().filter_map(|&id| pid(id)) {
            // Fails if all of it has ended.
            let _ = kill_process_group(group, Signal::KILL);
        }
        for process in found.iter().filter_map(|&id| pid(id)) {
            let _ = kill_process(process, Signal::KILL);
        }
        // A process may have started another one just before it was killed.
        if found.is_empty() || Instant::now() >= until {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(not(unix))]
fn kill(_: &BTreeMap<u32, String>) {}

/// Returns the programs and their descendants, as far as `/proc` shows them; empty without `/proc`.
#[cfg(unix)]
fn descendants(programs: &BTreeMap<u32, String>) -> Vec<u32> {
    let mut parents = BTreeMap::new();
    let mut found: Vec<u32> = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
            continue;
        };
        let Some(parent) = parent_of_living(id) else { continue };
        parents.insert(id, parent);
        if programs.contains_key(&id) || has_mark(id, programs) {
            found.push(id);
        }
    }
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        let children = parents.iter().filter(|(_, of)| **of == parent).map(|(&id, _)| id);
        let new: Vec<u32> = children.filter(|id| !found.contains(id)).collect();
        found.extend(new);
    }
    found
}

/// Returns the parent of a process, or `None` if the process has ended, even if it is still listed.
#[cfg(unix)]
fn parent_of_living(id: u32) -> Option<u32> {
    let stat = std::fs::read(format!("/proc/{id}/stat")).ok()?;
    // The name before it, in parentheses, can be any text.
    let (_, rest) = stat.split_at(stat.iter().rposition(|&byte| byte == b')')? + 1);
    let mut fields = std::str::from_utf8(rest).ok()?.split_ascii_whitespace();
    let is_living = !matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    is_living.then_some(parent)
}

#[cfg(unix)]
fn has_mark(id: u32, programs: &BTreeMap<u32, String>) -> bool {
    let Ok(variables) = std::fs::read(format!("/proc/{id}/environ")) else { return false };
    let mut variables = variables.split(|&byte| byte == 0);
    let marks = variables.find_map(|variable| {
        let (name, marks) = variable.split_at_checked(MARKS_VARIABLE.len())?;
        (name == MARKS_VARIABLE.as_bytes()).then(|| marks.strip_prefix(b"="))?
    });
    let mut marks = marks.unwrap_or_default().split(|&byte| byte == b':');
    marks.any(|mark| programs.values().any(|known| known.as_bytes() == mark))
}
