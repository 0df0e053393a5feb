//! Digis of regions come to groups of buckets: counted, and moved in any order or in that of arrival.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::{Level, Regions};
use crate::kernels::sts_sort_channel_bucket::{self as kernels, BUCKETS};
use crate::sts_sort::cuda::channel_bucket::tiles::Tiles;

impl Regions {
    /// Brings the digis of each region into groups of buckets.
    pub(in super::super) fn distribute(
        &self,
        gpu: &Gpu,
        level: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let regions = self.count as usize;
        gpu.fill_first(&self.extents, 2 * regions, 0xff)?;
        gpu.fill_first(&self.counts, regions * BUCKETS as usize, 0)?;
        gpu.fill(&self.group_count, 0)?;
        let count = kernels::ChannelBucketCount {
            digis: from.ptr(),
            parts: self.parts.ranges.ptr(),
            region_of_part: self.parts.regions.ptr(),
            counts: self.counts.ptr(),
            extents: self.extents.ptr(),
            digit: level.digit(),
        };
        let group = kernels::ChannelBucketGroup {
            regions: self.regions.ptr(),
            counts: self.counts.ptr(),
            bucket_offsets: self.bucket_offsets.ptr(),
            group_of: self.group_of.ptr(),
            first_groups: self.first_groups.ptr(),
            groups: self.groups.ptr(),
            next_offsets: self.next_offsets.ptr(),
            group_count: self.group_count.ptr(),
            capacity: self.group_capacity() as u32,
        };
        // SAFETY: parts are ranges of the arrays, and the tables have capacity for all parts,
        // regions and groups.
        unsafe {
            let parts = self.grid(self.parts.count(), 1);
            gpu.launch(&kernels::CHANNEL_BUCKET_COUNT, parts, count)?;
            gpu.launch(&kernels::CHANNEL_BUCKET_GROUP, self.grid(self.count, 0), group)?;
        }
        match &self.tiles {
            None => self.move_in_any_order(gpu, level, from, to),
            Some(tiles) => self.move_in_order(gpu, level, from, to, tiles),
        }
    }

    /// Moves digis to their groups.
    fn move_in_any_order(
        &self,
        gpu: &Gpu,
        level: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let arguments = kernels::ChannelBucketDistribute {
            from: from.ptr(),
            to: to.ptr(),
            parts: self.parts.ranges.ptr(),
            region_of_part: self.parts.regions.ptr(),
            group_of: self.group_of.ptr(),
            first_groups: self.first_groups.ptr(),
            next_offsets: self.next_offsets.ptr(),
            digit: level.digit(),
        };
        let parts = self.grid(self.parts.count(), 2);
        // SAFETY: parts are ranges of the arrays, the tables have capacity for all parts, regions
        // and groups, and groups have the counted number of digis.
        unsafe { gpu.launch(&kernels::CHANNEL_BUCKET_DISTRIBUTE, parts, arguments) }
    }

    /// Moves digis tile by tile, in the order of arrival.
    fn move_in_order(
        &self,
        gpu: &Gpu,
        level: Level,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
        tiles: &Tiles,
    ) -> Result<(), DeviceError> {
        let arguments = kernels::DistributeTiles {
            from: from.ptr(),
            to: to.ptr(),
            regions: self.regions.ptr(),
            group_of: self.group_of.ptr(),
            first_groups: self.first_groups.ptr(),
            next_offsets: self.next_offsets.ptr(),
            status: tiles.clear(gpu)?,
            digit: level.digit(),
        };
        // SAFETY: tiles are ranges of the arrays, the tables have capacity for all regions and
        // groups, and the status words of tiles for the maximum number of groups.
        unsafe { gpu.launch(tiles.kernel(), self.grid(tiles.count(), 2), arguments) }
    }
}
