//! Shards as the leaves of a balanced binary tree.
//!
//! Their sum is the same for any number of processes.

use super::context::UpdateContext;
use super::shard::Shard;
use crate::collective::CollectiveError;
use crate::loss::LossSums;

/// Split of the shards of a minibatch among ranks. The first ranks, the largest power of two of
/// them, have a subtree each; the others receive the sum.
pub(super) struct Tree<'a> {
    context: UpdateContext<'a>,
    /// Shards of a minibatch.
    shards: usize,
    /// Leaves of a subtree.
    leaves: usize,
    /// Number of ranks that have a subtree.
    active: usize,
}

/// Returns the number of processes that compute a part of a gradient that is cut into `shards`.
pub fn gradient_processes(processes: usize, shards: usize) -> usize {
    let (active, leaves) = subtrees(processes, shards);
    shards.div_ceil(leaves).min(active)
}

/// Returns the number of subtrees, and of leaves of each.
fn subtrees(processes: usize, shards: usize) -> (usize, usize) {
    // The largest power of two that is at most the number of processes.
    let active = 1 << processes.ilog2();
    (active, (shards.next_power_of_two() / active).max(1))
}

impl<'a> Tree<'a> {
    pub fn new(context: UpdateContext<'a>, shards: usize) -> Tree<'a> {
        let (active, leaves) = subtrees(context.collective.size(), shards);
        Tree { context, shards, leaves, active }
    }

    /// Returns the shards that this rank computes.
    pub fn own_shards(&self) -> std::ops::Range<usize> {
        self.shards_of(self.context.collective.rank())
    }

    fn shards_of(&self, rank: usize) -> std::ops::Range<usize> {
        let first = if rank < self.active { rank * self.leaves } else { self.shards };
        first.min(self.shards)..(first + self.leaves).min(self.shards)
    }

    /// Returns the sum of the shards of all ranks, and whether any rank stops. Both are the same at
    /// all ranks. `own` are the shards of this rank, each with gradients of `len` weights.
    pub fn add_up(&self, own: Vec<Shard>, len: usize) -> Result<(Shard, bool), CollectiveError> {
        let mut sum = add_pairwise(own);
        let mut stops = self.context.stops();
        let collective = self.context.collective;
        let rank = collective.rank();
        // Ranks without a subtree can stop the update, too.
        if rank >= self.active {
            collective.exchange(rank - self.active, &[u8::from(stops)], 0)?;
        } else if rank + self.active < collective.size() {
            stops |= collective.exchange(rank + self.active, &[], 1)? == [1];
        }
        let mut width = 1;
        while rank < self.active && width < self.active {
            let partner = rank ^ width;
            // Leaves are filled from the first on: a subtree without a first one is empty.
            let has_any = !self.shards_of(partner & !(width - 1)).is_empty();
            let own = message(sum.as_ref(), stops);
            let theirs = collective.exchange(partner, &own, message_len(has_any, len))?;
            let (theirs, they_stop) = parse_message(&theirs, has_any, len, partner)?;
            stops |= they_stop;
            // The same bits on both sides: a + b is b + a.
            sum = match (sum, theirs) {
                (Some(sum), Some(theirs)) => Some(sum.plus(&theirs)),
                (sum, theirs) => sum.or(theirs),
            };
            width *= 2;
        }
        if rank >= self.active {
            let partner = rank - self.active;
            let theirs = collective.exchange(partner, &[], message_len(true, len))?;
            (sum, stops) = parse_message(&theirs, true, len, partner)?;
        } else if rank + self.active < collective.size() {
            collective.exchange(rank + self.active, &message(sum.as_ref(), stops), 0)?;
        }
        // Every minibatch has samples, and so at least one shard.
        let empty = || Shard { gradients: vec![0.0; len], sums: LossSums::default() };
        Ok((sum.unwrap_or_else(empty), stops))
    }
}

/// Returns the message of a rank to its partner. It says whether to stop, and has the sum of its
/// subtree unless that is empty.
fn message(sum: Option<&Shard>, stops: bool) -> Vec<u8> {
    let mut bytes = vec![u8::from(stops)];
    if let Some(sum) = sum {
        bytes.extend(sum.to_bytes());
    }
    bytes
}

/// Returns the number of bytes of a message, with or without a sum of `len` gradients.
fn message_len(has_sum: bool, len: usize) -> usize {
    1 + if has_sum { Shard::bytes(len) } else { 0 }
}

/// Reads a message of `rank`: the sum of its subtree if it has one, and whether to stop.
fn parse_message(
    message: &[u8],
    has_sum: bool,
    len: usize,
    rank: usize,
) -> Result<(Option<Shard>, bool), CollectiveError> {
    let unreadable = || CollectiveError::Unreadable { rank, reason: "an empty message".into() };
    let (stops, sum) = message.split_first().ok_or_else(unreadable)?;
    let sum = has_sum.then(|| Shard::from_bytes(sum, len, rank)).transpose()?;
    Ok((sum, *stops == 1))
}

/// Adds up neighbouring pairs, level by level, to one shard; `None` without shards.
fn add_pairwise(mut shards: Vec<Shard>) -> Option<Shard> {
    while shards.len() > 1 {
        let mut pairs = shards.into_iter();
        let mut sums = Vec::new();
        while let Some(left) = pairs.next() {
            sums.push(match pairs.next() {
                Some(right) => left.plus(&right),
                None => left,
            });
        }
        shards = sums;
    }
    shards.pop()
}
