//! Named vectors as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::error::damaged;
use super::{BundleError, write_file};

/// Writes named f32 tensors as a safetensors file.
///
/// # Errors
/// The file cannot be written.
pub fn save_vectors<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<(), BundleError> {
    write_file(path, &serialize_vectors(path, tensors)?)
}

pub(super) fn serialize_vectors<'a>(
    path: &Path,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<Vec<u8>, BundleError> {
    let tensors: Vec<(String, Vec<usize>, Vec<u8>)> = tensors
        .map(|(name, shape, values)| {
            (name, shape, values.iter().flat_map(|v| v.to_le_bytes()).collect())
        })
        .collect();
    let mut views = Vec::new();
    for (name, shape, bytes) in &tensors {
        let view = TensorView::new(Dtype::F32, shape.clone(), bytes)
            .map_err(|e| damaged(path, e.to_string()))?;
        views.push((name.as_str(), view));
    }
    safetensors::serialize(views, None).map_err(|e| damaged(path, e.to_string()))
}

/// Shape and values of tensors, by name.
pub type Named = HashMap<String, (Vec<usize>, Vec<f32>)>;

pub(super) fn parse_vectors(path: &Path, bytes: &[u8]) -> Result<Named, BundleError> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| damaged(path, e.to_string()))?;
    let mut tensors = HashMap::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(damaged(path, format!("tensor {name} is not f32")));
        }
        let values = view.data().chunks_exact(4);
        let values = values.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name, (view.shape().to_vec(), values));
    }
    Ok(tensors)
}
