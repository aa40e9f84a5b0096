//! Progress of long commands: a bar at a terminal, elsewhere a line every ten seconds, or every
//! `TROEL_PROGRESS_SECONDS` seconds.

use std::io::IsTerminal;
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressStyle};

use crate::output;

/// Default time between two lines where there is no terminal.
const INTERVAL: Duration = Duration::from_secs(10);
const VARIABLE: &str = "TROEL_PROGRESS_SECONDS";

fn interval() -> Duration {
    let seconds = std::env::var(VARIABLE).ok().and_then(|text| text.parse().ok());
    seconds.and_then(|s| Duration::try_from_secs_f64(s).ok()).unwrap_or(INTERVAL)
}

/// Progress of some work, shown on standard error.
pub struct Progress {
    bar: Option<ProgressBar>,
    work: Arc<Work>,
}

struct Work {
    total: f64,
    unit: &'static str,
    /// Units done before this run, which do not count for its speed.
    before: f64,
    start: Instant,
    interval: Duration,
    told: Mutex<Told>,
}

struct Told {
    done: f64,
    message: String,
    last_line: Instant,
    is_finished: bool,
}

impl Progress {
    /// Progress over `total` units, `before` of which are done already.
    pub fn new(total: f64, before: f64, unit: &'static str) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total as u64);
            // The message is truncated at the end of the line.
            let template = format!("{{bar:20}} {{pos}}/{{len}} {unit}, {{eta}} left  {{wide_msg}}");
            if let Ok(style) = ProgressStyle::with_template(&template) {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_position(before as u64);
            bar.reset_eta();
            bar.enable_steady_tick(Duration::from_millis(250));
            bar
        });
        let start = Instant::now();
        let told = Mutex::new(Told {
            done: before,
            message: String::new(),
            last_line: start,
            is_finished: false,
        });
        let work = Arc::new(Work { total, unit, before, start, interval: interval(), told });
        if bar.is_none() {
            let work = Arc::downgrade(&work);
            // Where nothing is done for long, that is said as well.
            std::thread::spawn(move || tell_at_times(&work));
        }
        Progress { bar, work }
    }

    /// Adds to the units done.
    pub fn add(&self, amount: f64) {
        self.tell(|told| told.done += amount);
    }

    /// Sets the units done in all, and the message.
    pub fn set(&self, done: f64, message: String) {
        self.tell(|told| {
            told.done = done;
            told.message = message;
        });
    }

    /// Sets the message.
    pub fn set_message(&self, message: String) {
        self.tell(|told| told.message = message);
    }

    /// Prints a line of text, above the bar if there is one.
    pub fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(output::plain(text)),
            None => output::note(text),
        }
    }

    fn tell(&self, change: impl FnOnce(&mut Told)) {
        let Ok(mut told) = self.work.told.lock() else { return };
        change(&mut told);
        match &self.bar {
            Some(bar) => {
                bar.set_position((told.done + 1e-6) as u64);
                bar.set_message(output::plain(&told.message));
            }
            None => self.work.say(&mut told),
        }
    }

    /// Removes the bar; nothing is said any more.
    pub fn finish(&self) {
        if let Ok(mut told) = self.work.told.lock() {
            told.is_finished = true;
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

/// Says how far the work is, time and again until it is dropped.
fn tell_at_times(work: &Weak<Work>) {
    while let Some(work) = work.upgrade() {
        let Ok(mut told) = work.told.lock() else { return };
        work.say(&mut told);
        // A little later than the next line, which comes by itself where work is done.
        let pause = work.interval.max(Duration::from_millis(100));
        let pause = pause.saturating_add(pause / 10);
        drop(told);
        drop(work);
        std::thread::sleep(pause);
    }
}

impl Work {
    /// Prints a line, unless the last one is not long ago.
    fn say(&self, told: &mut Told) {
        if !told.is_finished && told.last_line.elapsed() >= self.interval {
            told.last_line = Instant::now();
            output::note(&self.text(told));
        }
    }

    fn text(&self, told: &Told) -> String {
        let rate = (told.done - self.before) / self.start.elapsed().as_secs_f64();
        let (done, total, unit) = (told.done + 1e-6, self.total, self.unit);
        let mut text = format!("{} of {} {unit}", done as u64, total as u64);
        // Before a whole one is done nothing can be said of the rest.
        if told.done - self.before >= 1.0 {
            text += &format!(", {rate:.1}/s");
            let left = Duration::try_from_secs_f64((self.total - told.done).max(0.0) / rate);
            text += &format!(", {} left", HumanDuration(left.unwrap_or(Duration::MAX)));
        }
        if !told.message.is_empty() {
            text += &format!("  {}", told.message);
        }
        text
    }
}
