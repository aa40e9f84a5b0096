use std::net::{IpAddr, Ipv4Addr};
use std::sync::mpsc;

use super::*;

/// Generous: a machine that does other things must not fail the tests.
const LONG: Duration = Duration::from_secs(60);

fn client(number: u8) -> IpAddr {
    Ipv4Addr::new(192, 0, 2, number).into()
}

fn block_on<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_time().build();
    runtime.expect("starts").block_on(test)
}

/// Waits until a condition holds.
async fn until(what: &str, holds: impl Fn() -> bool) {
    let waits = async {
        while !holds() {
            tokio::task::yield_now().await;
        }
    };
    let waited = tokio::time::timeout(LONG, waits).await;
    waited.unwrap_or_else(|_| panic!("not within {LONG:?}: {what}"));
}

/// Pieces of work that last until they are released, one at a time.
struct Slow {
    compute: Arc<Compute>,
    /// Names of pieces in the order in which they began.
    begun: mpsc::Receiver<char>,
    begins: mpsc::Sender<char>,
}

impl Slow {
    fn new(cores: usize) -> Slow {
        let (begins, begun) = mpsc::channel();
        Slow { compute: Arc::new(Compute::with_cores(cores)), begun, begins }
    }

    /// Queues a piece of work, which ends when the returned sender is dropped.
    async fn begin(&self, number: u8, name: char) -> mpsc::Sender<()> {
        let slot = self.compute.try_reserve(client(number)).expect("a slot");
        let (release, released) = mpsc::channel::<()>();
        let begins = self.begins.clone();
        let waiting = self.compute.queue.waiting();
        let running = self.compute.queue.clients().running;
        tokio::spawn(slot.run(None, move || {
            begins.send(name).expect("the test waits");
            // Ends with the other end.
            let _ = released.recv();
        }));
        // Queued before the next one is.
        let is_queued = || {
            self.compute.queue.waiting() > waiting || self.compute.queue.clients().running > running
        };
        until("the work is queued", is_queued).await;
        release
    }

    /// The pieces that have begun and were not asked for before, when there are this many.
    fn begun(&self, count: usize) -> String {
        let next = || self.begun.recv_timeout(LONG).expect("begins");
        let mut names: Vec<char> = (0..count).map(|_| next()).collect();
        names.sort_unstable();
        names.into_iter().collect()
    }

    fn nothing_more_runs(&self, running: usize) {
        assert_eq!(self.compute.queue.clients().running, running);
        assert!(self.begun.try_recv().is_err());
    }
}

impl Queue {
    fn waiting(&self) -> usize {
        self.clients().by_address.values().map(|client| client.waiting.len()).sum()
    }
}

/// Checks that a client that keeps all cores busy does not make others wait, even on one core.
#[test]
fn one_client_does_not_hold_the_others_up() {
    for cores in [1, 2, 4] {
        block_on(async {
            let slow = Slow::new(cores);
            let mut held = Vec::new();
            for _ in 0..20 {
                held.push(slow.begin(1, 'a').await);
            }
            assert_eq!(slow.begun(cores), "a".repeat(cores));
            slow.nothing_more_runs(cores);
            // Nothing that the first asked for has ended.
            let slot = slow.compute.try_reserve(client(2)).expect("a slot");
            let answered = tokio::time::timeout(LONG, slot.run(None, || 7)).await;
            assert_eq!(answered.expect("answered"), Some(7), "{cores} cores");
            slow.nothing_more_runs(cores);
        });
    }
}

/// Checks that clients take turns if more of them wait than can be served at once.
#[test]
fn clients_take_turns() {
    block_on(async {
        let slow = Slow::new(1);
        let mut held = Vec::new();
        for number in 0..=MAX_RUNNING_ABOVE_CORES {
            held.push(slow.begin(100 + number as u8, 'x').await);
        }
        slow.begun(MAX_RUNNING_ABOVE_CORES + 1);
        let mut queued = Vec::new();
        for (number, name) in [(1, 'a'), (1, 'a'), (1, 'a'), (2, 'b'), (2, 'b'), (3, 'c')] {
            queued.push(slow.begin(number, name).await);
        }
        slow.nothing_more_runs(MAX_RUNNING_ABOVE_CORES + 1);
        // One core is free at a time, and each piece ends before the next begins.
        drop(queued);
        held.pop();
        let order: String = (0..6).map(|_| slow.begun(1)).collect();
        assert_eq!(order, "abcaba");
    });
}

/// Checks that work that is given up, or panics, frees its slot.
#[test]
fn what_is_given_up_is_forgotten() {
    block_on(async {
        let slow = Slow::new(1);
        let held = slow.begin(1, 'a').await;
        slow.begun(1);
        let slot = slow.compute.try_reserve(client(1)).expect("a slot");
        let waits = tokio::spawn(slot.run(None, || ()));
        until("the work is queued", || slow.compute.queue.waiting() > 0).await;
        waits.abort();
        assert!(waits.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!((slow.compute.queue.waiting(), slow.compute.load()), (0, 1));
        let slot = slow.compute.try_reserve(client(1)).expect("a slot");
        let panics = slot.run_on(vec![1], |value: &mut Vec<i32>| {
            value.push(2);
            assert!(value.is_empty(), "a panic that the test wants");
        });
        drop(held);
        let (value, result) = tokio::time::timeout(LONG, panics).await.expect("is served");
        assert_eq!((value, result), (vec![1], None), "as before the panic");
        let is_idle = || slow.compute.queue.clients().running == 0 && slow.compute.load() == 0;
        until("all work has ended", is_idle).await;
        assert!(slow.compute.queue.clients().by_address.is_empty());
    });
}

/// A client has its share of the queue, and no more.
#[test]
fn a_client_has_a_share_of_the_queue() {
    let compute = Compute::with_cores(1);
    let slots: Vec<Slot> = (0..).map_while(|_| compute.try_reserve(client(1)).ok()).collect();
    assert_eq!(slots.len(), MAX_REQUESTS_PER_CLIENT);
    let others = (0..1000).map_while(|n| compute.try_reserve(client((n / 200) as u8 + 2)).ok());
    let others: Vec<Slot> = others.collect();
    assert_eq!(slots.len() + others.len(), MAX_REQUESTS);
    drop(slots);
    assert!(compute.try_reserve(client(1)).is_ok());
}
