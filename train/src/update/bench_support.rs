//! Parts of an update, for benchmarks. The interface is not stable.

use burn::tensor::Tensor;
use troel_agents::network::default_device;

use super::context::UpdateContext;
use super::shard::Shard;
use super::tree::Tree;
use crate::collective::{Collective, CollectiveError};
use crate::loss::LossSums;

/// Adds up the gradients of all processes as after a minibatch. If the number of processes is not a
/// power of two, the gradients of the last ones are left out. All processes receive the same bits.
///
/// # Errors
/// Another process cannot be reached.
pub fn add_gradients(
    own: Vec<f32>,
    collective: &dyn Collective,
) -> Result<Vec<f32>, CollectiveError> {
    let len = own.len();
    let tree = Tree::new(UpdateContext { collective, stop: None }, 1 << collective.size().ilog2());
    let gradients = if tree.own_shards().is_empty() { None } else { Some(own) };
    let own = gradients.map(|gradients| Shard { gradients, sums: LossSums::default() });
    tree.add_up(own.into_iter().collect(), len).map(|(sum, _)| sum.gradients)
}

/// Returns a function that computes a matrix product `[n, k]` by `[k, m]` on the CPU. The layers
/// between the input layer and the heads cannot be faster.
pub fn matrix_product(n: usize, k: usize, m: usize) -> impl FnMut() {
    let device = default_device();
    let a = Tensor::<2>::ones([n, k], &device);
    let b = Tensor::<2>::ones([k, m], &device);
    move || {
        std::hint::black_box(a.clone().matmul(b.clone()));
    }
}
