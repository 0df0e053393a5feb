//! By rows of counts: a warp a part of the stream.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::target::{Target, sum_sides};
use crate::kernels::sts_presort::{
    PRESORT_COUNT, PRESORT_SCATTER, PRESORT_SUM_PARTS, RowSort, THREADS,
};
use tasks::device::buffers;

/// Parts for each multiprocessor at most: a warp each, half of what it holds.
const PARTS: usize = 32;
/// Minimum number of digis of a part, if there are no more sides: a part has at least a digi for
/// each side, so that its counts are not larger than itself.
const DIGIS_OF_PART: usize = 256;

/// A row of counts for each part.
pub(super) struct Rows {
    parts: Parts,
    sides: usize,
    counts: DeviceBuffer<u32>,
    totals: DeviceBuffer<u32>,
}

buffers!(Rows: counts, totals);

/// Division of the stream into parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    count: usize,
    length: usize,
    /// Parts of a block.
    of_block: usize,
}

impl Parts {
    fn new(digis: usize, sides: usize, lanes: u32, multiprocessors: u32) -> Self {
        let of_block = (THREADS / lanes) as usize;
        let max = PARTS * multiprocessors as usize;
        let wanted = (digis / DIGIS_OF_PART.max(sides)).clamp(1, max);
        let count = wanted.next_multiple_of(of_block);
        let length = digis.div_ceil(count).next_multiple_of(lanes as usize);
        Parts { count, length, of_block }
    }
}

impl Rows {
    pub(super) fn new(gpu: &Gpu, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        let properties = gpu.properties();
        let parts = Parts::new(digis, sides, properties.lanes, properties.multiprocessors);
        Ok(Rows {
            parts,
            sides,
            counts: gpu.buffer(parts.count * sides)?,
            totals: gpu.buffer(sides)?,
        })
    }

    pub(super) fn start(&self, gpu: &Gpu, target: Target<'_>) -> Result<(), DeviceError> {
        let sides = self.sides as u32;
        let arguments = RowSort {
            digis: target.stream.ptr(),
            modules: target.modules.ptr(),
            counts: self.counts.ptr(),
            totals: self.totals.ptr(),
            side_offsets: target.side_offsets.ptr(),
            to: target.digis.ptr(),
            count: target.count as u32,
            part_length: self.parts.length as u32,
            sides,
            parts: self.parts.count as u32,
        };
        let bytes = target.bytes();
        let of_counts = self.counts.bytes();
        let all = LaunchConfig::blocks((self.parts.count / self.parts.of_block) as u32);
        let groups = LaunchConfig::blocks(sides.div_ceil(gpu.properties().lanes))
            .with_traffic(2 * of_counts);
        gpu.fill(&self.counts, 0)?;
        // SAFETY: digis are of modules of the detector, the table has all addresses, there
        // is a row of counts a part, and the target has capacity for all digis.
        unsafe {
            gpu.launch(&PRESORT_COUNT, all.with_traffic(bytes + of_counts), arguments)?;
            gpu.launch(&PRESORT_SUM_PARTS, groups, arguments)?;
            sum_sides(gpu, arguments.totals, sides, arguments.side_offsets)?;
            gpu.launch(&PRESORT_SCATTER, all.with_traffic(2 * bytes + 2 * of_counts), arguments)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_the_stream() {
        for (digis, sides) in [(0, 2), (1, 2), (1000, 24), (20_000_000, 1792)] {
            for lanes in [32, 64] {
                let parts = Parts::new(digis, sides, lanes, 132);
                assert!(parts.count * parts.length >= digis, "{parts:?}");
                assert_eq!(parts.count % parts.of_block, 0);
                assert!(parts.count <= PARTS * 132);
            }
        }
    }

    #[test]
    fn counts_are_no_larger_than_digis() {
        let parts = Parts::new(1_000_000, 1792, 32, 132);
        assert!(parts.count * 1792 <= 1_000_000 + parts.of_block * 1792);
    }
}
