//! Where bots think: as many at once as there are cores, a queue of limited length before them, a share of it for each client,
//! and an end when nobody waits for the answer any more.

use std::collections::HashMap;
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use troel_agents::{Cancel, with_threads};

/// Requests that wait or run, of all clients: beyond it they are turned away.
const MOST: usize = 1024;

/// Requests of one client (one address) that wait or run: it leaves room for others.
const MOST_OF_CLIENT: usize = 256;

/// The bots' processor time.
pub struct Compute {
    cores: Arc<Semaphore>,
    clients: Arc<Mutex<HashMap<IpAddr, usize>>>,
    /// Requests that were let in.
    pub accepted: AtomicU64,
    /// Requests that were turned away.
    pub shed: AtomicU64,
}

/// The queue, or the client's share of it, is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shed;

/// A place in the queue; it is free again when it is dropped.
pub struct Place {
    cores: Arc<Semaphore>,
    clients: Arc<Mutex<HashMap<IpAddr, usize>>>,
    client: IpAddr,
}

/// Cancels the work when its answer is no longer waited for.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Compute {
    /// Processor time on this machine.
    pub fn new() -> Compute {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Compute {
            cores: Arc::new(Semaphore::new(cores)),
            clients: Arc::default(),
            accepted: AtomicU64::new(0),
            shed: AtomicU64::new(0),
        }
    }

    /// A place in the queue for a client.
    ///
    /// # Errors
    /// The queue, or the client's share of it, is full.
    pub fn place(&self, client: IpAddr) -> Result<Place, Shed> {
        let mut clients = self.clients.lock().map_err(|_| Shed)?;
        let all: usize = clients.values().sum();
        let own = clients.get(&client).copied().unwrap_or(0);
        if all >= MOST || own >= MOST_OF_CLIENT {
            self.shed.fetch_add(1, Ordering::Relaxed);
            return Err(Shed);
        }
        clients.insert(client, own + 1);
        self.accepted.fetch_add(1, Ordering::Relaxed);
        Ok(Place { cores: self.cores.clone(), clients: self.clients.clone(), client })
    }

    /// Requests that wait or run.
    pub fn load(&self) -> usize {
        self.clients.lock().map_or(0, |clients| clients.values().sum())
    }
}

impl Place {
    /// Does the work once a core is free. The work is told to give up after `limit`, if there is one, and when the future is
    /// dropped. `None` if it panicked.
    pub async fn run<R: Send + 'static>(
        self,
        limit: Option<Duration>,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        let core: OwnedSemaphorePermit = self.cores.clone().acquire_owned().await.ok()?;
        let cancel = CancelOnDrop(limit.map_or_else(Cancel::default, Cancel::after));
        let token = cancel.0.clone();
        // Cores that nobody uses at this moment: a searching bot may.
        let threads = NonZeroUsize::MIN.saturating_add(self.cores.available_permits());
        let done = tokio::task::spawn_blocking(move || {
            let result = with_threads(threads, || token.run(work));
            drop(core);
            result
        });
        done.await.ok()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Ok(mut clients) = self.clients.lock()
            && let Some(own) = clients.get_mut(&self.client)
        {
            *own -= 1;
            if *own == 0 {
                clients.remove(&self.client);
            }
        }
    }
}
