//! Processes of an update.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::collective::{Collective, Local};

/// Processes that compute an update together.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    /// Connection between the processes.
    pub collective: &'a dyn Collective,
    /// Flag that interrupts the update. Set in one process, it interrupts all of them.
    pub stop: Option<&'a AtomicBool>,
}

impl Team<'_> {
    /// Returns a single process that nothing interrupts.
    pub fn alone() -> Team<'static> {
        Team { collective: &Local, stop: None }
    }

    /// Returns whether this process is interrupted.
    pub(super) fn stops(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
