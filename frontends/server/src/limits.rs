//! Limits of the resources that one client may hold.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time limit for a request to arrive and be answered, and for a page to take a message.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Limits of the resources that clients may hold. A client is an address, for IPv6 its /64 network.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest number of simultaneous connections, without those of tables. The default is below
    /// the usual limits on open files.
    pub connections: usize,
    /// Largest number of simultaneous connections of one client.
    pub connections_per_client: usize,
    /// Largest number of simultaneous connections to tables of one client.
    pub tables_per_client: usize,
    /// Time after which a connection without a request is closed.
    pub header_timeout: Duration,
    /// Time after which a connection is closed whose client does not read what waits for it.
    pub write_timeout: Duration,
    /// Time after which a WebSocket without a match is closed.
    pub match_timeout: Duration,
    /// Time after which a table without a message is closed. Pings do not count as messages.
    pub idle_timeout: Duration,
    /// Number of wrong tokens that a client may send within `wrong_token_window`.
    pub max_wrong_tokens: u32,
    /// Time after which wrong tokens are forgotten.
    pub wrong_token_window: Duration,
    /// Delay before each answer to a token of a client that has sent `max_wrong_tokens` wrong ones.
    pub wrong_token_delay: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            // The requests of one client that wait for bots (256), and its pages.
            connections_per_client: 320,
            tables_per_client: 50,
            header_timeout: Duration::from_secs(5),
            write_timeout: Duration::from_secs(20),
            match_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(30 * 60),
            max_wrong_tokens: 20,
            wrong_token_window: Duration::from_secs(60),
            wrong_token_delay: Duration::from_secs(1),
        }
    }
}

/// Counter of the units of a resource that each client holds.
#[derive(Clone)]
pub struct Shares {
    max: usize,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One unit that a client holds, until it is dropped.
pub struct Share {
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
    client: IpAddr,
}

impl Shares {
    /// Returns a counter that gives each client at most `max` units.
    pub fn new(max: usize) -> Shares {
        Shares { max, held: Arc::default() }
    }

    /// Takes one more unit for a client; `None` if it holds the maximum.
    pub fn take(&self, client: IpAddr) -> Option<Share> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.get(&client).copied().unwrap_or(0);
        if own >= self.max {
            return None;
        }
        held.insert(client, own + 1);
        Some(Share { held: Arc::clone(&self.held), client })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = held.get_mut(&self.client) {
            *own -= 1;
            if *own == 0 {
                held.remove(&self.client);
            }
        }
    }
}

/// Largest number of clients whose wrong tokens are counted separately.
const MAX_COUNTED_CLIENTS: usize = 100_000;

/// Counter of the wrong tokens of each client.
pub struct WrongTokenCounter {
    max: u32,
    window: Duration,
    counts: Mutex<Counts>,
}

/// Wrong tokens in one window of time.
struct Counts {
    began: Instant,
    by_client: HashMap<IpAddr, u32>,
    /// Wrong tokens of all clients beyond `MAX_COUNTED_CLIENTS`.
    others: u32,
}

impl WrongTokenCounter {
    /// Returns a counter that allows each client `max` wrong tokens within `window`.
    pub fn new(max: u32, window: Duration) -> WrongTokenCounter {
        WrongTokenCounter { max, window, counts: Mutex::new(Counts::new()) }
    }

    /// Counts a client's token if it is wrong. Returns the time until wrong tokens are forgotten if
    /// the client had sent too many of them before.
    pub fn check(&self, client: IpAddr, is_wrong: bool) -> Option<Duration> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.began.elapsed() >= self.window {
            *counts = Counts::new();
        }
        let before = counts.count(client);
        if is_wrong {
            counts.add(client);
        }
        (before >= self.max).then(|| self.window.saturating_sub(counts.began.elapsed()))
    }
}

impl Counts {
    fn new() -> Counts {
        Counts { began: Instant::now(), by_client: HashMap::new(), others: 0 }
    }

    /// Returns whether the client is one of those that share a count, which bounds the memory.
    fn is_other(&self, client: IpAddr) -> bool {
        self.by_client.len() >= MAX_COUNTED_CLIENTS && !self.by_client.contains_key(&client)
    }

    fn count(&self, client: IpAddr) -> u32 {
        if self.is_other(client) {
            return self.others;
        }
        self.by_client.get(&client).copied().unwrap_or(0)
    }

    fn add(&mut self, client: IpAddr) {
        let count = if self.is_other(client) {
            &mut self.others
        } else {
            self.by_client.entry(client).or_insert(0)
        };
        *count = count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const B: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    #[test]
    fn each_client_has_a_share() {
        let shares = Shares::new(2);
        let held = [shares.take(A), shares.take(A)];
        assert!(held.iter().all(Option::is_some));
        assert!(shares.take(A).is_none());
        assert!(shares.take(B).is_some(), "another client has its own share");
        drop(held);
        assert!(shares.take(A).is_some(), "what is given back can be taken again");
        assert!(shares.held.lock().unwrap().is_empty(), "clients that hold nothing are forgotten");
    }

    #[test]
    fn wrong_tokens_are_counted_and_forgotten() {
        let wrong_tokens = WrongTokenCounter::new(2, Duration::from_secs(3600));
        assert_eq!((wrong_tokens.check(A, true), wrong_tokens.check(A, true)), (None, None));
        let wait = wrong_tokens.check(A, false).expect("the right token waits, too");
        assert!(wait <= Duration::from_secs(3600) && wait > Duration::from_secs(3000), "{wait:?}");
        assert!(wrong_tokens.check(A, true).is_some(), "too many");
        assert_eq!(wrong_tokens.check(B, true), None, "another client has its own count");
        let short = WrongTokenCounter::new(0, Duration::ZERO);
        assert_eq!(short.check(A, true), Some(Duration::ZERO));
        assert_eq!(short.check(B, true), Some(Duration::ZERO));
        assert_eq!(short.counts.lock().unwrap().by_client.len(), 1, "of this window alone");
    }

    #[test]
    fn clients_beyond_those_counted_share_a_count() {
        let wrong_tokens = WrongTokenCounter::new(2, Duration::from_secs(3600));
        for number in 0..MAX_COUNTED_CLIENTS as u32 {
            assert_eq!(wrong_tokens.check(std::net::Ipv4Addr::from(number).into(), true), None);
        }
        assert_eq!((wrong_tokens.check(A, true), wrong_tokens.check(B, true)), (None, None));
        assert!(wrong_tokens.check(A, true).is_some() && wrong_tokens.check(B, false).is_some());
        let counted = std::net::Ipv4Addr::from(7).into();
        assert_eq!(wrong_tokens.check(counted, true), None, "has its own count");
        assert_eq!(wrong_tokens.counts.lock().unwrap().by_client.len(), MAX_COUNTED_CLIENTS);
    }
}
