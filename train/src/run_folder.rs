//! Names of the files and folders in the folder of a run.

pub use troel_agents::registry::{BOT_FOLDER, RESUME_FOLDER};

/// Folder of the bots kept during training (`checkpoint_keep_every`). Each is in a folder `NNNNNN`
/// by iteration.
pub const KEPT_BOTS_FOLDER: &str = "checkpoints";

/// Folder of the bot with the best evaluation during training.
pub const BEST_BOT_FOLDER: &str = "best";

/// Folder of the run that trains the bot to start from (`start`).
pub const START_FOLDER: &str = "start";

/// Lock, held by the process that trains.
pub const LOCK_FILE: &str = "lock";

/// Metrics as JSON lines.
pub const METRICS_FILE: &str = "metrics.jsonl";

/// Folder of TensorBoard files.
pub const TENSORBOARD_FOLDER: &str = "tensorboard";
