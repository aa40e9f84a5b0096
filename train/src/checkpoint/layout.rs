//! Files of a checkpoint beside those of its bundle.

/// State of the optimiser.
pub(super) const OPTIMIZER_FILE: &str = "optimizer.safetensors";
/// Past selves.
pub(super) const POOL_FILE: &str = "pool.safetensors";
/// Critic and the state of its optimiser.
pub(super) const CRITIC_FILE: &str = "critic.safetensors";
/// Moving average of the weights.
pub(super) const AVERAGE_FILE: &str = "average.safetensors";
/// Progress of the run, and steps of the optimisers (`StoredProgress`).
pub(super) const PROGRESS_FILE: &str = "trainer.toml";
