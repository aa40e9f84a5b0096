//! Writing a checkpoint.

use std::path::Path;

use troel_files::FileError;
use troel_nn::bundle::{save_tensors, write_file, write_folder};
use troel_nn::{Bundle, BundleError};

use super::candidates::remove_old;
use super::layout::{AVERAGE_FILE, CRITIC_FILE, OPTIMIZER_FILE, POOL_FILE, PROGRESS_FILE};
use super::state::{RunState, StoredProgress};
use crate::run_folder::RESUME_FOLDER;
use crate::train_state::TrainState;

/// Writes a checkpoint into the folder of the run, and removes the oldest ones.
///
/// # Errors
/// The folder does not exist, or a file cannot be written.
pub fn save(run: &Path, state: &RunState) -> Result<(), BundleError> {
    // A folder that was removed is not created again.
    std::fs::read_dir(run).map_err(FileError::at(run))?;
    let path = &run.join(RESUME_FOLDER).join(format!("{:08}", state.progress.iteration));
    let TrainState { weights, adam, average, critic } = &state.train_state;
    let bundle = Bundle { info: state.bot_info(), weights: weights.clone() };
    let progress = StoredProgress {
        run: state.progress.clone(),
        adam_steps: adam.steps,
        critic_steps: critic.as_ref().map_or(0, |(_, adam)| adam.steps),
        average_steps: average.as_ref().map_or(0, |average| average.steps),
    };
    let text = toml::to_string(&progress)
        .map_err(|error| BundleError::cannot_serialize(&path.join(PROGRESS_FILE), error))?;
    write_folder(path, |folder| {
        bundle.write_files(folder)?;
        let vectors = |file: &str, vectors: &mut dyn Iterator<Item = (String, &Vec<f32>)>| {
            let shaped = vectors.map(|(name, v)| (name, vec![v.len()], v.as_slice()));
            save_tensors(&folder.join(file), shaped)
        };
        let named = |name: &str, values| (name.to_string(), values);
        let moments = [named("mean", &adam.mean), named("square", &adam.square)];
        vectors(OPTIMIZER_FILE, &mut moments.into_iter())?;
        let past = state.past_selves.iter().enumerate();
        vectors(POOL_FILE, &mut past.map(|(i, w)| (format!("{i:04}"), &w.values)))?;
        if let Some((critic, adam)) = critic {
            let parts = [
                named("values", &critic.values),
                named("mean", &adam.mean),
                named("square", &adam.square),
            ];
            vectors(CRITIC_FILE, &mut parts.into_iter())?;
        }
        if let Some(average) = average {
            vectors(AVERAGE_FILE, &mut std::iter::once(named("values", &average.values)))?;
        }
        write_file(&folder.join(PROGRESS_FILE), text.as_bytes())
    })?;
    remove_old(run)
}
