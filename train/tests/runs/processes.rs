//! Runs of several processes, as threads of this one.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use troel_agents::Registry;
use troel_train::collective::{Collective, CollectiveError};
use troel_train::{Origin, TrainError, Trainer};

use super::{all_weights, ranks, recipe, resume, weights};

/// Trains among so many ranks, each with so many threads, until `until`; returns the weights of each.
fn among(
    size: usize,
    begin: impl Fn(Arc<dyn Collective>) -> Result<Trainer, TrainError> + Sync,
    until: u64,
) -> Vec<Result<Vec<f32>, String>> {
    let work = |rank| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        pool.install(|| {
            let mut trainer = begin(rank).map_err(|error| error.to_string())?;
            trainer.train(until, |_| {}).map_err(|error| error.to_string())?;
            Ok(all_weights(&trainer))
        })
    };
    std::thread::scope(|scope| {
        let all = ranks::ranks(size).into_iter().map(|rank| scope.spawn(|| work(rank)));
        let all: Vec<_> = all.collect();
        all.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

/// However many processes train together, the bot is that of one, bit for bit; a run may go on with another number.
#[test]
fn weights_do_not_depend_on_the_number_of_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let alone = weights(&folder.path().join("alone"), "iwwa", 2);
    for size in [2, 3, 4, 6] {
        let run = folder.path().join(size.to_string());
        let start = |rank: Arc<dyn Collective>| {
            let config = recipe(&run, "iwwa");
            Trainer::start_among(config, Origin::default(), Registry::default(), rank)
        };
        let resume = |rank: Arc<dyn Collective>| {
            let config = recipe(&run, "iwwa");
            Trainer::resume_among(config, Origin::default(), Registry::default(), rank)
        };
        assert!(among(size, start, 3).iter().all(Result::is_ok));
        for weights in among(7 - size, resume, u64::MAX) {
            assert!(weights.as_ref() == Ok(&alone), "{size} ranks: {:?}", weights.err());
        }
    }
}

/// Processes that do not fit together do not begin.
#[test]
fn processes_of_other_recipes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |rank: Arc<dyn Collective>| {
        let mut config = recipe(&folder.path().join("run"), "wiezen");
        if rank.rank() == 1 {
            config.ppo.learning_rate *= 2.0;
        }
        Trainer::start_among(config, Origin::default(), Registry::default(), rank)
    };
    for refused in among(3, start, 1) {
        let refused = refused.expect_err("refused");
        assert!(refused.contains("process 1 has another recipe"), "{refused}");
    }
}

/// Another build of the program might play and learn otherwise.
#[test]
fn processes_of_other_builds_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = |rank: Arc<dyn Collective>| {
        let commit = ["c0ffee", "c0ffee", "decaf"][rank.rank()].to_string();
        let origin = Origin { commit, ..Origin::default() };
        let config = recipe(&folder.path().join("run"), "wiezen");
        Trainer::start_among(config, origin, Registry::default(), rank)
    };
    for refused in among(3, start, 1) {
        let refused = refused.expect_err("refused");
        assert!(refused.contains("process 2 has another version of the program"), "{refused}");
        assert!(refused.contains("decaf, not"), "{refused}");
    }
}

/// A rank that ends after so many messages.
struct Ending {
    rank: Arc<dyn Collective>,
    left: AtomicUsize,
}

impl Ending {
    fn count(&self) -> Result<(), CollectiveError> {
        let lived = self.left.try_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        lived.map(|_| ()).map_err(|_| CollectiveError::Lost("this rank has ended".into()))
    }
}

impl Collective for Ending {
    fn rank(&self) -> usize {
        self.rank.rank()
    }

    fn size(&self) -> usize {
        self.rank.size()
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CollectiveError> {
        self.count()?;
        self.rank.all_gather(own)
    }

    fn exchange(
        &self,
        partner: usize,
        own: &[u8],
        wanted: usize,
    ) -> Result<Vec<u8>, CollectiveError> {
        self.count()?;
        self.rank.exchange(partner, own, wanted)
    }
}

/// Wherever one ends, the others do not wait for ever, and what was saved is whole.
#[test]
fn a_process_that_ends_ends_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut furthest = 0;
    for messages in [0, 3, 20, 21, 60, 61, 62] {
        let run = folder.path().join(messages.to_string());
        let start = |rank: Arc<dyn Collective>| {
            let rank: Arc<dyn Collective> = match rank.rank() {
                2 => Arc::new(Ending { rank, left: messages.into() }),
                _ => rank,
            };
            let mut config = recipe(&run, "wiezen");
            config.checkpoint_every = 1;
            Trainer::start_among(config, Origin::default(), Registry::default(), rank)
        };
        for ended in among(3, start, u64::MAX) {
            let ended = ended.expect_err("it cannot go on");
            assert!(ended.contains("has ended"), "after {messages} messages: {ended}");
        }
        if let Ok(resumed) = resume(recipe(&run, "wiezen")) {
            furthest = furthest.max(resumed.iteration());
        }
    }
    assert!(furthest >= 1, "some of them had saved a checkpoint");
}
