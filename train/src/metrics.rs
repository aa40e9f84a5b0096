//! Metrics: JSON lines of our own first, TensorBoard beside them.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tensorboard_rs::summary_writer::SummaryWriter;

/// Where metrics go. Failures switch a sink off with a warning; training goes on.
pub struct Metrics {
    lines: Option<File>,
    path: PathBuf,
    board: Option<SummaryWriter>,
}

impl Metrics {
    /// Appends to `metrics.jsonl` in the run's folder; TensorBoard gets a fresh folder below
    /// `tensorboard/`, since two writers in one would truncate each other.
    pub fn new(run: &Path, tensorboard: bool) -> Metrics {
        let path = run.join("metrics.jsonl");
        let lines = OpenOptions::new().create(true).append(true).open(&path);
        let lines = lines
            .map_err(|e| tracing::warn!("{}: {e}; metrics are not written", path.display()))
            .ok();
        let board = if tensorboard { fresh_folder(&run.join("tensorboard")) } else { None };
        Metrics { lines, path, board: board.map(SummaryWriter::new) }
    }

    /// Writes the values of an iteration.
    pub fn write(&mut self, iteration: u64, values: &[(String, f64)]) {
        let mut line = Map::new();
        line.insert("iteration".to_string(), iteration.into());
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

/// Makes `root/0`, `root/1`, …: the first that is not there yet.
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
