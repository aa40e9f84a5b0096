//! Divides the chunks of a rollout among processes. A slow process collects fewer, so that others
//! do not wait for it.

use std::ops::Range;

/// Measured speeds of the processes.
pub(crate) struct LoadBalancer {
    /// By rank; `None` for a process without timings.
    speeds: Vec<Option<ProcessSpeed>>,
}

/// Speed of a process.
#[derive(Clone, Copy)]
struct ProcessSpeed {
    /// Number of chunks that it collects at a time.
    threads: u64,
    /// Seconds of a thread for a chunk.
    seconds: f64,
}

impl LoadBalancer {
    /// Returns a balancer for `ranks` processes without timings.
    pub fn new(ranks: usize) -> LoadBalancer {
        LoadBalancer { speeds: vec![None; ranks] }
    }

    /// Updates the speed of a process.
    ///
    /// `seconds` is the mean time of one of its threads for a whole chunk. The speed stays the same
    /// if it is `None`, because no whole chunk was collected.
    pub fn record(&mut self, rank: usize, threads: usize, seconds: Option<f64>) {
        // Zero if the clock did not advance.
        let Some(seconds) = seconds.filter(|&seconds| seconds > 0.0) else { return };
        let before = self.speeds[rank].map_or(seconds, |speed| speed.seconds);
        // The mean with the previous estimate, so that one slow moment counts for half.
        let seconds = f64::midpoint(before, seconds);
        self.speeds[rank] = Some(ProcessSpeed { threads: threads.max(1) as u64, seconds });
    }

    /// Returns the part of `chunks` that a process collects. All processes are to end as early as
    /// possible at the speeds so far. Each process has at least one chunk, because it would not be
    /// measured again otherwise. If there are fewer chunks than processes, the first processes have
    /// them.
    pub fn share_of(&self, rank: usize, chunks: u64) -> Range<u64> {
        // A process without timings is assumed to be as fast as the fastest one.
        let known = self.speeds.iter().flatten().copied();
        let fastest = known.min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        let fastest = fastest.unwrap_or(ProcessSpeed { threads: 1, seconds: 1.0 });
        let speeds: Vec<_> = self.speeds.iter().map(|speed| speed.unwrap_or(fastest)).collect();
        let mut shares: Vec<u64> =
            (0..speeds.len() as u64).map(|rank| u64::from(rank < chunks)).collect();
        for _ in shares.iter().sum()..chunks {
            // Time at which a rank would end; of ranks with equal times, the one with the most idle
            // threads comes first.
            let end = |rank: usize| {
                let (ProcessSpeed { threads, seconds }, chunks) = (speeds[rank], shares[rank] + 1);
                let rounds = chunks.div_ceil(threads) as f64;
                (rounds * seconds, chunks as f64 / threads as f64 * seconds)
            };
            let order =
                |a: (f64, f64), b: (f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
            let first = (0..speeds.len()).min_by(|&a, &b| order(end(a), end(b)));
            shares[first.expect("a collective has at least one process")] += 1;
        }
        let start = shares[..rank].iter().sum();
        start..start + shares[rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(balancer: &LoadBalancer, chunks: u64) -> Vec<u64> {
        let ranges: Vec<_> =
            (0..balancer.speeds.len()).map(|rank| balancer.share_of(rank, chunks)).collect();
        let ends: Vec<u64> = ranges.iter().map(|range| range.end).collect();
        let starts: Vec<u64> = ranges.iter().map(|range| range.start).collect();
        assert_eq!(starts[1..], ends[..ends.len() - 1], "all chunks, each once");
        assert_eq!((starts[0], *ends.last().expect("one")), (0, chunks));
        ranges.iter().map(|range| range.end - range.start).collect()
    }

    #[test]
    fn processes_without_timings_have_equal_shares() {
        assert_eq!(counts(&LoadBalancer::new(3), 8), [3, 3, 2]);
        assert_eq!(counts(&LoadBalancer::new(3), 2), [1, 1, 0]);
        assert_eq!(counts(&LoadBalancer::new(1), 0), [0]);
    }

    #[test]
    fn slow_processes_have_fewer_chunks_but_at_least_one() {
        let mut balancer = LoadBalancer::new(3);
        for (rank, seconds) in [(0, 0.25), (1, 0.5), (2, 25.0)] {
            balancer.record(rank, 1, Some(seconds));
        }
        // The first two end after three seconds; the last would take 25 for one.
        assert_eq!(counts(&balancer, 19), [12, 6, 1]);
        // One bad moment counts half: half a second, not three quarters.
        balancer.record(0, 1, Some(0.75));
        assert_eq!(counts(&balancer, 19), [9, 9, 1]);
    }

    /// Chunks that the threads of a process collect in parallel take as long as one.
    #[test]
    fn noise_does_not_add_a_round_to_a_process() {
        let mut balancer = LoadBalancer::new(2);
        balancer.record(0, 16, Some(1.2));
        balancer.record(1, 16, Some(1.0));
        assert_eq!(counts(&balancer, 32), [16, 16]);
        balancer.record(0, 16, Some(0.8));
        assert_eq!(counts(&balancer, 20), [10, 10], "idle threads on both");
        balancer.record(0, 4, Some(1.4));
        assert_eq!(counts(&balancer, 32), [4, 28], "two rounds of 4 would take longer");
    }

    #[test]
    fn a_process_without_timings_is_assumed_to_be_fast() {
        let mut balancer = LoadBalancer::new(2);
        balancer.record(0, 1, Some(0.1));
        assert_eq!(counts(&balancer, 10), [5, 5]);
        // Without a chunk, or if the clock does not advance, nothing is measured.
        balancer.record(1, 1, None);
        balancer.record(1, 1, Some(0.0));
        assert_eq!(counts(&balancer, 10), [5, 5]);
    }
}
