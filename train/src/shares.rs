//! How the chunks of a rollout are divided among processes: a slow one gets fewer, so that nobody waits long for it.

use std::ops::Range;

/// What is known of each process's speed.
pub(crate) struct Shares {
    /// Chunks per second; none as long as a process has had none.
    speeds: Vec<Option<f64>>,
}

impl Shares {
    /// Equal ones.
    pub fn new(ranks: usize) -> Shares {
        Shares { speeds: vec![None; ranks] }
    }

    /// How long a process took for its chunks.
    pub fn measured(&mut self, rank: usize, chunks: usize, seconds: f64) {
        if chunks == 0 || !seconds.is_finite() {
            return;
        }
        let now = chunks as f64 / seconds.max(1e-6);
        let speed = &mut self.speeds[rank];
        // With half of what was known, so that one bad moment does not count for all.
        *speed = Some(speed.map_or(now, |before| f64::midpoint(before, now)));
    }

    /// The part of so many chunks that a process collects, so that all end as early as possible by their speeds so far. Each has
    /// at least one if there are enough, as its speed would not be measured again otherwise.
    pub fn of(&self, rank: usize, chunks: u64) -> Range<u64> {
        let fastest = self.speeds.iter().flatten().copied().reduce(f64::max).unwrap_or(1.0);
        let speeds: Vec<f64> = self.speeds.iter().map(|s| s.unwrap_or(fastest)).collect();
        let mut shares: Vec<u64> =
            (0..speeds.len() as u64).map(|rank| u64::from(rank < chunks)).collect();
        for _ in shares.iter().sum()..chunks {
            let end = |rank: &usize| (shares[*rank] + 1) as f64 / speeds[*rank];
            let first = (0..speeds.len()).min_by(|a, b| end(a).total_cmp(&end(b)));
            shares[first.expect("at least one process")] += 1;
        }
        let start = shares[..rank].iter().sum();
        start..start + shares[rank]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(shares: &Shares, chunks: u64) -> Vec<u64> {
        let ranges: Vec<_> = (0..shares.speeds.len()).map(|rank| shares.of(rank, chunks)).collect();
        let ends: Vec<u64> = ranges.iter().map(|range| range.end).collect();
        let starts: Vec<u64> = ranges.iter().map(|range| range.start).collect();
        assert_eq!(starts[1..], ends[..ends.len() - 1], "all chunks, each once");
        assert_eq!((starts[0], *ends.last().expect("one")), (0, chunks));
        ranges.iter().map(|range| range.end - range.start).collect()
    }

    #[test]
    fn equal_ones_as_long_as_nothing_is_known() {
        assert_eq!(counts(&Shares::new(3), 8), [3, 3, 2]);
        assert_eq!(counts(&Shares::new(3), 2), [1, 1, 0]);
        assert_eq!(counts(&Shares::new(1), 0), [0]);
    }

    #[test]
    fn slow_ones_get_fewer_but_one() {
        let mut shares = Shares::new(3);
        for (rank, seconds) in [(0, 1.0), (1, 2.0), (2, 100.0)] {
            shares.measured(rank, 4, seconds);
        }
        // The first two end after three seconds; the last would take 25 for one.
        assert_eq!(counts(&shares, 19), [12, 6, 1]);
        // One bad moment counts half: 2.25 chunks a second, not 0.5.
        shares.measured(0, 4, 8.0);
        assert_eq!(counts(&shares, 19), [10, 8, 1]);
    }

    #[test]
    fn who_has_had_none_counts_as_fast() {
        let mut shares = Shares::new(2);
        shares.measured(0, 1, 0.1);
        shares.measured(1, 0, 5.0);
        assert_eq!(counts(&shares, 10), [5, 5]);
        // A clock that stands still is no infinite speed.
        shares.measured(1, 1, 0.0);
        assert_eq!(counts(&shares, 10), [1, 9]);
    }
}
