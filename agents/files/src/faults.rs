//! Disk operations that fail on demand, for tests.

use std::io::{Error, ErrorKind, Result};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy)]
enum InjectedFault {
    Kill(u64),
    Full(u64),
    ReadOnly(u64),
}

/// Number of disk operations so far.
static DONE: AtomicU64 = AtomicU64::new(0);

fn fault() -> Option<InjectedFault> {
    static FAULT: OnceLock<Option<InjectedFault>> = OnceLock::new();
    *FAULT.get_or_init(|| {
        let text = std::env::var("TROEL_FAULT").ok()?;
        let (kind, number) = text.split_once(':')?;
        let number = number.parse().ok()?;
        match kind {
            "kill" => Some(InjectedFault::Kill(number)),
            "full" => Some(InjectedFault::Full(number)),
            "read-only" => Some(InjectedFault::ReadOnly(number)),
            _ => None,
        }
    })
}

/// Counts an operation, and fails if it is due to fail. A kill or a full disk leaves it partially
/// done: `partial`.
pub(super) fn operation(writes: bool, partial: impl FnOnce()) -> Result<()> {
    let Some(fault) = fault() else { return Ok(()) };
    let number = DONE.fetch_add(1, Ordering::Relaxed) + 1;
    match fault {
        InjectedFault::Kill(at) if number == at => {
            partial();
            std::process::abort();
        }
        InjectedFault::Full(from) if writes && number >= from => {
            partial();
            Err(Error::new(ErrorKind::StorageFull, "no space left on device (TROEL_FAULT)"))
        }
        InjectedFault::ReadOnly(from) if number >= from => {
            Err(Error::new(ErrorKind::ReadOnlyFilesystem, "read-only file system (TROEL_FAULT)"))
        }
        _ => Ok(()),
    }
}
