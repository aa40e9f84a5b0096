//! Runs of several processes, as threads of this one.

use std::sync::Arc;

use troel_agents::Registry;
use troel_train::collective::Collective;
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

/// Where one ends the others do not wait for ever, and what it had is kept.
#[test]
fn a_process_that_ends_ends_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let train = |rank: Arc<dyn Collective>| {
        let is_last = rank.rank() == 2;
        let config = recipe(&run, "wiezen");
        let mut trainer =
            Trainer::start_among(config, Origin::default(), Registry::default(), rank)?;
        if is_last {
            trainer.train(3, |_| {})?;
            drop(trainer);
            return Err(TrainError::NoCheckpoint(run.clone()));
        }
        Ok(trainer)
    };
    for ended in among(3, train, u64::MAX) {
        let ended = ended.expect_err("it cannot go on");
        assert!(ended.contains("cannot be reached") || ended.contains("no checkpoint"), "{ended}");
    }
    let resumed = resume(recipe(&run, "wiezen")).expect("a checkpoint");
    assert!(resumed.iteration() >= 2);
}
