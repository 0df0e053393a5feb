//! Which segments are sorted in which way.

use generators::partition::Partition;

use crate::device::gpu::Gpu;
use crate::kernels::sts_sort_channel_bucket::{self as kernels, CAPACITY};

/// Positions in the array of all digis.
pub(super) type Range = std::ops::Range<u32>;

/// Bytes of workgroup memory for which a shader sorts [`SHADER_STEP`] digis more at once, and how
/// often: see `bins.wgsl`.
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

/// The segments by size; those of one digi or none are in order.
pub(super) struct Division {
    /// They fit into shared memory.
    pub(super) small: Vec<Range>,
    /// They don't.
    pub(super) large: Vec<Range>,
}

impl Division {
    /// Those of so many digis fit.
    pub(super) fn new(partition: &Partition, capacity: usize) -> Self {
        let ranges = partition.ranges().filter(|range| range.len() > 1);
        let (small, large) = ranges
            .map(|range| range.start as u32..range.end as u32)
            .partition(|range| range.len() <= capacity);
        Division { small, large }
    }
}

/// As kernels know them.
pub(super) fn on_device(ranges: &[Range]) -> impl Iterator<Item = kernels::Range> {
    ranges.iter().map(|range| kernels::Range { begin: range.start, end: range.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_divided_by_what_fits() {
        let fits = CAPACITY as usize;
        let lengths = [0, 1, 2, fits, fits + 1, 100 * fits];
        let Division { small, large } = Division::new(&Partition::from_lengths(lengths), fits);
        let lengths = |ranges: &[Range]| ranges.iter().map(Range::len).collect::<Vec<_>>();
        assert_eq!(lengths(&small), [2, fits]);
        assert_eq!(lengths(&large), [fits + 1, 100 * fits]);
    }
}
