//! The network as a burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Bool, Device, Gradients, Tensor, TensorData};

use troel_infer::{ILLEGAL_LOGIT, Weights};

/// Two layers around a skip connection.
#[derive(Module, Debug)]
struct Block {
    first: Linear,
    second: Linear,
}

/// What comes after the first layer: residual blocks, a policy head and a value head.
#[derive(Module, Debug)]
pub struct Trunk {
    blocks: Vec<Block>,
    policy: Linear,
    value: Linear,
}

/// Residual MLP with a policy head and a value head.
#[derive(Module, Debug)]
pub struct Network {
    input: Linear,
    trunk: Trunk,
}

/// The device that runs everywhere.
pub fn default_device() -> Device {
    Device::flex()
}

/// Whether a device is the processor.
pub fn is_processor(device: &Device) -> bool {
    *device == default_device()
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

/// The layers of some weights on a device, in order.
fn layers(weights: &Weights, device: &Device) -> impl Iterator<Item = Linear> {
    let mut rest = weights.values.as_slice();
    weights.config.layers().into_iter().map(move |(_, inputs, outputs)| {
        let (matrix, after) = rest.split_at(inputs * outputs);
        let (bias, after) = after.split_at(outputs);
        rest = after;
        let matrix = TensorData::new(matrix.to_vec(), [inputs, outputs]);
        let bias = TensorData::new(bias.to_vec(), [outputs]);
        Linear {
            weight: Param::from_tensor(Tensor::from_data(matrix, device)),
            bias: Some(Param::from_tensor(Tensor::from_data(bias, device))),
        }
    })
}

impl Trunk {
    /// The layers of these weights after the first, on a device (with autodiff for training).
    pub fn new(weights: &Weights, device: &Device) -> Trunk {
        Trunk::from_layers(weights.config.blocks, layers(weights, device).skip(1))
    }

    fn from_layers(blocks: usize, mut layers: impl Iterator<Item = Linear>) -> Trunk {
        let mut next = || layers.next().expect("the layer list has every layer of the network");
        Trunk {
            blocks: (0..blocks).map(|_| Block { first: next(), second: next() }).collect(),
            policy: next(),
            value: next(),
        }
    }

    /// Logits `[batch, N_ACTIONS]` of all actions, legal or not, and values `[batch, 1]`, of what the first layer
    /// makes of the features (`[batch, hidden]`).
    pub fn heads(&self, input: Tensor<2>) -> (Tensor<2>, Tensor<2>) {
        let mut hidden = relu(input);
        for block in &self.blocks {
            let inner = relu(block.first.forward(hidden.clone()));
            hidden = hidden + block.second.forward(inner);
        }
        let hidden = relu(hidden);
        (self.policy.forward(hidden.clone()), self.value.forward(hidden))
    }

    /// Appends the gradients in the order of [`troel_infer::NetworkConfig::tensors`]; zeros where there is none.
    pub fn push_gradients(&self, gradients: &Gradients, flat: &mut Vec<f32>) {
        let blocks = self.blocks.iter().flat_map(|b| [&b.first, &b.second]);
        for layer in blocks.chain([&self.policy, &self.value]) {
            push_layer(flat, layer, gradients);
        }
    }
}

impl Network {
    /// The network with these weights on a device (with autodiff for training).
    pub fn new(weights: &Weights, device: &Device) -> Network {
        let mut layers = layers(weights, device);
        let input = layers.next().expect("every network has a first layer");
        Network { input, trunk: Trunk::from_layers(weights.config.blocks, layers) }
    }

    /// Logits `[batch, N_ACTIONS]` with illegal actions at [`ILLEGAL_LOGIT`], and values
    /// `[batch, 1]`, of features `[batch, N_FEATURES]` and the illegal actions
    /// `[batch, N_ACTIONS]`.
    pub fn forward(&self, features: Tensor<2>, illegal: Tensor<2, Bool>) -> (Tensor<2>, Tensor<2>) {
        let (logits, values) = self.trunk.heads(self.input.forward(features));
        (logits.mask_fill(illegal, ILLEGAL_LOGIT), values)
    }

    /// The gradients in the order of [`troel_infer::NetworkConfig::tensors`]; zeros where there is none.
    pub fn flat_gradients(&self, gradients: &Gradients) -> Vec<f32> {
        let mut flat = Vec::new();
        push_layer(&mut flat, &self.input, gradients);
        self.trunk.push_gradients(gradients, &mut flat);
        flat
    }
}

/// A matrix product `[n, k]` by `[k, m]` on the processor, to be timed: what the network's layers cannot be faster than.
pub fn matrix_product(n: usize, k: usize, m: usize) -> impl FnMut() {
    let device = default_device();
    let a = Tensor::<2>::ones([n, k], &device);
    let b = Tensor::<2>::ones([k, m], &device);
    move || {
        std::hint::black_box(a.clone().matmul(b.clone()));
    }
}

fn push_layer(flat: &mut Vec<f32>, layer: &Linear, gradients: &Gradients) {
    let weight = layer.weight.val();
    push(flat, weight.grad(gradients), weight.shape().num_elements());
    if let Some(bias) = &layer.bias {
        let bias = bias.val();
        push(flat, bias.grad(gradients), bias.shape().num_elements());
    }
}

fn push<const D: usize>(flat: &mut Vec<f32>, gradient: Option<Tensor<D>>, len: usize) {
    match gradient {
        Some(gradient) => {
            let values = gradient.into_data().try_into_vec_as::<f32>();
            flat.extend(values.expect("floats become f32"));
        }
        None => flat.extend(std::iter::repeat_n(0.0, len)),
    }
}
