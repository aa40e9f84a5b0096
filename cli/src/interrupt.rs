//! Handling of SIGINT, SIGTERM and SIGHUP.
//!
//! A command that has nothing to save ends at once, and the programs of external bots end with it.
//! A training is armed: the first signal lets it save. A second signal ends it, unless it comes
//! together with the first. Either way the process then dies of the signal, so that a shell's loop
//! ends as well. A signal that the parent process ignores (`nohup`) stays ignored.
//!
//! On Windows, Ctrl-C ends the program at once. A training resumes from its last checkpoint.
//!
//! With `--supervised`, the end of standard input is like a first signal, on all systems.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::output;

/// State of an armed training.
struct Armed {
    /// Flag that the first signal sets.
    stop: Arc<AtomicBool>,
    /// Time of the first signal to this process. `stop` may also be set for another process.
    first_signal: Option<Instant>,
    stage: Stage,
    /// Message at the end; `None` if another process prints it.
    hint: Option<String>,
}

/// Stage of a training.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is nothing to save yet.
    Begins,
    /// There is something to save.
    Savable,
    /// All is saved.
    Saved,
}

/// Time within which two signals count as one. `timeout` and process managers send theirs to a
/// process and to its group.
const SAME_SIGNAL_WINDOW: Duration = Duration::from_millis(200);

static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

/// Number of the last signal; 0 before the first.
static LAST_SIGNAL: AtomicI32 = AtomicI32::new(0);

/// Returns the flag that a first signal sets once [`mark_savable`] was called. `hint` says how to
/// resume; it is `None` in processes that print nothing.
pub fn arm(hint: Option<&str>) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    if let Ok(mut armed) = ARMED.lock() {
        let (stop, hint) = (Arc::clone(&stop), hint.map(String::from));
        *armed = Some(Armed { stop, first_signal: None, stage: Stage::Begins, hint });
    }
    stop
}

/// Notes that there is something to save.
pub fn mark_savable() {
    enter(Stage::Savable);
}

/// Notes that all is saved: from now on a signal ends the program, with the hint.
pub fn mark_saved() {
    enter(Stage::Saved);
}

fn enter(stage: Stage) {
    if let Ok(mut armed) = ARMED.lock()
        && let Some(armed) = armed.as_mut()
    {
        armed.stage = stage;
    }
}

/// Starts to handle the signals.
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
            handle_signal(signal);
        }
    });
    Ok(())
}

#[cfg(not(unix))]
pub fn handle() -> anyhow::Result<()> {
    Ok(())
}

/// Returns the signals that are ignored, as bits from the lowest; 0 if the system does not say.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Stops like a signal when standard input has a byte or ends, because the program at its other end
/// asks for it or has died.
pub fn stop_at_end_of_input() {
    std::thread::spawn(|| {
        // Input that cannot be read has ended, too.
        let _ = std::io::Read::read(&mut std::io::stdin().lock(), &mut [0]);
        stop();
    });
}

#[cfg(unix)]
fn handle_signal(signal: i32) {
    // The process dies of the signal that came last.
    LAST_SIGNAL.store(signal, Ordering::Relaxed);
    stop();
}

/// Lets a training save, or ends the process if there is nothing to save or it was asked before.
fn stop() {
    let mut armed = ARMED.lock();
    if let Some(armed) = armed.as_mut().ok().and_then(|armed| armed.as_mut()) {
        let is_first =
            armed.first_signal.get_or_insert_with(Instant::now).elapsed() < SAME_SIGNAL_WINDOW;
        match armed.stage {
            Stage::Savable if is_first => {
                if !armed.stop.swap(true, Ordering::Relaxed) {
                    output::note(
                        "interrupted: a checkpoint will be saved (interrupt again to end at once)",
                    );
                }
                return;
            }
            Stage::Saved => armed.hint.iter().for_each(|hint| output::note(hint)),
            Stage::Begins | Stage::Savable => {}
        }
    }
    drop(armed);
    leave();
}

/// Ends all programs that were started, and dies of the last signal. Without a signal, the exit
/// status is 130.
pub fn leave() -> ! {
    troel_agents::external::end_all();
    #[cfg(unix)]
    {
        let signal = LAST_SIGNAL.load(Ordering::Relaxed);
        // Returns only if the signal cannot be sent.
        let _ = signal_hook::low_level::emulate_default_handler(signal);
    }
    std::process::exit(130)
}
