//! Processes that MPI started, on one machine or many.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::point_to_point::send_receive_into;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;

use crate::collective::{Collective, CollectiveError};

/// The processes of an MPI job. Only one thread calls MPI; the other threads send it their calls.
pub struct MpiProcesses {
    rank: usize,
    size: usize,
    /// Timeout of an answer, after which the others count as lost.
    timeout: Duration,
    calls: Mutex<Calls>,
    thread: Option<JoinHandle<()>>,
}

struct Calls {
    /// `None` after MPI was left.
    to: Option<Sender<Call>>,
    answers: Receiver<Vec<Vec<u8>>>,
}

enum Call {
    AllGather(Vec<u8>),
    Exchange { partner: usize, own: Vec<u8>, wanted: usize },
    Abort,
}

impl MpiProcesses {
    /// Enters MPI.
    ///
    /// # Errors
    /// MPI cannot be entered, or this process entered it before.
    pub fn enter(timeout: Duration) -> Result<MpiProcesses, CollectiveError> {
        let (to, calls) = channel();
        let (answer, answers) = channel();
        let (place_sender, place_receiver) = channel();
        let thread = std::thread::spawn(move || {
            let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
                return;
            };
            let world = universe.world();
            let place = (world.rank() as usize, world.size() as usize);
            if place_sender.send(place).is_ok() {
                serve(&world, &calls, &answer);
            }
        });
        let place = place_receiver.recv();
        let (rank, size) =
            place.map_err(|_| CollectiveError::Lost("MPI cannot be entered".into()))?;
        let calls = Mutex::new(Calls { to: Some(to), answers });
        Ok(MpiProcesses { rank, size, timeout, calls, thread: Some(thread) })
    }

    /// Ends the whole job, the processes on other machines too, and this one.
    pub fn abort(&self) -> ! {
        if let Ok(calls) = self.calls.lock()
            && let Some(to) = &calls.to
            && to.send(Call::Abort).is_ok()
        {
            // MPI may still wait for a process that does not answer. Then mpirun ends the other
            // processes when this one exits.
            let _ = calls.answers.recv_timeout(Duration::from_secs(10));
        }
        std::process::exit(1)
    }

    /// Sends a call to the thread of MPI, and returns the answer.
    fn call(&self, call: Call, timeout: Option<Duration>) -> Result<Vec<Vec<u8>>, CollectiveError> {
        let lost = |why: String| CollectiveError::Lost(why);
        let calls = self.calls.lock().map_err(|_| lost("a thread panicked".into()))?;
        let to = calls.to.as_ref().ok_or_else(|| lost("MPI was left".into()))?;
        to.send(call).map_err(|_| lost("MPI has ended".into()))?;
        let ended = || lost("MPI has ended".into());
        let Some(timeout) = timeout else { return calls.answers.recv().map_err(|_| ended()) };
        calls.answers.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => {
                lost(format!("no answer for {} seconds", timeout.as_secs()))
            }
            RecvTimeoutError::Disconnected => ended(),
        })
    }
}

impl Drop for MpiProcesses {
    fn drop(&mut self) {
        // The others would wait for a process that panics.
        if std::thread::panicking() {
            self.abort();
        }
        if let Ok(calls) = self.calls.get_mut() {
            calls.to = None;
        }
        // MPI is left in order, which waits for the other processes.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Makes the calls to MPI until the sender is dropped.
fn serve(world: &SimpleCommunicator, calls: &Receiver<Call>, answer: &Sender<Vec<Vec<u8>>>) {
    for call in calls {
        let answered = match call {
            Call::AllGather(own) => all_gather(world, &own),
            Call::Exchange { partner, own, wanted } => {
                let partner = world.process_at_rank(partner as i32);
                let mut theirs = vec![0u8; wanted];
                send_receive_into(&own[..], &partner, &mut theirs[..], &partner);
                vec![theirs]
            }
            Call::Abort => world.abort(1),
        };
        if answer.send(answered).is_err() {
            return;
        }
    }
}

fn all_gather(world: &SimpleCommunicator, own: &[u8]) -> Vec<Vec<u8>> {
    let mut lengths = vec![0u64; world.size() as usize];
    world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
    // MPI counts in 32 bits: longer messages go in several rounds.
    let round = i32::MAX as u64 / lengths.len() as u64;
    let longest = lengths.iter().copied().max().unwrap_or(0);
    let mut all: Vec<Vec<u8>> = lengths.iter().map(|&n| Vec::with_capacity(n as usize)).collect();
    for start in (0..longest).step_by(round as usize) {
        let part = |n: u64| n.saturating_sub(start).min(round) as usize;
        let counts: Vec<i32> = lengths.iter().map(|&n| part(n) as i32).collect();
        let places: Vec<i32> = counts
            .iter()
            .scan(0, |sum, &n| {
                *sum += n;
                Some(*sum - n)
            })
            .collect();
        let mut received = vec![0u8; counts.iter().map(|&n| n as usize).sum()];
        let from = (start as usize).min(own.len());
        let mine = &own[from..from + part(own.len() as u64)];
        let mut parts = PartitionMut::new(&mut received[..], &counts[..], &places[..]);
        world.all_gather_varcount_into(mine, &mut parts);
        for ((all, &n), &at) in all.iter_mut().zip(&counts).zip(&places) {
            all.extend_from_slice(&received[at as usize..][..n as usize]);
        }
    }
    all
}

impl Collective for MpiProcesses {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        self.call(Call::AllGather(own.to_vec()), Some(self.timeout))
    }

    fn wait(&self) -> Result<(), CollectiveError> {
        self.call(Call::AllGather(Vec::new()), None).map(|_| ())
    }

    fn exchange(
        &self,
        partner: usize,
        own: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, CollectiveError> {
        let call = Call::Exchange { partner, own: own.to_vec(), wanted };
        let answers = self.call(call, Some(self.timeout))?;
        Ok(answers.into_iter().next().unwrap_or_default())
    }
}
