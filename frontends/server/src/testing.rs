//! A server without a network, for tests.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::sync::Semaphore;
use troel_agents::{Bot, BotError, Decision, Detail, Entry};
use troel_env::{Observation, RuleSet};

use crate::Server;
use crate::compute::Compute;
use crate::limits::{Limits, Shares};
use crate::rooms::Rooms;

/// Called before a bot decides, with the number of legal actions.
type Before = dyn Fn(u32) + Send + Sync;

/// Takes the last legal action: calls high, so that cards are played.
struct Last(Arc<Before>);

impl Bot for Last {
    fn decide(&mut self, all: &[Observation], detail: Detail) -> Result<Vec<Decision>, BotError> {
        let decide = |view: &Observation| {
            let legal = view.legal_actions();
            (self.0)(legal.len());
            Decision::sure(legal.nth_action(legal.len() - 1).expect("there is one"), detail)
        };
        Ok(all.iter().map(decide).collect())
    }
}

/// A server whose only rule set is `wiezen`, and whose bots call this before they decide.
pub fn server(before: impl Fn(u32) + Send + Sync + 'static) -> Arc<Server> {
    let before: Arc<Before> = Arc::new(before);
    let bot = Entry::custom("last", move |_| Box::new(Last(Arc::clone(&before))));
    Arc::new(Server {
        bots: Vec::new(),
        sets: vec![(RuleSet::built_in("wiezen").expect("built in"), Some(bot))],
        tables: Arc::new(Semaphore::new(8)),
        table_shares: Shares::new(8),
        limits: Limits::default(),
        most_tables: 8,
        compute: Compute::new(),
        rooms: Rooms::default(),
        token: None,
        connections: AtomicU64::new(0),
        records: None,
    })
}
