//! Cancellation of searches whose answer is no longer needed.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::bot::BotError;

thread_local! {
    static CURRENT: RefCell<Option<CancelToken>> = const { RefCell::new(None) };
}

/// Cancellation token of searching bots. After cancellation they fail with
/// [`BotError::Cancelled`] within a world or two.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    is_requested: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl CancelToken {
    /// Creates a token that is cancelled after some time.
    pub fn after(limit: Duration) -> CancelToken {
        CancelToken { is_requested: Arc::default(), deadline: Instant::now().checked_add(limit) }
    }

    /// Cancels the work that runs under the token.
    pub fn cancel(&self) {
        self.is_requested.store(true, Ordering::Relaxed);
    }

    /// Runs work on this thread under this token.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Restores the previous token, even if the work panics.
        struct RestoreToken(Option<CancelToken>);
        impl Drop for RestoreToken {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _before = RestoreToken(CURRENT.replace(Some(self.clone())));
        work()
    }

    /// Fails if the token was cancelled.
    pub(crate) fn check(&self) -> Result<(), BotError> {
        if self.is_requested.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            Err(BotError::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// Cancellation token of the current thread. Worker threads inherit it.
#[derive(Clone)]
pub(crate) struct CurrentToken(Option<CancelToken>);

impl CurrentToken {
    /// Returns the token of this thread.
    pub fn get() -> CurrentToken {
        CurrentToken(CURRENT.with_borrow(Option::clone))
    }

    /// Runs work on another thread under the same token.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        match &self.0 {
            Some(cancel) => cancel.run(work),
            None => work(),
        }
    }

    /// Fails if the work was cancelled.
    pub fn check(&self) -> Result<(), BotError> {
        self.0.as_ref().map_or(Ok(()), CancelToken::check)
    }
}
