//! Progress of long commands. It is a bar at a terminal, elsewhere a line every ten seconds, or
//! every `TROEL_PROGRESS_SECONDS` seconds.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::output;
use crate::pace::{Pace, RemainingTime};

/// Default time between two lines where there is no terminal.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);
/// Environment variable that sets this time, in seconds.
const INTERVAL_VARIABLE: &str = "TROEL_PROGRESS_SECONDS";

fn interval() -> Duration {
    let seconds = std::env::var(INTERVAL_VARIABLE).ok().and_then(|text| text.parse().ok());
    seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(DEFAULT_INTERVAL)
}

/// Progress of some work, shown on standard error.
pub struct Progress {
    bar: Option<ProgressBar>,
    work: Arc<Work>,
}

struct Work {
    unit: &'static str,
    start: Instant,
    interval: Duration,
    status: Mutex<Status>,
}

struct Status {
    pace: Pace,
    message: String,
    last_line: Instant,
    is_finished: bool,
}

impl Progress {
    /// Shows progress over `total` units, `before` of which are done already.
    pub fn new(total: f64, before: f64, unit: &'static str) -> Progress {
        Progress::of(Pace::new(&[total], before), unit)
    }

    /// Shows progress over kinds of work that differ in speed, with these numbers of units. The
    /// first kind begins.
    pub fn of_kinds(totals: &[f64], unit: &'static str) -> Progress {
        Progress::of(Pace::new(totals, 0.0), unit)
    }

    /// Shows progress over kinds of work in order. The first `before` units are done. A unit of
    /// each kind is expected to take `seconds`, if that is known.
    pub fn in_order(
        totals: &[f64],
        before: f64,
        seconds: Option<&[f64]>,
        unit: &'static str,
    ) -> Progress {
        let mut pace = Pace::new(totals, before);
        if let Some(seconds) = seconds {
            pace.expect(seconds);
        }
        Progress::of(pace, unit)
    }

    fn of(pace: Pace, unit: &'static str) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(pace.total() as u64);
            // The message is truncated at the end of the line.
            let template = format!("{{bar:20}} {{pos}}/{{len}} {unit}{{prefix}}  {{wide_msg}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_position(pace.done() as u64);
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        let start = Instant::now();
        let status = Mutex::new(Status {
            pace,
            message: String::new(),
            last_line: start,
            is_finished: false,
        });
        let work = Arc::new(Work { unit, start, interval: interval(), status });
        if bar.is_none() {
            let work = Arc::downgrade(&work);
            // Also reports when no unit is done for long.
            std::thread::spawn(move || report_periodically(&work));
        }
        Progress { bar, work }
    }

    /// Returns the estimated remaining time, or `None` before there is an estimate.
    pub fn left(&self) -> Option<RemainingTime> {
        self.work.status.lock().ok().and_then(|status| self.work.left(&status))
    }

    /// Adds to the units done.
    pub fn add(&self, amount: f64) {
        self.update(|status| status.pace.add(amount));
    }

    /// Adds to the units done before the start, which do not count for the speed.
    pub fn add_before(&self, amount: f64) {
        self.update(|status| status.pace.add_before(amount));
    }

    /// Sets the units done in all, and the message.
    pub fn set(&self, done: f64, message: String) {
        let now = self.work.start.elapsed();
        self.update(|status| {
            status.pace.set(done, now);
            status.message = message;
        });
    }

    /// Switches to a kind of work, and sets the message.
    pub fn begin(&self, kind: usize, message: String) {
        let now = self.work.start.elapsed();
        self.update(|status| {
            status.pace.begin(kind, now);
            status.message = message;
        });
    }

    /// Sets the message.
    pub fn set_message(&self, message: String) {
        self.update(|status| status.message = message);
    }

    /// Prints a line of text, above the bar if there is one.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(output::plain(text)),
            None => output::note(text),
        }
    }

    fn update(&self, change: impl FnOnce(&mut Status)) {
        let Ok(mut status) = self.work.status.lock() else { return };
        change(&mut status);
        match &self.bar {
            Some(bar) => {
                bar.set_position((status.pace.done() + 1e-6) as u64);
                let left = self.work.left(&status);
                bar.set_prefix(left.map(|left| format!(", {left:#}")).unwrap_or_default());
                bar.set_message(output::plain(&status.message));
            }
            None => self.work.report(&mut status),
        }
    }

    /// Removes the bar and stops reporting.
    pub fn finish(&self) {
        if let Ok(mut status) = self.work.status.lock() {
            status.is_finished = true;
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Reports the progress periodically until the work is dropped.
fn report_periodically(work: &Weak<Work>) {
    while let Some(work) = work.upgrade() {
        let Ok(mut status) = work.status.lock() else { return };
        work.report(&mut status);
        // Slightly later than the next line, which a done unit prints.
        let pause = work.interval.max(Duration::from_millis(100));
        let pause = pause.saturating_add(pause / 10);
        drop(status);
        drop(work);
        std::thread::sleep(pause);
    }
}

impl Work {
    /// Prints a line, if the interval since the last one is over.
    fn report(&self, status: &mut Status) {
        if !status.is_finished && status.last_line.elapsed() >= self.interval {
            status.last_line = Instant::now();
            output::note(&self.text(status));
        }
    }

    fn left(&self, status: &Status) -> Option<RemainingTime> {
        status.pace.left(self.start.elapsed())
    }

    fn text(&self, status: &Status) -> String {
        let (done, total, unit) = (status.pace.done() + 1e-6, status.pace.total(), self.unit);
        let mut text = format!("{} of {} {unit}", done as u64, total as u64);
        // The speed is unknown before a whole unit is done.
        if let Some(rate) = status.pace.rate(self.start.elapsed()) {
            text += &format!(", {rate:.1}/s");
        }
        if let Some(left) = self.left(status) {
            text += &format!(", {left}");
        }
        if !status.message.is_empty() {
            text += &format!("  {}", status.message);
        }
        text
    }
}
