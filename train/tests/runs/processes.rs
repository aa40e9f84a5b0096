//! Runs of several processes, as threads of this one.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::Duration;

use troel_agents::{Bot, BotError, Decision, DecisionDetail, Heuristic, Registry};
use troel_env::Observation;
use troel_train::bench_support::add_gradients;
use troel_train::{Collective, CollectiveError, Provenance, TrainConfig, TrainError, Trainer};

use super::{all_weights, ranks, recipe, recipe_for_all, resume};

/// Trains in several ranks until iteration `until`; returns the weights of each.
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
            Ok(match trainer.iteration() {
                // Without an average that could lag behind.
                0 => trainer.weights().values.clone(),
                _ => all_weights(&trainer),
            })
        })
    };
    std::thread::scope(|scope| {
        let all = ranks::ranks(size).into_iter().map(|rank| scope.spawn(|| work(rank)));
        let all: Vec<_> = all.collect();
        all.into_iter().map(|rank| rank.join().expect("no panic")).collect()
    })
}

/// A recipe whose deals are several chunks.
fn chunky(run: &Path) -> TrainConfig {
    TrainConfig { deals: 600, ..recipe(run, "wiezen") }
}

/// However many processes train together, the bot is that of one, bit for bit; a run may go on with
/// another number.
#[test]
fn weights_do_not_depend_on_the_number_of_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let start_in = |run: PathBuf| {
        move |rank: Arc<dyn Collective>| {
            Trainer::start(chunky(&run), Provenance::default(), Registry::default(), rank)
        }
    };
    let alone = among(1, start_in(folder.path().join("alone")), u64::MAX).remove(0);
    assert!(alone.is_ok(), "{alone:?}");
    for size in [2, 3, 4, 6] {
        let run = folder.path().join(size.to_string());
        assert!(among(size, start_in(run.clone()), 3).iter().all(Result::is_ok));
        let resume = |rank: Arc<dyn Collective>| {
            Trainer::resume(chunky(&run), Provenance::default(), Registry::default(), rank)
        };
        for weights in among(7 - size, resume, u64::MAX) {
            assert!(weights == alone, "{size} ranks: {:?}", weights.err());
        }
    }
}

/// Samples that are sent between processes keep their view of the rules.
#[test]
fn weights_under_drawn_rules_do_not_depend_on_the_number_of_processes() {
    let folder = tempfile::tempdir().expect("a folder");
    let start_in = |run: PathBuf| {
        move |rank: Arc<dyn Collective>| {
            let config = TrainConfig { deals: 600, ..recipe_for_all(&run) };
            Trainer::start(config, Provenance::default(), Registry::default(), rank)
        }
    };
    let alone = among(1, start_in(folder.path().join("alone")), 3).remove(0);
    assert!(alone.is_ok(), "{alone:?}");
    for weights in among(3, start_in(folder.path().join("three")), 3) {
        assert!(weights == alone, "{:?}", weights.err());
    }
}

/// Each gradient is added once, for any number of processes.
#[test]
fn gradients_are_added_up() {
    for (size, adding) in [(1, 1), (2, 2), (3, 2), (6, 4), (8, 8)] {
        let sums = std::thread::scope(|scope| {
            let add = |rank: Arc<dyn Collective>| {
                let own = vec![1.0, 10f32.powi(rank.rank() as i32)];
                add_gradients(own, rank.as_ref()).expect("all are there")
            };
            let ranks: Vec<_> =
                ranks::ranks(size).into_iter().map(|r| scope.spawn(move || add(r))).collect();
            ranks.into_iter().map(|rank| rank.join().expect("no panic")).collect::<Vec<_>>()
        });
        let wanted = vec![adding as f32, (0..adding).map(|rank| 10f32.powi(rank)).sum()];
        assert!(sums.iter().all(|sum| *sum == wanted), "{size}: {sums:?}");
    }
}

/// Imitated; takes its time.
struct Slow {
    pause: Duration,
    decided: Arc<AtomicUsize>,
}

impl Bot for Slow {
    fn decide(
        &mut self,
        observations: &[Observation],
        detail: DecisionDetail,
    ) -> Result<Vec<Decision>, BotError> {
        std::thread::sleep(self.pause);
        self.decided.fetch_add(observations.len(), Relaxed);
        Heuristic.decide(observations, detail)
    }
}

/// A slow process collects less, and the bot is the same.
#[test]
fn a_slow_process_collects_less() {
    let folder = tempfile::tempdir().expect("a folder");
    let train = |name: &str, pauses: &[u64]| {
        let decided: Vec<Arc<AtomicUsize>> = pauses.iter().map(|_| Arc::default()).collect();
        let start = |rank: Arc<dyn Collective>| {
            let pause = Duration::from_millis(pauses[rank.rank()]);
            let decided = decided[rank.rank()].clone();
            let slow = move |_| Box::new(Slow { pause, decided: decided.clone() }) as Box<dyn Bot>;
            let mut config = chunky(&folder.path().join(name));
            config.deals = 1500;
            config.iterations = 0;
            let imitation = config.imitation.as_mut().expect("the recipe imitates");
            (imitation.bot, imitation.iterations) = ("slow".to_string(), 4);
            let registry = Registry::default().with_bot("slow", slow);
            Trainer::start(config, Provenance::default(), registry, rank)
        };
        let weights = among(pauses.len(), start, u64::MAX);
        (weights, decided.iter().map(|decided| decided.load(Relaxed)).collect::<Vec<_>>())
    };
    let (alone, _) = train("alone", &[0]);
    let (weights, decided) = train("two", &[0, 8]);
    assert!(alone[0].is_ok() && weights.iter().all(|weights| *weights == alone[0]));
    assert!(2 * decided[1] < decided[0], "decisions of the fast and the slow one: {decided:?}");
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
        Trainer::start(config, Provenance::default(), Registry::default(), rank)
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
        let provenance = Provenance { commit, ..Provenance::default() };
        let config = recipe(&folder.path().join("run"), "wiezen");
        Trainer::start(config, provenance, Registry::default(), rank)
    };
    for refused in among(3, start, 1) {
        let refused = refused.expect_err("refused");
        assert!(refused.contains("process 2 has another version of the program"), "{refused}");
        assert!(refused.contains("decaf, not"), "{refused}");
    }
}

/// A rank that ends after `left` messages, or is interrupted instead if there is a flag for it.
struct Ending {
    rank: Arc<dyn Collective>,
    left: AtomicUsize,
    interrupts: Option<Arc<AtomicBool>>,
}

impl Ending {
    fn count(&self) -> Result<(), CollectiveError> {
        if self.left.try_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_ok() {
            return Ok(());
        }
        match &self.interrupts {
            Some(flag) => {
                flag.store(true, Relaxed);
                Ok(())
            }
            None => Err(CollectiveError::Lost("this rank has ended".into())),
        }
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

/// If a process ends, early or late, the others end with an error, and the saved checkpoints are
/// whole.
#[test]
fn a_process_that_ends_ends_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut furthest = 0;
    for messages in [0, 3, 20, 21, 110, 111, 112] {
        let run = folder.path().join(messages.to_string());
        let start = |rank: Arc<dyn Collective>| {
            let rank: Arc<dyn Collective> = match rank.rank() {
                2 => Arc::new(Ending { rank, left: messages.into(), interrupts: None }),
                _ => rank,
            };
            let mut config = recipe(&run, "wiezen");
            config.checkpoint_every = 1;
            Trainer::start(config, Provenance::default(), Registry::default(), rank)
        };
        for ended in among(3, start, u64::MAX) {
            let ended = ended.expect_err("it cannot go on");
            assert!(ended.contains("has ended"), "after {messages} messages: {ended}");
        }
        match resume(recipe(&run, "wiezen")) {
            Ok(resumed) => furthest = furthest.max(resumed.iteration()),
            Err(error) => assert!(matches!(error, TrainError::NoCheckpoint(_)), "{error}"),
        }
    }
    assert!(furthest >= 1, "none of them had saved a checkpoint");
}

/// Wherever one is interrupted, while deals are collected or in the middle of learning, all save
/// and go on as if nothing had been.
#[test]
fn a_process_that_is_interrupted_interrupts_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let begin = |run: PathBuf, rank| {
        let config = TrainConfig { checkpoint_every: 1000, ..recipe(&run, "wiezen") };
        Trainer::start(config, Provenance::default(), Registry::default(), rank)
    };
    let alone = among(1, |rank| begin(folder.path().join("alone"), rank), u64::MAX).remove(0);
    assert!(alone.is_ok(), "{alone:?}");
    // The third of three only collects.
    let all = [(6, 1), (12, 1), (13, 0), (14, 2), (18, 2), (25, 0), (26, 1), (27, 2), (60, 1)];
    for (messages, interrupted) in all {
        let size = if interrupted == 2 { 3 } else { 2 };
        let run = folder.path().join(messages.to_string());
        let start = |rank: Arc<dyn Collective>| {
            if rank.rank() != interrupted {
                return begin(run.clone(), rank);
            }
            let flag = Arc::new(AtomicBool::new(false));
            let interrupts = Some(flag.clone());
            let mut trainer =
                begin(run.clone(), Arc::new(Ending { rank, left: messages.into(), interrupts }))?;
            trainer.stop_with(flag);
            Ok(trainer)
        };
        for weights in among(size, start, u64::MAX) {
            let weights = weights.expect("it ends in order");
            assert!(Ok(weights) != alone, "{messages}: it was not interrupted");
        }
        let resume = |rank: Arc<dyn Collective>| {
            let config = TrainConfig { checkpoint_every: 1000, ..recipe(&run, "wiezen") };
            Trainer::resume(config, Provenance::default(), Registry::default(), rank)
        };
        for weights in among(2, resume, u64::MAX) {
            assert!(weights == alone, "interrupted after {messages} messages: {:?}", weights.err());
        }
    }
}
