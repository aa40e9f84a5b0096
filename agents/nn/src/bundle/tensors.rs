//! Named tensors as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::error::BundleError;

/// Returns named f32 tensors as the contents of a safetensors file. `path` is named in errors.
pub(super) fn serialize_tensors<'a>(
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
            .map_err(|e| BundleError::cannot_serialize(path, e))?;
        views.push((name.as_str(), view));
    }
    safetensors::serialize(views, None).map_err(|e| BundleError::cannot_serialize(path, e))
}

/// Shape and values of tensors, by name.
pub type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

/// Parses the contents of a safetensors file. `path` is named in errors.
pub(super) fn parse_tensors(path: &Path, bytes: &[u8]) -> Result<Tensors, BundleError> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| BundleError::damaged(path, e))?;
    let mut tensors = HashMap::new();
    for (name, view) in file.tensors() {
        if view.dtype() != Dtype::F32 {
            return Err(BundleError::damaged(path, format!("tensor {name} is not f32")));
        }
        let values = view.data().chunks_exact(4);
        let values = values.map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
        tensors.insert(name, (view.shape().to_vec(), values));
    }
    Ok(tensors)
}
