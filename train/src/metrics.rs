//! Metrics of a run, as JSON lines and TensorBoard files.
//!
//! A line of `metrics.jsonl` is one iteration: `iteration`, `time` (seconds since 1970), and values
//! by tag:
//!
//! | tag | meaning |
//! |---|---|
//! | `charts/SPS` | decisions trained on per second, over collection and update |
//! | `charts/collect_seconds`, `charts/learn_seconds` | seconds of collection and of the update |
//! | `charts/episodic_return` | mean points per seat that learns and ordinary deal (raw points of the rules, no difference) |
//! | `charts/others_return` | the same for the seats that do not learn, only if there are such seats; the learner gains if the first is larger |
//! | `charts/global_step` | decisions trained on since the start |
//! | `charts/learning_rate` | learning rate of the update |
//! | `losses/…` | PPO: `policy_loss`, `value_loss`, `entropy`, `approx_kl`, `clipfrac`, `grad_norm`, `explained_variance`, as in CleanRL |
//! | `losses/entropy_calls`, `losses/entropy_cards` | the entropy, in nats, at calls and at cards |
//! | `vine/tried`, `vine/dead` | calls that vines tried, and the share of them with a probability below 10⁻⁶; only with `[vine]` |
//! | `losses/anchor_loss` | cross-entropy with the call of the anchor, per decision at which it was asked; only with `[anchor]` |
//! | `losses/taught`, `losses/taught_loss` | decisions at which actions were taught, and the cross-entropy with them; only with `[defence]` or `[bid_lessons]` |
//! | `imitation/…` | imitation: `cross_entropy`, `value_loss`, `entropy`, `missed` (share of decisions at which the network's likeliest action differs from the bot's), `grad_norm` |
//! | `critic/value_loss`, `critic/grad_norm` | the critic that sees all four hands |
//! | `bids/KIND`, `bids/passed_out` | share of the ordinary deals with this contract, or with none |
//! | `made/KIND` | share of contracts made, of those that recorded seats declared in ordinary deals |
//! | `scenarios/…` | the same for scenario deals: `deals` (their number), `episodic_return`, `bids/KIND`, `made/KIND` |
//! | `eval/BOT`, `eval/BOT/low`, `eval/BOT/high` | points per deal minus the baseline's, and their 95 % confidence interval |
//! | `problems/SUITE`, `problems/SUITE_lost`, `problems/SUITE_least` | at each evaluation: share of the suite's problems that the bot solves, 0 to 1, the points that it loses per problem, and the smallest probability that it gives the right answers of any problem |

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use protobuf::Message;
use serde_json::{Map, Value};
use tensorboard_proto::event::Event;
use tensorboard_rs::record_writer::RecordWriter;
use tensorboard_rs::summary::scalar;

use crate::run_folder::{METRICS_FILE, TENSORBOARD_FOLDER};

/// The longest file of metrics that is read, in bytes: some million iterations.
const MAX_METRICS_BYTES: u64 = 4 << 30;

/// The sinks of metrics. A sink that fails is switched off with a warning; training continues.
pub struct Metrics {
    lines: Option<File>,
    path: PathBuf,
    board: Option<Board>,
}

impl Metrics {
    /// Appends to `metrics.jsonl` in the run's folder. The lines of iterations after `done` are
    /// removed first: an interrupted run wrote them, and they will be repeated. TensorBoard files
    /// go to a new folder below `tensorboard/`, since two writers in one would truncate each other.
    pub fn new(run: &Path, tensorboard: bool, done: u64) -> Metrics {
        let path = run.join(METRICS_FILE);
        let lines = drop_lines_after(&path, done)
            .and_then(|()| OpenOptions::new().create(true).append(true).open(&path));
        let lines = lines
            .map_err(|e| tracing::warn!("{}: {e}; metrics are not written", path.display()))
            .ok();
        let root = run.join(TENSORBOARD_FOLDER);
        let board = tensorboard.then(|| Board::new(&root)).transpose();
        let board = board.unwrap_or_else(|e| {
            tracing::warn!("{}: {e}; TensorBoard files are not written", root.display());
            None
        });
        Metrics { lines, path, board }
    }

    /// Writes the values of an iteration, with the time in seconds since 1970.
    pub fn write(&mut self, iteration: u64, values: &[(String, f64)]) {
        let now = seconds_since_1970();
        let mut line = Map::new();
        line.insert("iteration".to_string(), iteration.into());
        line.insert("time".to_string(), now.into());
        for (name, value) in values {
            line.insert(name.clone(), Value::from(*value));
        }
        let text = format!("{}\n", Value::Object(line));
        if let Some(file) = &mut self.lines
            && let Err(e) = troel_files::append(file, text.as_bytes())
        {
            tracing::warn!("{}: {e}; metrics are no longer written", self.path.display());
            self.lines = None;
        }
        if let Some(board) = &mut self.board
            && let Err(e) = board.write(iteration, now, values)
        {
            tracing::warn!(
                "{}: {e}; TensorBoard files are no longer written",
                board.path.display()
            );
            self.board = None;
        }
    }

    /// Makes the lines written so far durable.
    pub fn sync(&self) {
        if let Some(Err(e)) = self.lines.as_ref().map(File::sync_data) {
            tracing::warn!("{}: {e}", self.path.display());
        }
    }
}

fn seconds_since_1970() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// A file of TensorBoard. The writer of `tensorboard-rs` has a thread that panics on a full disk
/// and ends the program. Only its records and summaries are used.
struct Board {
    path: PathBuf,
    records: RecordWriter<BufWriter<Appended>>,
}

/// A file that is appended to like `metrics.jsonl`.
struct Appended(File);

impl Write for Appended {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        troel_files::append(&mut self.0, bytes).map(|()| bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Board {
    /// Begins a file in the first of `root/0`, `root/1`, … that does not exist.
    fn new(root: &Path) -> std::io::Result<Board> {
        let folder = (0..).map(|n: u64| root.join(n.to_string())).find(|folder| !folder.exists());
        let folder = folder.unwrap_or_else(|| root.to_path_buf());
        std::fs::create_dir_all(&folder)?;
        let (now, host) = (seconds_since_1970(), gethostname::gethostname());
        // The name that TensorBoard looks for.
        let name = format!(
            "events.out.tfevents.{:010}.{}.{}.0",
            now as u64,
            host.to_string_lossy(),
            std::process::id()
        );
        let path = folder.join(name);
        let records = RecordWriter::new(BufWriter::new(Appended(File::create_new(&path)?)));
        let mut board = Board { path, records };
        let mut first = Event::new();
        first.set_wall_time(now);
        first.set_file_version("brain.Event:2".to_string());
        board.add(&first)?;
        board.records.flush()?;
        Ok(board)
    }

    fn write(&mut self, step: u64, time: f64, values: &[(String, f64)]) -> std::io::Result<()> {
        for (name, value) in values {
            let mut event = Event::new();
            event.set_summary(scalar(name, *value as f32));
            event.set_wall_time(time);
            event.set_step(step as i64);
            self.add(&event)?;
        }
        self.records.flush()
    }

    fn add(&mut self, event: &Event) -> std::io::Result<()> {
        let bytes = event.write_to_bytes().map_err(std::io::Error::other)?;
        self.records.write(&bytes)
    }
}

/// Removes the lines of iterations after `done`. A damaged line is assumed to be that of the next
/// iteration.
fn drop_lines_after(path: &Path, done: u64) -> std::io::Result<()> {
    let text = match troel_files::read(path, MAX_METRICS_BYTES) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    let (mut kept, mut last) = (Vec::new(), 0u64);
    for (i, line) in text.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let parsed: Option<Value> = serde_json::from_slice(line).ok();
        let iteration = parsed.and_then(|value| value["iteration"].as_u64());
        // A kill may leave the beginning of the last line. Its iteration is repeated.
        if iteration.is_none() && !line.ends_with(b"\n") {
            break;
        }
        last = iteration.unwrap_or(last.saturating_add(1));
        if last > done {
            continue;
        }
        if iteration.is_none() {
            let (path, number) = (path.display(), i + 1);
            tracing::warn!("{path}, line {number}: the line is damaged and is kept");
        }
        kept.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            kept.push(b'\n');
        }
    }
    if kept == text { Ok(()) } else { troel_files::replace(path, &kept) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_made_again_are_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("metrics.jsonl");
        let mut first = Metrics::new(folder.path(), false, 0);
        (1..=3).for_each(|n| first.write(n, &[("a".to_string(), 0.5)]));
        drop(first);
        // Killed in the middle of a line.
        let mut torn = std::fs::read_to_string(&path).expect("text");
        torn.push_str("{\"iteration\":4,");
        std::fs::write(&path, torn).expect("written");
        let mut second = Metrics::new(folder.path(), false, 2);
        second.write(3, &[("a".to_string(), 0.25)]);
        let text = std::fs::read_to_string(&path).expect("text");
        let iterations: Vec<Value> = text
            .lines()
            .map(|l| serde_json::from_str::<Value>(l).expect("JSON")["iteration"].clone())
            .collect();
        assert_eq!(iterations, [1, 2, 3]);
    }
    /// A byte that is not UTF-8, or a line that is not JSON, affects that line only.
    #[test]
    fn damaged_lines_neither_double_iterations_nor_cost_others() {
        for done in [1, 3, 4] {
            for damaged in 1..=5 {
                let folder = tempfile::tempdir().expect("a folder");
                let path = folder.path().join("metrics.jsonl");
                let mut metrics = Metrics::new(folder.path(), false, 0);
                (1..=5).for_each(|n| metrics.write(n, &[("a".to_string(), 0.5)]));
                drop(metrics);
                let whole = std::fs::read(&path).expect("bytes");
                let mut lines: Vec<Vec<u8>> =
                    whole.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
                lines[damaged - 1][5] = 0xff;
                std::fs::write(&path, lines.concat()).expect("written");
                let mut metrics = Metrics::new(folder.path(), false, done);
                (done + 1..=5).for_each(|n| metrics.write(n, &[("a".to_string(), 0.5)]));
                let now = std::fs::read(&path).expect("bytes");
                let now: Vec<&[u8]> = now.split_inclusive(|&b| b == b'\n').collect();
                assert_eq!(now.len(), 5, "{done} {damaged}");
                for (i, line) in now.iter().enumerate() {
                    let n = i as u64 + 1;
                    if n <= done {
                        assert_eq!(*line, lines[i], "{done} {damaged}");
                    } else {
                        let value: Value = serde_json::from_slice(line).expect("made again");
                        assert_eq!(value["iteration"], n);
                    }
                }
            }
        }
    }
}
