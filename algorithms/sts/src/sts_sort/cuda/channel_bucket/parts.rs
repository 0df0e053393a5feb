//! Regions split into parts, each of which is read by a block.

use portable_gpu::{DeviceError, Gpu};

use super::division::{Range, on_device};
use crate::kernels::sts_sort_channel_bucket::{self as kernels, DISTRIBUTED_TILE};
use tasks::device::{StagedArray, buffers};

/// Parts of all regions together, for each multiprocessor: two rounds of concurrently running
/// blocks.
const PARTS: u32 = 4;
/// Smallest part in tiles, if its digis are also moved, and if they are only counted: counting
/// takes less time compared with what a block adds for each bucket at its end.
const TILES_OF_PART: u32 = 2;
const TILES_OF_COUNTED_PART: u32 = 4;

/// Parts of some regions.
pub(super) struct Parts {
    pub(super) ranges: StagedArray<kernels::Range>,
    /// The region of each.
    pub(super) regions: StagedArray,
    count: u32,
    /// The fewest digis of one.
    min: u32,
}

buffers!(Parts: ranges, regions);

impl Parts {
    /// Tables for parts of `digis` digis in `regions` regions, which are only counted or also
    /// moved.
    pub(super) fn new(
        gpu: &Gpu,
        digis: usize,
        regions: usize,
        are_moved: bool,
    ) -> Result<Self, DeviceError> {
        let tiles = if are_moved { TILES_OF_PART } else { TILES_OF_COUNTED_PART };
        let min = tiles * DISTRIBUTED_TILE;
        let parts = regions + (PARTS * gpu.properties().multiprocessors) as usize;
        let max = parts.min(regions + digis / min as usize);
        Ok(Parts {
            ranges: StagedArray::new(gpu, max)?,
            regions: StagedArray::new(gpu, max)?,
            count: 0,
            min,
        })
    }

    /// Splits regions, which have `digis` digis together, into parts.
    pub(super) fn fill(
        &mut self,
        gpu: &Gpu,
        regions: &[Range],
        digis: u32,
    ) -> Result<(), DeviceError> {
        let length = part_length(digis, gpu.properties().multiprocessors, self.min);
        let mut parts = Vec::new();
        let mut owners = Vec::new();
        for (index, region) in regions.iter().enumerate() {
            parts.extend(parts_of(region, length));
            owners.resize(parts.len(), index as u32);
        }
        self.count = parts.len() as u32;
        self.ranges.fill(gpu, on_device(&parts))?;
        self.regions.fill(gpu, owners)
    }

    /// Number of parts.
    pub(super) fn count(&self) -> u32 {
        self.count
    }
}

/// An even number, so that parts begin as aligned as their regions.
fn part_length(digis: u32, multiprocessors: u32, min: u32) -> u32 {
    let share = digis.div_ceil(PARTS * multiprocessors);
    share.max(min).next_multiple_of(2)
}

fn parts_of(region: &Range, length: u32) -> impl Iterator<Item = Range> {
    let end = region.end;
    let starts = region.clone().step_by(length as usize);
    starts.map(move |start| start..end.min(start.saturating_add(length)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_their_region() {
        let parts: Vec<_> = parts_of(&(5..26), 10).collect();
        assert_eq!(parts, [5..15, 15..25, 25..26]);
        assert_eq!(parts_of(&(5..5), 10).count(), 0);
    }

    #[test]
    fn there_are_some_parts_for_each_multiprocessor() {
        let digis = 187_000_000;
        let length = part_length(digis, 132, 20_000);
        assert!(length.is_multiple_of(2) && digis.div_ceil(length) <= 4 * 132);
        assert_eq!(part_length(1000, 132, 20_000), 20_000);
    }
}
