//! Context of an update.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::collective::{Collective, SingleProcess};

/// Context of an update: its processes, and the flag that interrupts it.
#[derive(Clone, Copy)]
pub struct UpdateContext<'a> {
    /// Connection between the processes.
    pub collective: &'a dyn Collective,
    /// Flag that interrupts the update. Set in one process, it interrupts all of them.
    pub stop: Option<&'a AtomicBool>,
}

impl UpdateContext<'_> {
    /// Returns the context of a single process that nothing interrupts.
    pub fn alone() -> UpdateContext<'static> {
        UpdateContext { collective: &SingleProcess, stop: None }
    }

    /// Returns whether this process is interrupted.
    pub(super) fn stops(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}
