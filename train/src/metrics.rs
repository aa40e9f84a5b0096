//! Metrics of a run, as JSON lines and TensorBoard files.
//!
//! A line of `metrics.jsonl` is one iteration: `iteration`, `time` (seconds since 1970), and values by tag:
//!
//! | tag | meaning |
//! |---|---|
//! | `charts/SPS` | decisions trained on per second, over collection and update |
//! | `charts/collect_seconds`, `charts/learn_seconds` | seconds of collection and of the update |
//! | `charts/episodic_return` | mean points per recorded seat and ordinary deal |
//! | `charts/global_step` | decisions trained on since the start |
//! | `charts/learning_rate` | learning rate of the update |
//! | `losses/…` | PPO: `policy_loss`, `value_loss`, `entropy`, `approx_kl`, `clipfrac`, `grad_norm`, `explained_variance`, as in CleanRL |
//! | `losses/anchor_loss` | cross-entropy with what the anchor would have called, per decision at which it was asked; only with `[anchor]` |
//! | `losses/taught`, `losses/taught_loss` | decisions at which the solver taught misère defence, and the cross-entropy with its cards; only with `[defence]` |
//! | `imitation/…` | imitation: `cross_entropy`, `value_loss`, `entropy`, `missed` (share of decisions that the network would have made otherwise), `grad_norm` |
//! | `critic/value_loss`, `critic/grad_norm` | the critic that sees all four hands |
//! | `bids/KIND`, `bids/passed_out` | share of the ordinary deals with this contract, or with none |
//! | `made/KIND` | share of contracts made, of those that recorded seats declared in ordinary deals |
//! | `scenarios/…` | the same for scenario deals: `deals` (their number), `episodic_return`, `bids/KIND`, `made/KIND` |
//! | `eval/BOT`, `eval/BOT/low`, `eval/BOT/high` | points per deal minus the baseline's, and their 95 % confidence interval |

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use tensorboard_rs::summary_writer::SummaryWriter;

/// The sinks of metrics. A sink that fails is switched off with a warning; training continues.
pub struct Metrics {
    lines: Option<File>,
    path: PathBuf,
    board: Option<SummaryWriter>,
}

impl Metrics {
    /// Appends to `metrics.jsonl` in the run's folder, after removing the lines of iterations after `done`, which an
    /// interrupted run wrote and which will be repeated. TensorBoard gets a new folder below `tensorboard/`, since two
    /// writers in one would truncate each other.
    pub fn new(run: &Path, tensorboard: bool, done: u64) -> Metrics {
        let path = run.join("metrics.jsonl");
        if let Err(e) = drop_lines_after(&path, done) {
            tracing::warn!("{}: {e}; it may hold some iterations twice", path.display());
        }
        let lines = OpenOptions::new().create(true).append(true).open(&path);
        let lines = lines
            .map_err(|e| tracing::warn!("{}: {e}; metrics are not written", path.display()))
            .ok();
        let board = if tensorboard { fresh_folder(&run.join("tensorboard")) } else { None };
        Metrics { lines, path, board: board.map(SummaryWriter::new) }
    }

    /// Writes the values of an iteration, with the time in seconds since 1970.
    pub fn write(&mut self, iteration: u64, values: &[(String, f64)]) {
        let mut line = Map::new();
        line.insert("iteration".to_string(), iteration.into());
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        line.insert("time".to_string(), now.as_secs_f64().into());
        for (name, value) in values {
            line.insert(name.clone(), Value::from(*value));
        }
        let text = format!("{}\n", Value::Object(line));
        if let Some(file) = &mut self.lines
            && let Err(e) = file.write_all(text.as_bytes())
        {
            tracing::warn!("{}: {e}; metrics are no longer written", self.path.display());
            self.lines = None;
            // A full disk would end the program through the TensorBoard writer.
            self.board = None;
        }
        if let Some(board) = &mut self.board {
            for (name, value) in values {
                board.add_scalar(name, *value as f32, iteration as usize);
            }
            board.flush();
        }
    }
}

fn drop_lines_after(path: &Path, done: u64) -> std::io::Result<()> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(()) };
    let is_kept = |line: &&str| {
        let parsed: Option<Value> = serde_json::from_str(line).ok();
        parsed.and_then(|v| v["iteration"].as_u64()).is_some_and(|n| n <= done)
    };
    let kept: String = text.lines().filter(is_kept).flat_map(|line| [line, "\n"]).collect();
    if kept == text {
        return Ok(());
    }
    let new = path.with_extension("jsonl.new");
    std::fs::write(&new, kept)?;
    std::fs::rename(new, path)
}

/// Creates the first of `root/0`, `root/1`, … that does not exist.
fn fresh_folder(root: &Path) -> Option<PathBuf> {
    for n in 0..10_000 {
        let folder = root.join(n.to_string());
        if folder.exists() {
            continue;
        }
        return match std::fs::create_dir_all(&folder) {
            Ok(()) => Some(folder),
            Err(e) => {
                tracing::warn!("{}: {e}; TensorBoard files are not written", folder.display());
                None
            }
        };
    }
    None
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
}
