//! Number formats of the weights on disk.

use half::f16;
use safetensors::tensor::Dtype;
use serde::{Deserialize, Serialize};

/// Number format of the weights in `model.safetensors`.
///
/// In memory, weights are always f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightFormat {
    /// 32-bit floating point.
    #[default]
    F32,
    /// 16-bit floating point: half the size, 11 significant bits, magnitudes up to 65,504.
    F16,
}

impl WeightFormat {
    /// Returns whether this is the default format.
    pub(super) fn is_default(&self) -> bool {
        *self == WeightFormat::default()
    }

    /// Returns the type of a tensor in this format.
    pub(super) fn dtype(self) -> Dtype {
        match self {
            WeightFormat::F32 => Dtype::F32,
            WeightFormat::F16 => Dtype::F16,
        }
    }

    /// Returns the nearest number that the format can hold. It is infinite beyond the range.
    pub(super) fn round(self, value: f32) -> f32 {
        match self {
            WeightFormat::F32 => value,
            WeightFormat::F16 => f16::from_f32(value).to_f32(),
        }
    }

    /// Returns the little-endian bytes of these numbers.
    pub(super) fn encode(self, values: &[f32]) -> Vec<u8> {
        match self {
            WeightFormat::F32 => values.iter().flat_map(|v| v.to_le_bytes()).collect(),
            WeightFormat::F16 => {
                values.iter().flat_map(|&v| f16::from_f32(v).to_le_bytes()).collect()
            }
        }
    }

    /// Returns the numbers in these little-endian bytes.
    pub(super) fn decode(self, bytes: &[u8]) -> Vec<f32> {
        match self {
            WeightFormat::F32 => bytes
                .chunks_exact(4)
                .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
                .collect(),
            WeightFormat::F16 => {
                bytes.chunks_exact(2).map(|b| f16::from_le_bytes([b[0], b[1]]).to_f32()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_their_format() {
        let values = [0.0, -1.5, 0.1, 65_504.0, 6e-8, 1e9];
        for format in [WeightFormat::F32, WeightFormat::F16] {
            let rounded = values.map(|value| format.round(value));
            assert_eq!(format.decode(&format.encode(&values)), rounded);
            assert_eq!(rounded.map(|value| format.round(value)), rounded);
        }
        assert_eq!(WeightFormat::F32.round(0.1), 0.1);
        // 11 significant bits: the relative error is at most 2⁻¹¹.
        assert!((WeightFormat::F16.round(0.1) - 0.1).abs() < 0.1 / 2048.0);
        assert!(WeightFormat::F16.round(65_520.0).is_infinite());
    }
}
