//! Time that several processes take to add up their gradients.

use std::time::Instant;

use troel_nn::{NetworkConfig, Weights};
use troel_train::Collective;
use troel_train::bench_support::add_gradients;

use super::measure::{Bench, Better};

/// Rounds before those that count.
const WARM_UP: usize = 5;

/// Quantiles of the time of a round, in percent.
const QUANTILES: [usize; 2] = [50, 99];

pub fn run(bench: &mut Bench<'_>, collective: &dyn Collective) -> anyhow::Result<()> {
    anyhow::ensure!(
        collective.size() > 1,
        "--distributed measures several processes: start it by mpirun -n 2 (docs/cluster.md)"
    );
    let gradients = Weights::init(NetworkConfig::default(), 1).values;
    let (begin, mut times) = (Instant::now(), Vec::new());
    // All processes have to stop in the same round, so they ask each other; that also has them
    // begin the next one together.
    for round in 0.. {
        let lasts = times.is_empty() || begin.elapsed().as_secs_f64() < bench.seconds;
        if !collective.any(lasts)? {
            break;
        }
        let (own, start) = (gradients.clone(), Instant::now());
        std::hint::black_box(add_gradients(own, collective)?);
        if round >= WARM_UP {
            times.push(1e3 * start.elapsed().as_secs_f64());
        }
    }
    times.sort_by(f64::total_cmp);
    if collective.is_first() {
        for percent in QUANTILES {
            let at = (times.len() * percent / 100).min(times.len() - 1);
            let name = format!("all-reduce/{}/p{percent}", collective.size());
            bench.row(name, times[at], "ms", Better::Lower)?;
        }
    }
    Ok(())
}
