//! The network as a burn module.

use burn::module::{Module, Param};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Bool, Device, Gradients, Tensor, TensorData};

use troel_env::{N_ACTIONS, N_FEATURES};
use troel_nn::{ILLEGAL_LOGIT, LayerSpec, NetworkConfig, NetworkInput, Weights};

/// A residual block of two linear layers.
#[derive(Module, Debug)]
struct Block {
    first: Linear,
    second: Linear,
}

/// A network after its input layer: residual blocks and heads. An acting network has a policy and a
/// value, a critic a value.
#[derive(Module, Debug)]
pub struct Trunk {
    blocks: Vec<Block>,
    heads: Vec<Linear>,
}

/// Residual MLP with a policy head and a value head.
#[derive(Module, Debug)]
pub struct Network {
    input: Linear,
    trunk: Trunk,
}

/// Returns the CPU, which every build supports.
pub fn default_device() -> Device {
    Device::flex()
}

/// Returns whether a device is the CPU.
pub fn is_cpu(device: &Device) -> bool {
    *device == default_device()
}

/// Reason why a device cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// The backend of this device is not compiled in.
    #[error("device {0:?} is not part of this build; build with `--features {0}`")]
    NotBuilt(String),
    /// No device has this name.
    #[error("device {0:?} is unknown; use \"cpu\", \"cuda\" or \"wgpu\"")]
    Unknown(String),
}

/// Returns the device of this name: `cpu`, or `cuda` or `wgpu` if they are compiled in.
///
/// # Errors
/// The name is unknown, or the device is not part of this build.
pub fn device(name: &str) -> Result<Device, DeviceError> {
    match name {
        "cpu" => Ok(default_device()),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        #[cfg(not(feature = "cuda"))]
        "cuda" => Err(DeviceError::NotBuilt(name.to_string())),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(Default::default())),
        #[cfg(not(feature = "wgpu"))]
        "wgpu" => Err(DeviceError::NotBuilt(name.to_string())),
        _ => Err(DeviceError::Unknown(name.to_string())),
    }
}

/// Creates linear layers of these sizes on a device; `values` are their weights in order.
fn layers(
    specs: Vec<LayerSpec>,
    values: &[f32],
    device: &Device,
) -> impl ExactSizeIterator<Item = Linear> {
    let mut rest = values;
    specs.into_iter().map(move |LayerSpec { inputs, outputs, .. }| {
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
    /// Creates the layers after the input layer on a device (with autodiff for training). The
    /// arguments are all layers of the network and its weights.
    pub fn new(blocks: usize, mut specs: Vec<LayerSpec>, values: &[f32], device: &Device) -> Trunk {
        // The input layer is not copied to the device.
        let LayerSpec { inputs, outputs, .. } = specs.remove(0);
        let values = &values[(inputs + 1) * outputs..];
        Trunk::from_layers(blocks, layers(specs, values, device))
    }

    fn from_layers(blocks: usize, mut layers: impl Iterator<Item = Linear>) -> Trunk {
        let mut next =
            || layers.next().expect("the caller passes two layers for each block, then the heads");
        let blocks = (0..blocks).map(|_| Block { first: next(), second: next() }).collect();
        Trunk { blocks, heads: layers.collect() }
    }

    /// Computes the heads from the output of the input layer before its ReLU (`[batch, hidden]`).
    ///
    /// For an acting network these are logits `[batch, N_ACTIONS]` of all actions, not masked, and
    /// values `[batch, 1]`. For a critic they are values alone.
    pub fn heads(&self, input: Tensor<2>) -> Vec<Tensor<2>> {
        let mut hidden = relu(input);
        for block in &self.blocks {
            let inner = relu(block.first.forward(hidden.clone()));
            hidden = hidden + block.second.forward(inner);
        }
        let hidden = relu(hidden);
        self.heads.iter().map(|head| head.forward(hidden.clone())).collect()
    }

    /// Appends the gradients in the order of the layers; zeros for parameters without one.
    pub fn push_gradients(&self, gradients: &Gradients, flat: &mut Vec<f32>) {
        let blocks = self.blocks.iter().flat_map(|b| [&b.first, &b.second]);
        for layer in blocks.chain(&self.heads) {
            push_layer(flat, layer, gradients);
        }
    }
}

impl Network {
    /// Creates the network with these weights on a device (with autodiff for training).
    pub fn new(weights: &Weights, device: &Device) -> Network {
        let mut layers = layers(weights.config.layers(), &weights.values, device);
        let input = layers.next().expect("`NetworkConfig::layers` begins with the input layer");
        Network { input, trunk: Trunk::from_layers(weights.config.blocks, layers) }
    }

    /// Computes masked logits `[batch, N_ACTIONS]` and values `[batch, 1]`. Illegal actions are at
    /// [`ILLEGAL_LOGIT`].
    ///
    /// The inputs are features `[batch, inputs]` ([`troel_nn::NetworkConfig::inputs`]) and the mask
    /// of illegal actions `[batch, N_ACTIONS]`.
    pub fn forward(&self, features: Tensor<2>, illegal: Tensor<2, Bool>) -> (Tensor<2>, Tensor<2>) {
        let heads = self.trunk.heads(self.input.forward(features));
        let [logits, values] = heads
            .try_into()
            .expect("`NetworkConfig::layers` ends with the heads of policy and value");
        (logits.mask_fill(illegal, ILLEGAL_LOGIT), values)
    }

    /// Returns the gradients in the order of [`troel_nn::NetworkConfig::tensors`]. Those of
    /// parameters without one are zeros.
    pub fn flat_gradients(&self, gradients: &Gradients) -> Vec<f32> {
        let mut flat = Vec::new();
        push_layer(&mut flat, &self.input, gradients);
        self.trunk.push_gradients(gradients, &mut flat);
        flat
    }
}

/// Returns a batch as tensors on a device: the inputs of the network and the illegal actions. Their
/// shapes are `[batch, inputs]` and `[batch, N_ACTIONS]`. Suits are renamed if the network requires
/// it.
pub fn tensors<'a>(
    inputs: impl ExactSizeIterator<Item = &'a NetworkInput>,
    config: &NetworkConfig,
    device: &Device,
) -> (Tensor<2>, Tensor<2, Bool>) {
    let n = inputs.len();
    let width = config.inputs();
    let (mut features, mut illegal) = (vec![0.0; n * width], vec![true; n * N_ACTIONS]);
    let rows = features.chunks_mut(width).zip(illegal.chunks_mut(N_ACTIONS));
    let mut plain = vec![0.0; width];
    for (input, (features, illegal)) in inputs.zip(rows) {
        let permutation = input.suit_permutation(config);
        input.expand(config, &mut plain);
        for (&place, &value) in permutation.features().iter().zip(&plain) {
            features[usize::from(place)] = value;
        }
        // The features of rules name no suits.
        features[N_FEATURES..].copy_from_slice(&plain[N_FEATURES..]);
        for action in input.legal {
            illegal[usize::from(permutation.actions()[action.index()])] = false;
        }
    }
    (
        Tensor::from_data(TensorData::new(features, [n, width]), device),
        Tensor::from_data(TensorData::new(illegal, [n, N_ACTIONS]), device),
    )
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
            flat.extend(values.expect("gradients of f32 parameters are f32"));
        }
        None => flat.extend(std::iter::repeat_n(0.0, len)),
    }
}
