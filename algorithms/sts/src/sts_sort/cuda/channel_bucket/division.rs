//! Division of segments by the kernel that sorts them.

use generators_common::partition::Partition;
use portable_gpu::Gpu;

use crate::kernels::sts_sort_channel_bucket::{self as kernels, CAPACITY, WIDE_CAPACITY};
use crate::kernels::sts_sort_channel_bucket_wide::CHANNEL_BUCKET_WIDE;

/// Positions in the array of all digis.
pub(super) type Range = std::ops::Range<u32>;

/// Bytes of workgroup memory for which a shader sorts [`SHADER_STEP`] digis more at once, and how
/// often: see `channel_bucket/common.wgsl`.
const SHADER_BYTES: u32 = 24 << 10;
const SHADER_STEP: u32 = 2048;
const SHADER_STEPS: u32 = 2;

/// Digis that are sorted at once in shared memory.
pub(super) fn capacity(gpu: &Gpu) -> usize {
    let properties = gpu.properties();
    if !properties.has_shaders {
        return CAPACITY as usize;
    }
    (SHADER_STEP * (properties.shared_bytes / SHADER_BYTES).clamp(1, SHADER_STEPS)) as usize
}

/// Digis that blocks with a multiprocessor to themselves sort; the same as of other blocks if there
/// is not enough shared memory.
pub(super) fn wide_capacity(gpu: &Gpu) -> usize {
    let properties = gpu.properties();
    let narrow = capacity(gpu);
    let fits = CHANNEL_BUCKET_WIDE.shared_bytes(gpu) <= properties.shared_bytes;
    if fits && !properties.has_shaders { WIDE_CAPACITY as usize } else { narrow }
}

/// Groups of a region of more digis than this are those of blocks that are alone: runs in which digis
/// of a tile are moved to smaller ones would be of less than 256 bytes.
const WIDE_FROM: usize = 256 * CAPACITY as usize;

/// The digis of regions from which on their groups are as large as a block that is alone can sort.
pub(super) fn wide_groups_from(gpu: &Gpu) -> usize {
    if wide_capacity(gpu) > capacity(gpu) { WIDE_FROM } else { usize::MAX }
}

/// The segments by size; those of one digi or none are in order.
#[derive(Default)]
pub(super) struct Division {
    /// Segments that fit into shared memory.
    pub(super) small: Vec<Range>,
    /// Segments that fit into the shared memory of a whole multiprocessor.
    pub(super) wide: Vec<Range>,
    /// Larger segments.
    pub(super) large: Vec<Range>,
}

/// Number of segments of each size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) small: usize,
    pub(super) wide: usize,
    pub(super) large: usize,
}

impl Counts {
    /// The maximum number of segments of each size, for `digis` digis in `segments` segments.
    pub(super) fn at_most(gpu: &Gpu, digis: usize, segments: usize) -> Self {
        let longer_than = |max: usize| segments.min(digis / (max + 1));
        let wide = longer_than(capacity(gpu));
        let large = longer_than(wide_capacity(gpu));
        Counts { small: segments, wide, large }
    }
}

impl Division {
    /// Divides by the number of digis that fit: into a block, and into one with a multiprocessor to
    /// itself.
    pub(super) fn new(partition: &Partition, narrow: usize, wide: usize) -> Self {
        let mut division = Division::default();
        for range in partition.ranges().filter(|range| range.len() > 1) {
            let list = match range.len() {
                digis if digis <= narrow => &mut division.small,
                digis if digis <= wide => &mut division.wide,
                _ => &mut division.large,
            };
            list.push(range.start as u32..range.end as u32);
        }
        division
    }

    pub(super) fn counts(&self) -> Counts {
        let Division { small, wide, large } = self;
        Counts { small: small.len(), wide: wide.len(), large: large.len() }
    }

    /// Divides by the capacities of a GPU's blocks.
    pub(super) fn on(gpu: &Gpu, partition: &Partition) -> Self {
        Self::new(partition, capacity(gpu), wide_capacity(gpu))
    }
}

/// Ranges in the layout of kernels.
pub(super) fn on_device(ranges: &[Range]) -> impl Iterator<Item = kernels::Range> {
    ranges.iter().map(|range| kernels::Range { begin: range.start, end: range.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_divided_by_what_fits() {
        let fits = CAPACITY as usize;
        let alone = WIDE_CAPACITY as usize;
        let lengths = [0, 1, 2, fits, fits + 1, alone, alone + 1, 100 * fits];
        let partition = Partition::from_lengths(lengths);
        let Division { small, wide, large } = Division::new(&partition, fits, alone);
        let lengths = |ranges: &[Range]| ranges.iter().map(Range::len).collect::<Vec<_>>();
        assert_eq!(lengths(&small), [2, fits]);
        assert_eq!(lengths(&wide), [fits + 1, alone]);
        assert_eq!(lengths(&large), [alone + 1, 100 * fits]);
    }
}
