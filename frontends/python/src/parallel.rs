//! Threads that compute while Python waits.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;
use troel_agents::CancelToken;

use crate::arguments::value_error;
use crate::python_bot::is_python;

/// Threads of this process, with its id. A forked process does not have the threads of its
/// parent.
static POOL: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Returns the threads on which environments step: one per core, or `RAYON_NUM_THREADS`.
pub fn pool() -> PyResult<Arc<ThreadPool>> {
    let mut pool =
        POOL.lock().map_err(|_| value_error("the threads of this process failed before"))?;
    let process = std::process::id();
    if let Some((of, threads)) = pool.as_ref()
        && *of == process
    {
        return Ok(Arc::clone(threads));
    }
    let threads = Arc::new(rayon::ThreadPoolBuilder::new().build().map_err(value_error)?);
    // Waiting for the threads of another process would never end.
    std::mem::forget(pool.replace((process, Arc::clone(&threads))));
    Ok(threads)
}

/// Returns the threads on which a bot is asked. A bot written in Python has one, because it decides
/// in a fixed order. Other bots have those of [`pool`].
pub fn pool_for(bot: &Bound<'_, PyAny>) -> PyResult<Arc<ThreadPool>> {
    if !is_python(bot) {
        return pool();
    }
    Ok(Arc::new(rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(value_error)?))
}

/// Interval between two checks for Ctrl-C.
const INTERRUPT_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Longest wait for the end of cancelled work. It ends at the next decision of a bot, which may be
/// a program or written in Python.
const MAX_CANCEL_WAIT: Duration = Duration::from_secs(10);

/// Runs the work on a new thread, without the interpreter lock. Ctrl-C is raised at once. The work
/// then runs to its end, and its result is dropped.
pub fn interruptible<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    wait(py, &mut start(work), || py.check_signals())
}

/// Runs the work on a new thread, without the interpreter lock. `look` is called ten times a
/// second. Its error or Ctrl-C cancels the token, and is raised when the work has ended.
pub fn cancellable<R: Send + 'static>(
    py: Python<'_>,
    token: &CancelToken,
    mut look: impl FnMut() -> PyResult<()>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let mut receiver = start(work);
    wait(py, &mut receiver, || py.check_signals().and_then(|()| look())).inspect_err(|_| {
        token.cancel();
        let lent = &mut receiver;
        let _ = py.detach(move || lent.recv_timeout(MAX_CANCEL_WAIT));
    })
}

/// Starts the work on a new thread, and returns the receiver of its result.
fn start<R: Send + 'static>(work: impl FnOnce() -> R + Send + 'static) -> Receiver<R> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // The receiver is gone after Ctrl-C.
        let _ = sender.send(work());
    });
    receiver
}

/// Waits for a result without the interpreter lock. Calls `look` meanwhile, and returns its error
/// at once.
fn wait<R: Send>(
    py: Python<'_>,
    receiver: &mut Receiver<R>,
    mut look: impl FnMut() -> PyResult<()>,
) -> PyResult<R> {
    loop {
        // The closure borrows it exclusively, because threads cannot share a receiver.
        let lent = &mut *receiver;
        match py.detach(move || lent.recv_timeout(INTERRUPT_CHECK_INTERVAL)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => look()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(value_error("the computation failed; please report it"));
            }
        }
    }
}
