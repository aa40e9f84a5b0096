//! Several ranks as threads of one process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use troel_train::{Collective, CollectiveError};

/// A rank that speaks to the others over channels.
struct Thread {
    rank: usize,
    to: Vec<Sender<Vec<u8>>>,
    from: Vec<Mutex<Receiver<Vec<u8>>>>,
}

/// Returns `size` ranks.
pub fn ranks(size: usize) -> Vec<Arc<dyn Collective>> {
    let mut senders: Vec<Vec<Sender<Vec<u8>>>> = (0..size).map(|_| Vec::new()).collect();
    let mut receivers: Vec<Vec<Mutex<Receiver<Vec<u8>>>>> = (0..size).map(|_| Vec::new()).collect();
    for to in &mut receivers {
        for from in &mut senders {
            let (sender, receiver) = channel();
            from.push(sender);
            to.push(Mutex::new(receiver));
        }
    }
    let both = senders.into_iter().zip(receivers).enumerate();
    both.map(|(rank, (to, from))| Arc::new(Thread { rank, to, from }) as Arc<dyn Collective>)
        .collect()
}

impl Thread {
    fn receive(&self, from: usize) -> Result<Vec<u8>, CollectiveError> {
        let receiver = self.from[from].lock().expect("no rank panicked");
        receiver.recv().map_err(|_| CollectiveError::Lost(format!("rank {from} has ended")))
    }
}

impl Collective for Thread {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        for to in &self.to {
            // One that has ended is found when it is read from.
            let _ = to.send(own.to_vec());
        }
        (0..self.size()).map(|from| self.receive(from)).collect()
    }

    fn exchange(
        &self,
        partner: usize,
        own: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, CollectiveError> {
        let _ = self.to[partner].send(own.to_vec());
        let theirs = self.receive(partner)?;
        assert_eq!(theirs.len(), wanted, "what rank {partner} sends is what is wanted");
        Ok(theirs)
    }
}
