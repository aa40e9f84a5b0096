//! What happens on SIGINT, SIGTERM and SIGHUP.
//!
//! Commands that have nothing to save end as they always did, but for the programs of external bots, which end with them. A
//! training is armed: the first signal lets it save, a second ends it. Either way the process then dies of the signal, so that a
//! shell's loop ends as well. A signal that whoever started us ignores (`nohup`) stays ignored.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex};

use crate::output;

/// What a first signal sets, and what is said when nothing is left to save.
struct Armed {
    stop: Arc<AtomicBool>,
    /// Whether there is something to save.
    saves: bool,
    hint: String,
}

static ARMED: Mutex<Option<Armed>> = Mutex::new(None);

/// The signal that came first.
static CAME: AtomicI32 = AtomicI32::new(0);

/// From now on a first signal sets the flag that is returned. `hint` says how the work goes on afterwards.
pub fn arm(hint: &str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    if let Ok(mut armed) = ARMED.lock() {
        let (stop, hint) = (Arc::clone(&stop), hint.to_string());
        *armed = Some(Armed { stop, saves: true, hint });
    }
    stop
}

/// All is saved: from now on a signal ends the program, with the hint.
pub fn disarm() {
    if let Ok(mut armed) = ARMED.lock()
        && let Some(armed) = armed.as_mut()
    {
        armed.saves = false;
    }
}

/// There is something to save again.
pub fn rearm() {
    if let Ok(mut armed) = ARMED.lock()
        && let Some(armed) = armed.as_mut()
    {
        armed.saves = true;
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
    let armed = ARMED.lock();
    let armed = armed.as_ref().ok().and_then(|armed| armed.as_ref());
    CAME.store(signal, Ordering::Relaxed);
    match armed {
        Some(armed) if armed.saves && !armed.stop.swap(true, Ordering::Relaxed) => {
            output::note("interrupted: saving a checkpoint (again to leave at once)");
            return;
        }
        Some(armed) if !armed.saves => output::note(&armed.hint),
        _ => {}
    }
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
