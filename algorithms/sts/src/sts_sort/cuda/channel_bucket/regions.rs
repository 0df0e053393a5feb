//! Regions: large segments, and large buckets of them. Their digis are moved to groups of buckets,
//! and the groups are sorted.

mod distribute;

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use super::division::{Range, capacity, on_device, wide_capacity, wide_groups_from};
use super::parts::Parts;
use super::sorts::Sorts;
use super::tiles::Tiles;
use crate::kernels::sts_sort_channel_bucket::{self as kernels, BUCKETS, Digit, Group, RangeList};
use crate::sts_sort::cuda::runner::DIGI;
use tasks::device::{StagedArray, buffers};

/// Smallest number of regions that can be processed at a time.
const REGIONS: usize = 16;
/// Digis per region at least, or tables would not be small compared with them.
const DIGIS_OF_REGION: usize = 1 << 15;
/// Capacity for large buckets, which are rare, as a share of that for all.
const SHARE_OF_LARGE_BUCKETS: usize = 4;
/// Bits of a digi that determine its bucket.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Level {
    /// The channel.
    Channel,
    /// Some bits of the time.
    Time { shift: u32, bits: u32 },
}

/// Some regions, and the tables to distribute and sort them.
pub(super) struct Regions {
    /// Digis that are sorted at once: by a block, and by one that is alone.
    capacities: [usize; 2],
    /// Regions of at least this many digis have groups for blocks with a multiprocessor to
    /// themselves.
    wide_from: usize,
    /// True if the current regions have such groups.
    is_wide: bool,
    max: usize,
    /// Current number of regions.
    count: u32,
    /// Digis of the current regions.
    digis: u64,
    /// No more groups than these.
    groups_bound: u32,
    regions: StagedArray<kernels::Range>,
    parts: Parts,
    /// A word for each bucket of each region: its digis.
    counts: DeviceBuffer<u32>,
    /// Offsets of the buckets of each region, with the end of the last one.
    bucket_offsets: DeviceBuffer<u32>,
    /// The group of each bucket of each region.
    group_of: DeviceBuffer<u16>,
    first_groups: DeviceBuffer<u32>,
    groups: DeviceBuffer<Group>,
    /// Offset of the next digi of each group.
    next_offsets: DeviceBuffer<u32>,
    group_count: DeviceBuffer<u32>,
    /// Two words per region: its first time, and the complement of its last.
    extents: DeviceBuffer<u32>,
    /// If digis are to be moved in the order in which they arrive.
    tiles: Option<Tiles>,
}

buffers!(
    Regions: regions, parts, counts, bucket_offsets, group_of, first_groups, groups,
    next_offsets, group_count, extents, tiles
);

impl Level {
    fn digit(self) -> Digit {
        match self {
            Level::Channel => Digit { shift: kernels::CHANNEL_SHIFT, bits: kernels::CHANNEL_BITS },
            Level::Time { shift, bits } => Digit { shift, bits },
        }
    }
}

impl Regions {
    /// Tables for `segments` large segments of `digis` digis in all, or for some of them at a time.
    /// `in_order` is the length of the longest one, if the order of arrival is to be kept.
    pub(super) fn new(
        gpu: &Gpu,
        digis: usize,
        segments: usize,
        in_order: Option<usize>,
    ) -> Result<Self, DeviceError> {
        let capacity = capacity(gpu);
        let max = max_regions(digis, segments, capacity);
        let groups = groups_of(digis, max, capacity);
        let buckets = max * BUCKETS as usize;
        let tiles =
            in_order.map(|longest| Tiles::new(gpu, digis, max, max_groups(longest, capacity)));
        Ok(Regions {
            capacities: [capacity, wide_capacity(gpu)],
            wide_from: wide_groups_from(gpu),
            is_wide: false,
            max,
            count: 0,
            digis: 0,
            groups_bound: 0,
            regions: StagedArray::new(gpu, max)?,
            parts: Parts::new(gpu, digis, max, in_order.is_none())?,
            counts: gpu.buffer(buckets)?,
            bucket_offsets: gpu.buffer(buckets + max)?,
            group_of: gpu.buffer(buckets)?,
            first_groups: gpu.buffer(max)?,
            groups: gpu.buffer(groups)?,
            next_offsets: gpu.buffer(groups)?,
            group_count: gpu.buffer(1)?,
            extents: gpu.buffer(2 * max)?,
            tiles: tiles.transpose()?,
        })
    }

    /// Maximum number of regions.
    pub(super) fn max(&self) -> usize {
        self.max
    }

    /// Makes large groups for smaller regions already.
    #[cfg(test)]
    pub(super) fn widen_from(&mut self, digis: usize) {
        assert!(self.capacities[1] > self.capacities[0], "the device supports no wide groups");
        self.wide_from = digis;
    }

    /// Makes large tiles of all regions.
    #[cfg(test)]
    pub(super) fn enlarge_tiles(&mut self) {
        self.tiles.as_mut().expect("digis are moved in order").enlarge_above(0);
    }

    /// True if groups of any of these regions should be large.
    pub(super) fn want_wide_groups(&self, regions: &[Range]) -> bool {
        regions.iter().any(|region| region.len() >= self.wide_from)
    }

    /// True if groups are sorted by blocks with a multiprocessor to themselves.
    pub(super) fn is_wide(&self) -> bool {
        self.is_wide
    }

    /// Takes regions on, no more than [`Regions::max`], with large groups or not.
    pub(super) fn fill(
        &mut self,
        gpu: &Gpu,
        regions: &[Range],
        is_wide: bool,
    ) -> Result<(), DeviceError> {
        self.is_wide = is_wide;
        let capacity = self.group_capacity();
        let digis: u32 = regions.iter().map(|region| region.len() as u32).sum();
        self.count = regions.len() as u32;
        self.digis = digis.into();
        self.groups_bound = regions.iter().map(|region| max_groups(region.len(), capacity)).sum();
        if let Some(tiles) = &mut self.tiles {
            let groups = |region: &Range| max_groups(region.len(), capacity);
            tiles.fill(gpu, regions.iter().map(|region| (region.clone(), groups(region))))?;
        }
        self.parts.fill(gpu, regions, digis)?;
        self.regions.fill(gpu, on_device(regions))
    }

    fn group_capacity(&self) -> usize {
        self.capacities[usize::from(self.is_wide)]
    }

    /// Sorts the groups of all regions, except those that are appended to one of the lists `left`:
    /// groups that do not fit, and those with too many digis of nearly the same time.
    pub(super) fn sort(
        &self,
        gpu: &Gpu,
        sorts: &Sorts,
        level: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
        left: [Ptr<RangeList>; 2],
    ) -> Result<(), DeviceError> {
        let [oversized, crowded] = left;
        let all = kernels::GroupSort {
            from: from.ptr(),
            to: to.ptr(),
            bucket_offsets: self.bucket_offsets.ptr(),
            groups: self.groups.ptr(),
            group_count: self.group_count.ptr(),
            oversized,
            crowded,
        };
        // Read once, and once more from caches; written once.
        let grid = self.grid(self.groups_bound, 2);
        // SAFETY: groups are ranges of the arrays, and the lists have capacity for all of them.
        unsafe {
            match level {
                Level::Channel => {
                    let arguments = kernels::SortGroups { all, extents: self.extents.ptr() };
                    let kernel = if self.is_wide { sorts.wide_groups } else { sorts.groups };
                    gpu.launch(kernel, grid, arguments)
                }
                Level::Time { .. } => {
                    let arguments = kernels::SortTimes { all, digit: level.digit() };
                    gpu.launch(sorts.times, grid, arguments)
                }
            }
        }
    }

    /// A grid of `blocks` blocks, which move `words` words for each digi.
    fn grid(&self, blocks: u32, words: u64) -> LaunchConfig {
        LaunchConfig::blocks(blocks).with_traffic(words * self.digis * DIGI)
    }
}

/// Maximum number of groups of `regions` regions with `digis` digis: two consecutive ones together
/// exceed the capacity, or they would be one.
pub(super) fn groups_of(digis: usize, regions: usize, capacity: usize) -> usize {
    2 * (digis / capacity + regions)
}

fn max_regions(digis: usize, segments: usize, capacity: usize) -> usize {
    let affordable = digis / DIGIS_OF_REGION;
    let at_a_time = REGIONS.max(affordable / SHARE_OF_LARGE_BUCKETS);
    let large_buckets = at_a_time.min(digis / capacity).max(1);
    segments.min(affordable).max(large_buckets)
}

/// Maximum number of groups of one region.
fn max_groups(digis: usize, capacity: usize) -> u32 {
    (groups_of(digis, 1, capacity) as u32).min(BUCKETS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_small_compared_with_the_digis() {
        let max_regions = |digis, segments| max_regions(digis, segments, 8192);
        assert_eq!(max_regions(187_000_000, 1792), 1792);
        assert_eq!(max_regions(187_000_000, 20_000), 5706);
        // Large buckets may come up where there is one segment.
        assert_eq!(max_regions(30_000_000, 1), 228);
        assert_eq!(max_regions(1_000_000, 1), 16);
        assert_eq!(max_regions(10_000, 1), 1);
        assert_eq!(max_regions(0, 0), 1);
    }
}
