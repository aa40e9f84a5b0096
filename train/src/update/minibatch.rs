//! Division of the samples of an epoch into minibatches.

/// Cuts samples into the fewest minibatches of at most `size` samples.
///
/// With `even` their lengths differ by at most one. Without it, all but the last have `size`
/// samples. The last has the rest, and a step over one sample counts as much as one over thousands.
/// This is kept for runs that began with such minibatches.
pub(super) fn minibatches(samples: &[u32], size: usize, even: bool) -> Vec<&[u32]> {
    if !even {
        return samples.chunks(size).collect();
    }
    let (n, count) = (samples.len(), samples.len().div_ceil(size));
    (0..count).map(|i| &samples[i * n / count..(i + 1) * n / count]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_differ_by_at_most_one() {
        for n in [0u32, 1, 7, 8, 9, 2047, 2048, 2049, 5000, 8193] {
            let samples: Vec<u32> = (0..n).collect();
            for size in [1, 3, 8, 2048, 10_000] {
                let cut = minibatches(&samples, size, true);
                assert_eq!(cut.concat(), samples, "each sample once, in order");
                assert_eq!(cut.len(), samples.len().div_ceil(size), "{n} by {size}");
                let lengths = cut.iter().map(|minibatch| minibatch.len());
                let (shortest, longest) = (lengths.clone().min(), lengths.max());
                let (shortest, longest) = (shortest.unwrap_or(0), longest.unwrap_or(0));
                assert!(
                    longest <= size && longest - shortest <= 1,
                    "{n} by {size}: {shortest} to {longest}"
                );
            }
        }
    }

    #[test]
    fn uneven_minibatches_end_with_the_remainder() {
        let samples: Vec<u32> = (0..9).collect();
        let cut = minibatches(&samples, 4, false);
        assert_eq!(cut, [&[0, 1, 2, 3][..], &[4, 5, 6, 7], &[8]]);
    }
}
