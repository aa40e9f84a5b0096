//! Trained bots: a residual MLP over the feature vector, with masked policy head and value head.
//!
//! [`troel_nn`] runs it on the CPU. With the feature `burn`, `Network` is the same network as a
//! burn module, for training and for other devices.
//!
//! With the feature `onnx`, an [`OnnxNetwork`] of any architecture can take its place.

mod bot;
#[cfg(feature = "burn")]
mod model;
#[cfg(feature = "onnx")]
mod onnx;
mod output;

pub use bot::{ActionSelection, Evaluator, NetworkBot};
#[cfg(feature = "burn")]
pub use model::{DeviceError, Network, Trunk, default_device, device, is_cpu, tensors};
#[cfg(feature = "onnx")]
pub use onnx::OnnxNetwork;
pub use output::NetworkOutput;
