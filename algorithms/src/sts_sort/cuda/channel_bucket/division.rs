//! Which segments are sorted in which way.

use generators::partition::Partition;

use super::limits::CAPACITY;
use crate::device::gpu::Gpu;

/// Positions in the array of all digis.
pub(super) type Range = std::ops::Range<u32>;

/// A block may have so many times what fits into shared memory, even if others
/// have nothing to do meanwhile: a kernel for each step costs as much.
const ALWAYS_MEDIUM: usize = 4;
/// Or this part of what a multiprocessor has to do in all: then the last block
/// does not keep the others waiting for long.
const MEDIUM_SHARE: usize = 8;

/// The segments by size; those of one digi or none are in order.
pub(super) struct Division {
    /// They fit into shared memory.
    pub(super) small: Vec<Range>,
    /// A block is enough for each.
    pub(super) medium: Vec<Range>,
    /// Many blocks share each.
    pub(super) large: Vec<Range>,
}

impl Division {
    pub(super) fn new(partition: &Partition, gpu: &Gpu) -> Self {
        let multiprocessors = gpu.properties().multiprocessors as usize;
        Self::with(partition, multiprocessors)
    }

    fn with(partition: &Partition, multiprocessors: usize) -> Self {
        let share = partition.elements() / (multiprocessors * MEDIUM_SHARE);
        let most = share.max(ALWAYS_MEDIUM * CAPACITY as usize);
        let mut division = Division {
            small: Vec::new(),
            medium: Vec::new(),
            large: Vec::new(),
        };
        for range in partition.ranges().filter(|range| range.len() > 1) {
            let class = match range.len() {
                length if length <= CAPACITY as usize => &mut division.small,
                length if length <= most => &mut division.medium,
                _ => &mut division.large,
            };
            class.push(range.start as u32..range.end as u32);
        }
        division
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(lengths: &[usize], multiprocessors: usize) -> [usize; 3] {
        let partition = Partition::from_lengths(lengths.iter().copied());
        let Division {
            small,
            medium,
            large,
        } = Division::with(&partition, multiprocessors);
        [small.len(), medium.len(), large.len()]
    }

    #[test]
    fn segments_are_divided_by_what_fits_and_by_their_share() {
        let fits = CAPACITY as usize;
        assert_eq!(counts(&[0, 1, 2, fits], 132), [2, 0, 0]);
        assert_eq!(counts(&[fits + 1, 4 * fits, 4 * fits + 1], 132), [0, 2, 1]);
        // Of 1792 segments none keeps the others waiting, of 24 each would.
        assert_eq!(counts(&[100_000; 1792], 132), [0, 1792, 0]);
        assert_eq!(counts(&[8_000_000; 24], 132), [0, 0, 24]);
    }
}
