//! How much of the server one client may hold, and for how long.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Limits of what clients may hold. A client is an address, for IPv6 its /64 network.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Largest number of simultaneous connections, without those of tables. The default is below
    /// the usual limits on open files.
    pub connections: usize,
    /// Largest number of simultaneous connections of one client.
    pub connections_per_client: usize,
    /// Largest number of simultaneous tables of one client.
    pub tables_per_client: usize,
    /// A connection is closed after this time without a request.
    pub silence: Duration,
    /// A connection is closed after this time in which the client reads nothing that waits for it.
    pub stall: Duration,
    /// A WebSocket is closed after this time without a match.
    pub opening: Duration,
    /// A table is closed after this time without a message. Pings do not count as messages.
    pub idle: Duration,
    /// Number of wrong tokens that a client may send within `guess_window`.
    pub guesses: u32,
    /// Time after which wrong tokens are forgotten.
    pub guess_window: Duration,
    /// Delay before the answer to a wrong token beyond `guesses`.
    pub guess_delay: Duration,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            connections: 512,
            // More than the requests of one client that wait for bots; the rest is for others.
            connections_per_client: 384,
            tables_per_client: 50,
            silence: Duration::from_secs(5),
            stall: Duration::from_secs(20),
            opening: Duration::from_secs(30),
            idle: Duration::from_secs(30 * 60),
            guesses: 20,
            guess_window: Duration::from_secs(60),
            guess_delay: Duration::from_secs(1),
        }
    }
}

/// Counts what each client holds of something.
#[derive(Clone)]
pub struct Shares {
    most: usize,
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One unit that a client holds, until it is dropped.
pub struct Share {
    held: Arc<Mutex<HashMap<IpAddr, usize>>>,
    client: IpAddr,
}

impl Shares {
    /// Shares of at most `most` units for each client.
    pub fn new(most: usize) -> Shares {
        Shares { most, held: Arc::default() }
    }

    /// One more unit for a client; `None` if it holds the maximum.
    pub fn take(&self, client: IpAddr) -> Option<Share> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let own = held.get(&client).copied().unwrap_or(0);
        if own >= self.most {
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
const COUNTED_CLIENTS: usize = 100_000;

/// Counts the wrong tokens of each client.
pub struct Guesses {
    most: u32,
    window: Duration,
    /// When the window began, and the wrong tokens of each client in it.
    counts: Mutex<(Instant, HashMap<IpAddr, u32>)>,
}

impl Guesses {
    /// At most `most` wrong tokens of each client within `window`.
    pub fn new(most: u32, window: Duration) -> Guesses {
        Guesses { most, window, counts: Mutex::new((Instant::now(), HashMap::new())) }
    }

    /// Counts a wrong token. If the client has sent too many: the time until they are forgotten.
    pub fn count(&self, client: IpAddr) -> Option<Duration> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let (began, counts) = &mut *counts;
        if began.elapsed() >= self.window {
            *began = Instant::now();
            counts.clear();
        }
        // Beyond that number nobody is counted, rather than the memory being filled.
        if counts.len() >= COUNTED_CLIENTS && !counts.contains_key(&client) {
            return None;
        }
        let own = counts.entry(client).or_insert(0);
        *own = own.saturating_add(1);
        (*own > self.most).then(|| self.window.saturating_sub(began.elapsed()))
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
        let guesses = Guesses::new(2, Duration::from_secs(3600));
        assert_eq!((guesses.count(A), guesses.count(A)), (None, None));
        let wait = guesses.count(A).expect("too many");
        assert!(wait <= Duration::from_secs(3600) && wait > Duration::from_secs(3000), "{wait:?}");
        assert_eq!(guesses.count(B), None, "another client has its own count");
        let short = Guesses::new(0, Duration::ZERO);
        assert_eq!(short.count(A), Some(Duration::ZERO));
        assert_eq!(short.counts.lock().unwrap().1.len(), 1, "of this window alone");
    }
}
