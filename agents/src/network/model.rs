//! The network as a burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Bool, Device, Gradients, Tensor, TensorData};

use super::weights::Weights;

/// Logit of illegal actions: so low that their probability is exactly zero, but finite, so
/// that no loss or gradient turns into NaN.
pub const ILLEGAL_LOGIT: f32 = -1e9;

/// Two layers around a skip connection.
#[derive(Module, Debug)]
struct Block {
    first: Linear,
    second: Linear,
}

/// Residual MLP with a policy head and a value head.
#[derive(Module, Debug)]
pub struct Network {
    input: Linear,
    blocks: Vec<Block>,
    policy: Linear,
    value: Linear,
}

/// The device that runs everywhere.
pub fn default_device() -> Device {
    Device::flex()
}

/// The device of this name: `cpu`, or `cuda` and `wgpu` where they are built in.
///
/// # Errors
/// The name is unknown, or the device is not part of this build.
pub fn device(name: &str) -> Result<Device, String> {
    match name {
        "cpu" => Ok(default_device()),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(Default::default())),
        "cuda" | "wgpu" => Err(format!(
            "device {name:?} is not part of this build; build with `--features {name}`"
        )),
        _ => Err(format!("device {name:?} is unknown; use \"cpu\", \"cuda\" or \"wgpu\"")),
    }
}

impl Network {
    /// The network with these weights on a device (with autodiff for training).
    pub fn new(weights: &Weights, device: &Device) -> Network {
        let mut rest = weights.values.as_slice();
        let mut layers = weights.config.layers().into_iter().map(|(_, inputs, outputs)| {
            let (matrix, after) = rest.split_at(inputs * outputs);
            let (bias, after) = after.split_at(outputs);
            rest = after;
            let matrix = TensorData::new(matrix.to_vec(), [inputs, outputs]);
            let bias = TensorData::new(bias.to_vec(), [outputs]);
            Linear {
                weight: Param::from_tensor(Tensor::from_data(matrix, device)),
                bias: Some(Param::from_tensor(Tensor::from_data(bias, device))),
            }
        });
        let mut next = || layers.next().expect("the layer list has every layer of the network");
        Network {
            input: next(),
            blocks: (0..weights.config.blocks)
                .map(|_| Block { first: next(), second: next() })
                .collect(),
            policy: next(),
            value: next(),
        }
    }

    /// Logits `[batch, N_ACTIONS]` with illegal actions at [`ILLEGAL_LOGIT`], and values
    /// `[batch, 1]`, of features `[batch, N_FEATURES]` and the illegal actions
    /// `[batch, N_ACTIONS]`.
    pub fn forward(&self, features: Tensor<2>, illegal: Tensor<2, Bool>) -> (Tensor<2>, Tensor<2>) {
        let mut hidden = relu(self.input.forward(features));
        for block in &self.blocks {
            let inner = relu(block.first.forward(hidden.clone()));
            hidden = hidden + block.second.forward(inner);
        }
        let hidden = relu(hidden);
        let logits = self.policy.forward(hidden.clone()).mask_fill(illegal, ILLEGAL_LOGIT);
        (logits, self.value.forward(hidden))
    }

    /// The gradients in the order of [`super::NetworkConfig::tensors`]; zeros where there is none.
    pub fn flat_gradients(&self, gradients: &Gradients) -> Vec<f32> {
        let mut flat = Vec::new();
        let blocks = self.blocks.iter().flat_map(|b| [&b.first, &b.second]);
        let heads = [&self.policy, &self.value];
        for layer in std::iter::once(&self.input).chain(blocks).chain(heads) {
            let weight = layer.weight.val();
            push(&mut flat, weight.grad(gradients), weight.shape().num_elements());
            if let Some(bias) = &layer.bias {
                let bias = bias.val();
                push(&mut flat, bias.grad(gradients), bias.shape().num_elements());
            }
        }
        flat
    }
}

fn push<const D: usize>(flat: &mut Vec<f32>, gradient: Option<Tensor<D>>, len: usize) {
    match gradient.map(|g| g.into_data()) {
        Some(data) => flat.extend(data.iter::<f32>()),
        None => flat.extend(std::iter::repeat_n(0.0, len)),
    }
}
