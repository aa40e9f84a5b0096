//! What happens on SIGINT, SIGTERM and SIGHUP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use troel_agents::external;

/// Status of a program that a signal ended.
pub const STATUS: u8 = 130;

/// What a first signal sets, so that work is saved.
static STOP: Mutex<Option<Arc<AtomicBool>>> = Mutex::new(None);

/// Says what a first signal sets from now on; without anything it ends the program.
pub fn set(stop: Option<Arc<AtomicBool>>) {
    if let Ok(mut place) = STOP.lock() {
        *place = stop;
    }
}

/// Handles the signals from now on.
///
/// # Errors
/// The system does not allow it.
pub fn handle() -> anyhow::Result<()> {
    Ok(ctrlc::set_handler(interrupt)?)
}

fn interrupt() {
    let stop = STOP.lock().ok().and_then(|stop| stop.clone());
    if stop.is_none_or(|stop| stop.swap(true, Ordering::Relaxed)) {
        external::end_all();
        std::process::exit(STATUS.into());
    }
    eprintln!("interrupted: saving a checkpoint (again to leave at once)");
}
