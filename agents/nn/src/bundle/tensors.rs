//! Named tensors as safetensors files.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{SafeTensors, TensorView};

use super::error::BundleError;
use super::weight_format::WeightFormat;

/// Returns named tensors as the contents of a safetensors file. `path` is named in errors.
///
/// # Errors
/// A number becomes infinite in the format.
pub(super) fn serialize_tensors<'a>(
    path: &Path,
    format: WeightFormat,
    tensors: impl Iterator<Item = (String, Vec<usize>, &'a [f32])>,
) -> Result<Vec<u8>, BundleError> {
    let mut encoded = Vec::new();
    for (name, shape, values) in tensors {
        let is_too_large = |v: &&f32| v.is_finite() && !format.round(**v).is_finite();
        if let Some(value) = values.iter().find(is_too_large) {
            let message = format!("{value} in tensor {name} is too large for f16; keep f32");
            return Err(BundleError::cannot_serialize(path, message));
        }
        encoded.push((name, shape, format.encode(values)));
    }
    let mut views = Vec::new();
    for (name, shape, bytes) in &encoded {
        let view = TensorView::new(format.dtype(), shape.clone(), bytes)
            .map_err(|e| BundleError::cannot_serialize(path, e))?;
        views.push((name.as_str(), view));
    }
    safetensors::serialize(views, None).map_err(|e| BundleError::cannot_serialize(path, e))
}

/// Shape and values of tensors, by name.
pub type Tensors = HashMap<String, (Vec<usize>, Vec<f32>)>;

/// Parses the contents of a safetensors file. `path` is named in errors.
///
/// # Errors
/// The file is damaged, or a tensor has another format.
pub(super) fn parse_tensors(
    path: &Path,
    format: WeightFormat,
    bytes: &[u8],
) -> Result<Tensors, BundleError> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| BundleError::damaged(path, e))?;
    let mut tensors = HashMap::new();
    for (name, view) in file.tensors() {
        if view.dtype() != format.dtype() {
            let (found, wanted) = (view.dtype(), format.dtype());
            let message = format!("tensor {name} is {found:?}, but must be {wanted:?}");
            return Err(BundleError::damaged(path, message));
        }
        tensors.insert(name, (view.shape().to_vec(), format.decode(view.data())));
    }
    Ok(tensors)
}
