//! Handling of SIGINT, SIGTERM and SIGHUP.
//!
//! A command that has nothing to save ends at once, and the programs of external bots end with it.
//! A training is armed: the first signal lets it save. A second signal ends it, unless it comes
//! together with the first. Either way the process then dies of the signal, so that a shell's loop
//! ends as well. A signal that the parent process ignores (`nohup`) stays ignored.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::output;

/// State of an armed training: the flag that the first signal sets, and the message at the end.
struct Armed {
    stop: Arc<AtomicBool>,
    /// Time of the first signal to this process. `stop` may also be set for another process.
    came: Option<Instant>,
    stage: Stage,
    /// None where another process speaks.
    hint: Option<String>,
}

/// Stage of a training.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// Nothing has been done that could be saved.
    Begins,
    /// There is something to save.
    Trains,
    /// All is saved.
    Saved,
}

/// Signals that come this soon after each other are one: `timeout` and process managers send theirs
/// to a process and to its group.
const ONE: Duration = Duration::from_millis(200);

static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

/// The signal that came last.
static CAME: AtomicI32 = AtomicI32::new(0);

/// A first signal sets the flag that is returned once [`trains`] was called. `hint` says how the
/// work goes on afterwards, if this process is the one that speaks.
pub fn arm(hint: Option<&str>) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    if let Ok(mut armed) = ARMED.lock() {
        let (stop, hint) = (Arc::clone(&stop), hint.map(String::from));
        *armed = Some(Armed { stop, came: None, stage: Stage::Begins, hint });
    }
    stop
}

/// There is something to save.
pub fn trains() {
    enter(Stage::Trains);
}

/// All is saved: from now on a signal ends the program, with the hint.
pub fn saved() {
    enter(Stage::Saved);
}

fn enter(stage: Stage) {
    if let Ok(mut armed) = ARMED.lock()
        && let Some(armed) = armed.as_mut()
    {
        armed.stage = stage;
    }
}

/// Handles the signals from now on.
///
/// # Errors
/// The system does not allow it.
#[cfg(unix)]
pub fn handle() -> anyhow::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored();
    let wanted =
        [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            came(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub fn handle() -> anyhow::Result<()> {
    Ok(())
}

/// Signals that are ignored, as bits from the lowest, where the system tells.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(unix)]
fn came(signal: i32) {
    // The process dies of the signal that came last.
    CAME.store(signal, Ordering::Relaxed);
    let mut armed = ARMED.lock();
    if let Some(armed) = armed.as_mut().ok().and_then(|armed| armed.as_mut()) {
        let is_first = armed.came.get_or_insert_with(Instant::now).elapsed() < ONE;
        match armed.stage {
            Stage::Trains if is_first => {
                if !armed.stop.swap(true, Ordering::Relaxed) {
                    output::note(
                        "interrupted: a checkpoint will be saved (again to leave at once)",
                    );
                }
                return;
            }
            Stage::Saved => armed.hint.iter().for_each(|hint| output::note(hint)),
            Stage::Begins | Stage::Trains => {}
        }
    }
    drop(armed);
    leave();
}

/// Ends all that was started, and dies of the signal that came.
pub fn leave() -> ! {
    troel_agents::external::end_all();
    #[cfg(unix)]
    {
        let signal = CAME.load(Ordering::Relaxed);
        // Returns only if the signal cannot be sent.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    std::process::exit(130)
}
