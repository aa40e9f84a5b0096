//! Speed of work, and the time that the rest of it will take.

use std::fmt;
use std::time::Duration;

use indicatif::HumanDuration;

/// Units done and time spent, for each kind of work. A deal between slow bots may take a thousand
/// times as long as one between fast bots, so each kind has its own speed.
pub struct Pace {
    kinds: Vec<Kind>,
    current: usize,
    /// Time from the start to the beginning of the current kind.
    begun: Duration,
}

struct Kind {
    total: f64,
    done: f64,
    /// Units that were done before the start, which took no time.
    before: f64,
    /// Time spent until another kind was begun.
    spent: Duration,
    /// Seconds per unit that were measured beforehand, used until a unit is done.
    expected: Option<f64>,
}

/// Time that the rest of the work will take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RemainingTime {
    /// Time of the kinds that have done at least one unit.
    pub time: Duration,
    /// Whether other kinds remain, whose time is not known yet.
    pub is_lower_bound: bool,
}

impl fmt::Display for RemainingTime {
    /// Formats the time in words; with `#` in short, as in `at least 3m left`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_lower_bound { "at least " } else { "" })?;
        HumanDuration(self.time).fmt(f)?;
        f.write_str(" left")
    }
}

impl Pace {
    /// Creates kinds of work with these numbers of units. The first `before` units are done, in the
    /// order of the kinds.
    pub fn new(totals: &[f64], mut before: f64) -> Pace {
        let kind = |&total: &f64| {
            let done = before.min(total);
            before -= done;
            Kind { total, done, before: done, spent: Duration::ZERO, expected: None }
        };
        let kinds = totals.iter().map(kind).collect();
        let mut pace = Pace { kinds, current: 0, begun: Duration::ZERO };
        pace.current = pace.first_unfinished();
        pace
    }

    /// Sets the seconds that a unit of each kind is expected to take.
    pub fn expect(&mut self, seconds: &[f64]) {
        for (kind, &seconds) in self.kinds.iter_mut().zip(seconds) {
            kind.expected = Some(seconds);
        }
    }

    /// Returns the first kind with units left, else the last kind.
    fn first_unfinished(&self) -> usize {
        let unfinished = self.kinds.iter().position(|kind| kind.done < kind.total);
        unfinished.unwrap_or(self.kinds.len().saturating_sub(1))
    }

    /// Switches to this kind of work.
    pub fn begin(&mut self, kind: usize, now: Duration) {
        self.kinds[self.current].spent += now.saturating_sub(self.begun);
        (self.current, self.begun) = (kind, now);
    }

    /// Adds to the units done of the current kind.
    pub fn add(&mut self, amount: f64) {
        self.kinds[self.current].done += amount;
    }

    /// Adds to the units of the current kind that were done before the start.
    pub fn add_before(&mut self, amount: f64) {
        self.kinds[self.current].before += amount;
        self.add(amount);
    }

    /// Sets the units done, in the order of the kinds. The next unit is of the first kind that has
    /// any left.
    pub fn set(&mut self, mut done: f64, now: Duration) {
        for kind in &mut self.kinds {
            kind.done = done.min(kind.total);
            done -= kind.done;
        }
        let next = self.first_unfinished();
        if next != self.current {
            self.begin(next, now);
        }
    }

    /// Returns the number of units done, of all kinds.
    pub fn done(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.done).sum()
    }

    /// Returns the total number of units, of all kinds.
    pub fn total(&self) -> f64 {
        self.kinds.iter().map(|kind| kind.total).sum()
    }

    /// Returns units of the current kind per second; `None` before one is done, unless a speed is
    /// expected.
    pub fn rate(&self, now: Duration) -> Option<f64> {
        self.seconds_per_unit(self.current, now).map(|seconds| 1.0 / seconds)
    }

    /// Returns the time that the rest will take; `None` if it cannot be estimated yet.
    pub fn left(&self, now: Duration) -> Option<RemainingTime> {
        let (mut seconds, mut is_lower_bound, mut is_known) = (0.0, false, false);
        for (i, kind) in self.kinds.iter().enumerate() {
            let rest = (kind.total - kind.done).max(0.0);
            match self.seconds_per_unit(i, now) {
                Some(each) => (seconds, is_known) = (seconds + each * rest, true),
                None => is_lower_bound |= rest > 0.0,
            }
        }
        // All remaining units may be of kinds that have not begun.
        let says_something = is_known && (seconds >= 1.0 || !is_lower_bound);
        let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        says_something.then_some(RemainingTime { time, is_lower_bound })
    }

    fn seconds_per_unit(&self, kind: usize, now: Duration) -> Option<f64> {
        let running =
            if kind == self.current { now.saturating_sub(self.begun) } else { Duration::ZERO };
        let kind = &self.kinds[kind];
        let done = kind.done - kind.before;
        let measured = (done >= 1.0).then(|| (kind.spent + running).as_secs_f64() / done);
        measured.or(kind.expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn left(pace: &Pace, now: f64) -> (f64, bool) {
        let left = pace.left(seconds(now)).expect("something is known");
        ((left.time.as_secs_f64() * 1000.0).round() / 1000.0, left.is_lower_bound)
    }

    /// 100 deals of 0.4 seconds and 1,100 of 6 milliseconds are 47 seconds. At the price of the
    /// first they were 8 minutes.
    #[test]
    fn cheap_deals_are_not_priced_like_slow_ones() {
        let mut pace = Pace::new(&[100.0, 1100.0], 0.0);
        assert_eq!(pace.left(seconds(0.3)), None);
        pace.add(50.0);
        assert_eq!(left(&pace, 20.0), (20.0, true));
        let words = pace.left(seconds(20.0)).expect("something is known");
        assert_eq!(words.to_string(), "at least 20 seconds left");
        assert_eq!(format!("{words:#}"), "at least 20s left");
        assert_eq!(pace.rate(seconds(20.0)), Some(2.5));
        pace.add(50.0);
        pace.begin(1, seconds(40.0));
        assert_eq!(pace.left(seconds(40.0)), None, "nothing is known of what is left");
        pace.add(100.0);
        assert_eq!(left(&pace, 40.6), (6.0, false));
        assert_eq!((pace.done(), pace.total()), (200.0, 1200.0));
    }

    #[test]
    fn kinds_take_turns() {
        let mut pace = Pace::new(&[4.0, 4.0], 0.0);
        pace.add(2.0);
        pace.begin(1, seconds(2.0));
        pace.add(2.0);
        pace.begin(0, seconds(22.0));
        assert_eq!(left(&pace, 22.0), (22.0, false));
        // A deal of the first kind that takes long makes that kind dearer alone.
        assert_eq!(left(&pace, 26.0), (26.0, false));
    }

    /// Units of a run before it was resumed took no time in this process.
    #[test]
    fn units_of_before_do_not_count_for_the_speed() {
        let mut pace = Pace::new(&[500.0], 300.0);
        pace.add_before(100.0);
        assert_eq!((pace.done(), pace.left(seconds(3.0))), (400.0, None));
        pace.add(1.0);
        assert_eq!(left(&pace, 3.0), (297.0, false));
    }

    /// An expected speed holds until a unit is done, for each kind.
    #[test]
    fn expected_speeds_are_replaced_by_measured_ones() {
        let mut pace = Pace::new(&[10.0, 100.0], 5.0);
        pace.expect(&[1.0, 2.0]);
        assert_eq!(left(&pace, 0.0), (205.0, false));
        pace.set(6.0, seconds(3.0));
        assert_eq!(left(&pace, 3.0), (4.0 * 3.0 + 200.0, false));
        pace.set(10.0, seconds(10.0));
        assert_eq!(left(&pace, 10.0), (200.0, false));
        pace.set(20.0, seconds(15.0));
        assert_eq!(left(&pace, 15.0), (45.0, false));
        let resumed = Pace::new(&[10.0, 100.0], 30.0);
        assert_eq!((resumed.done(), resumed.total()), (30.0, 110.0));
    }
}
