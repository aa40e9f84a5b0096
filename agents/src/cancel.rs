//! Giving up a search whose answer nobody waits for any more.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::bot::BotError;

thread_local! {
    static CURRENT: RefCell<Option<Cancel>> = const { RefCell::new(None) };
}

/// Cancellation token of searching bots. After cancellation they fail with
/// [`BotError::Cancelled`] within a world or two.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    asked: Arc<AtomicBool>,
    until: Option<Instant>,
}

impl Cancel {
    /// Creates a token that is cancelled after some time.
    pub fn after(limit: Duration) -> Cancel {
        Cancel { asked: Arc::default(), until: Instant::now().checked_add(limit) }
    }

    /// Cancels the work that runs under the token.
    pub fn cancel(&self) {
        self.asked.store(true, Ordering::Relaxed);
    }

    /// Runs work on this thread under this token.
    pub fn run<R>(&self, work: impl FnOnce() -> R) -> R {
        /// Puts back what was there, however the work ends.
        struct RestoreToken(Option<Cancel>);
        impl Drop for RestoreToken {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _before = RestoreToken(CURRENT.replace(Some(self.clone())));
        work()
    }

    fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
            || self.until.is_some_and(|until| Instant::now() >= until)
    }
}

/// Cancellation token of the current thread. Worker threads inherit it.
#[derive(Clone)]
pub(crate) struct Current(Option<Cancel>);

impl Current {
    /// Returns the token of this thread.
    pub fn get() -> Current {
        Current(CURRENT.with_borrow(Option::clone))
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
        match self.0.as_ref().is_some_and(Cancel::is_asked) {
            true => Err(BotError::Cancelled),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use troel_env::{BySeat, Deals, RuleSet, Seat, State};

    use super::*;
    use troel_nn::{NetworkConfig, Weights};

    use crate::bot::Bot;
    use crate::network::Evaluator;
    use crate::search::{Effort, Lookahead};
    use crate::{Detail, Pimc, decide_one};

    /// A search of minutes ends at once.
    #[test]
    fn a_search_that_is_cancelled_gives_up() {
        let rules = RuleSet::built_in("luxembourg").unwrap();
        let state = State::new(rules, &Deals::new(rules, 4).shuffled(0, Seat::North));
        let view = state.observe(state.turn(), BySeat::default());
        let weights = Weights::init(NetworkConfig::default(), 1);
        let lookahead = Lookahead::new(Evaluator::new(&weights), Effort::Worlds(100_000), 1);
        let bots: [Box<dyn Bot>; 2] = [Box::new(Pimc::new(100_000, 1)), Box::new(lookahead)];
        for mut bot in bots {
            let mut search = || decide_one(bot.as_mut(), &view, Detail::Action);
            let cancel = Cancel::default();
            cancel.cancel();
            assert_eq!(cancel.run(&mut search).unwrap_err(), BotError::Cancelled);
            let soon = Cancel::after(Duration::from_millis(20));
            assert_eq!(soon.run(&mut search).unwrap_err(), BotError::Cancelled);
        }
        let few = || decide_one(&mut Pimc::new(2, 1), &view, Detail::Action);
        assert!(Cancel::default().run(few).is_ok());
        assert!(few().is_ok(), "what ran under a token before leaves nothing behind");
    }
}
