//! Processor time of bots. As many requests run at once as there are cores; the others wait in a
//! queue of limited length. Each client has a share of both. A request is cancelled when its answer
//! is no longer needed.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;
use troel_agents::{CancelToken, with_threads};

/// Maximum number of requests that wait or run. Others are refused.
const MAX_REQUESTS: usize = 1024;

/// Maximum number of requests of one client (one address) that wait or run.
const MAX_REQUESTS_PER_CLIENT: usize = 256;

/// Maximum number of requests that run above the number of cores, each the only one of its client.
/// A search can take a minute; another client's request starts before its end.
const MAX_RUNNING_ABOVE_CORES: usize = 8;

/// Delay before a request is tried again while the server is busy.
const BUSY_RETRY_DELAY: Duration = Duration::from_millis(200);

/// The bots' processor time.
pub struct Compute {
    queue: Arc<Queue>,
    /// Number of requests that the queue accepted.
    pub accepted: AtomicU64,
    /// Number of requests that were refused.
    pub shed: AtomicU64,
}

/// Error: the queue, or the client's share of it, is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueFull;

/// Requests that wait for a core, and requests that have one.
struct Queue {
    cores: usize,
    clients: Mutex<Clients>,
}

#[derive(Default)]
struct Clients {
    by_address: HashMap<IpAddr, ClientLoad>,
    /// Requests that run, of all clients.
    running: usize,
    /// Counts the clients that came and the requests that were given a core.
    clock: u64,
}

#[derive(Default)]
struct ClientLoad {
    /// Slots that the client holds, for requests that wait or run.
    slots: usize,
    /// Requests that run.
    running: usize,
    /// Value of `clock` when a request of this client last had a core, or when the client came.
    last_served: u64,
    waiting: VecDeque<oneshot::Sender<Core>>,
}

/// Slot of a request in the queue. Dropping it frees the slot.
pub struct Slot {
    queue: Arc<Queue>,
    client: IpAddr,
}

/// Permission to use a core. Dropping it passes the core to the next request.
struct Core {
    queue: Arc<Queue>,
    client: IpAddr,
}

/// Cancels the work when its answer is no longer needed.
struct CancelOnDrop(CancelToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Compute {
    /// Returns the processor time of this machine, with no requests yet.
    pub fn new() -> Compute {
        Compute::with_cores(std::thread::available_parallelism().map_or(1, usize::from))
    }

    fn with_cores(cores: usize) -> Compute {
        let queue = Arc::new(Queue { cores, clients: Mutex::default() });
        Compute { queue, accepted: AtomicU64::new(0), shed: AtomicU64::new(0) }
    }

    /// Returns a slot in the queue for a client.
    ///
    /// # Errors
    /// The queue, or the client's share of it, is full.
    pub fn try_reserve(&self, client: IpAddr) -> Result<Slot, QueueFull> {
        let mut clients = self.queue.clients();
        let all = clients.slots();
        let own = clients.by_address.get(&client).map_or(0, |client| client.slots);
        if all >= MAX_REQUESTS || own >= MAX_REQUESTS_PER_CLIENT {
            self.shed.fetch_add(1, Ordering::Relaxed);
            return Err(QueueFull);
        }
        clients.entry(client).slots += 1;
        self.accepted.fetch_add(1, Ordering::Relaxed);
        Ok(Slot { queue: Arc::clone(&self.queue), client })
    }

    /// Waits for a slot in the queue for a client.
    pub async fn reserve(&self, client: IpAddr) -> Slot {
        loop {
            match self.try_reserve(client) {
                Ok(slot) => return slot,
                Err(QueueFull) => tokio::time::sleep(BUSY_RETRY_DELAY).await,
            }
        }
    }

    /// Returns the number of requests that wait or run.
    pub fn load(&self) -> usize {
        self.queue.clients().slots()
    }
}

impl Clients {
    /// Returns the load of a client, which is new if it holds no slot.
    fn entry(&mut self, address: IpAddr) -> &mut ClientLoad {
        self.by_address.entry(address).or_insert_with(|| {
            self.clock += 1;
            ClientLoad { last_served: self.clock, ..ClientLoad::default() }
        })
    }

    /// Removes a client that has no requests.
    fn forget_if_idle(&mut self, address: IpAddr) {
        if let Some(client) = self.by_address.get_mut(&address) {
            client.waiting.retain(|waits| !waits.is_closed());
            if client.slots == 0 && client.running == 0 {
                self.by_address.remove(&address);
            }
        }
    }

    fn slots(&self) -> usize {
        self.by_address.values().map(|client| client.slots).sum()
    }

    /// Returns the client whose request is next, if there is a core for it. Of those that wait, it
    /// is the one with the fewest running requests, then the one that was served least recently.
    fn next_client(&self, cores: usize) -> Option<IpAddr> {
        let waiting = self.by_address.iter().filter(|(_, client)| !client.waiting.is_empty());
        let (address, client) =
            waiting.min_by_key(|(_, client)| (client.running, client.last_served))?;
        let limit = if client.running == 0 { cores + MAX_RUNNING_ABOVE_CORES } else { cores };
        (self.running < limit).then_some(*address)
    }
}

impl Queue {
    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives cores to requests that wait, as long as there are both.
    fn assign_cores(self: &Arc<Queue>) {
        let mut served = Vec::new();
        let mut guard = self.clients();
        let clients = &mut *guard;
        while let Some(address) = clients.next_client(self.cores) {
            let Some(client) = clients.by_address.get_mut(&address) else { break };
            let Some(waits) = client.waiting.pop_front() else { break };
            // A request that was given up waits no more.
            if waits.is_closed() {
                continue;
            }
            clients.clock += 1;
            clients.running += 1;
            client.running += 1;
            client.last_served = clients.clock;
            served.push((waits, Core { queue: Arc::clone(self), client: address }));
        }
        drop(guard);
        for (waits, core) in served {
            // A request that is given up at this moment returns the core by dropping it.
            let _ = waits.send(core);
        }
    }
}

impl Slot {
    /// Does the work once a core is free. The work is cancelled after `limit`, if there is one, and
    /// when the future is dropped. Returns `None` if it panicked.
    pub async fn run<R: Send + 'static>(
        self,
        limit: Option<Duration>,
        work: impl FnOnce() -> R + Send + 'static,
    ) -> Option<R> {
        let (waits, core) = oneshot::channel();
        if let Some(client) = self.queue.clients().by_address.get_mut(&self.client) {
            client.waiting.push_back(waits);
        }
        self.queue.assign_cores();
        let core: Core = core.await.ok()?;
        let cancel = CancelOnDrop(limit.map_or_else(CancelToken::default, CancelToken::after));
        let token = cancel.0.clone();
        // A searching bot may use the cores that are idle at this moment.
        let idle = self.queue.cores.saturating_sub(self.queue.clients().running);
        let threads = NonZeroUsize::MIN.saturating_add(idle);
        let done = tokio::task::spawn_blocking(move || {
            let result = with_threads(threads, || token.run(work));
            drop(core);
            result
        });
        done.await.ok()
    }

    /// Does work on a value, and returns the value with the result. If the work panicked, there is
    /// no result, and the value is as it was before.
    pub async fn run_on<T: Clone + Send + 'static, R: Send + 'static>(
        self,
        mut value: T,
        work: impl FnOnce(&mut T) -> R + Send + 'static,
    ) -> (T, Option<R>) {
        let before = value.clone();
        let done = self.run(None, move || {
            let result = work(&mut value);
            (value, result)
        });
        match done.await {
            Some((value, result)) => (value, Some(result)),
            None => (before, None),
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut clients = self.queue.clients();
        if let Some(client) = clients.by_address.get_mut(&self.client) {
            client.slots -= 1;
        }
        clients.forget_if_idle(self.client);
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let mut clients = self.queue.clients();
        clients.running -= 1;
        if let Some(client) = clients.by_address.get_mut(&self.client) {
            client.running -= 1;
        }
        clients.forget_if_idle(self.client);
        drop(clients);
        self.queue.assign_cores();
    }
}

#[cfg(test)]
mod tests;
