//! Entries of each side by bins of time: see the kernels.

use generators::partition::Partition;

use super::clusters::UnsortedClusters;
use super::parts_of;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, StagedArray};
use crate::kernels::sts_time_bins::{self as kernels, BUCKETS, FEW, MANY, MIN_STEP, PART, Part};
use crate::sts::ClusterEntry;

/// Clusters that a block of a shader sorts at once, with the little workgroup memory of shaders:
/// see `time_bins/sides.wgsl`.
const SHADER_FEW: u32 = 2048;

/// Limits on a side's clusters that select the algorithm; and the smallest group of a large side.
#[derive(Clone, Copy)]
struct Sizes {
    few: u32,
    many: u32,
    min_step: u32,
}

impl Sizes {
    fn new(gpu: &Gpu) -> Self {
        if gpu.properties().has_shaders {
            Sizes { few: SHADER_FEW, many: SHADER_FEW, min_step: SHADER_FEW / 2 }
        } else {
            Sizes { few: FEW, many: MANY, min_step: MIN_STEP }
        }
    }
}

/// Buffers for sorting, except clusters and entries.
pub(super) struct TimeBins {
    sizes: Sizes,
    /// Parts of large sides.
    parts: StagedArray<Part>,
    extents: DeviceBuffer<u32>,
    counts: DeviceBuffer<u32>,
    group_of: DeviceBuffer<u16>,
    group_offsets: DeviceBuffer<u32>,
    next_offsets: DeviceBuffer<u32>,
    /// Number of overfull groups, then the begin and end of each.
    overfull: DeviceBuffer<u32>,
}

buffers!(TimeBins: parts, extents, counts, group_of, group_offsets, next_offsets, overfull);

/// Input and output of a sort.
#[derive(Clone, Copy)]
struct Sorting<'a> {
    from: UnsortedClusters<'a>,
    entries: &'a DeviceBuffer<ClusterEntry>,
    grouped: &'a DeviceBuffer<ClusterEntry>,
}

impl TimeBins {
    pub(super) fn new(gpu: &Gpu, digis: usize, sides: usize) -> Result<Self, DeviceError> {
        let sizes = Sizes::new(gpu);
        // No side is large where there are so few.
        let large = if digis > sizes.many as usize { sides } else { 0 };
        let groups = digis / sizes.min_step as usize + sides + 1;
        Ok(TimeBins {
            sizes,
            parts: StagedArray::new(gpu, digis / PART as usize + large)?,
            extents: gpu.buffer(2 * large)?,
            counts: gpu.buffer(BUCKETS as usize * large)?,
            group_of: gpu.buffer(BUCKETS as usize * large)?,
            group_offsets: gpu.buffer(groups)?,
            next_offsets: gpu.buffer(groups)?,
            overfull: gpu.buffer(1 + 2 * (digis / sizes.few as usize))?,
        })
    }

    /// Sorts the entries of all sides into `entries`; overwrites the same number in `scratch`.
    pub(super) fn sort(
        &mut self,
        gpu: &Gpu,
        from: UnsortedClusters<'_>,
        entries: &DeviceBuffer<ClusterEntry>,
        grouped: &DeviceBuffer<ClusterEntry>,
    ) -> Result<(), DeviceError> {
        let sorting = Sorting { from, entries, grouped };
        let Sizes { few, many, .. } = self.sizes;
        let max = from.sides.lengths().max().unwrap_or(0);
        self.sort_few(gpu, sorting)?;
        if many > few && max > few as usize {
            sort_many(gpu, sorting)?;
        }
        let parts = parts(from.sides, many);
        if parts.is_empty() {
            return Ok(());
        }
        let count = parts.len() as u32;
        self.parts.fill(gpu, parts)?;
        self.distribute(gpu, count, sorting)?;
        self.sort_groups(gpu, count, sorting)
    }

    fn sort_few(&self, gpu: &Gpu, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let arguments = kernels::TimeBinsFew {
            clusters: sorting.from.clusters.ptr(),
            side_offsets: sorting.from.side_offsets.ptr(),
            found: sorting.from.found.ptr(),
            entries: sorting.entries.ptr(),
            extents: self.extents.ptr(),
            counts: self.counts.ptr(),
            overfull: self.overfull.ptr::<u32>().cast(),
        };
        let from = sorting.from;
        let grid = sorting.block_a_side();
        // The number of clusters in larger sides is only known on the device.
        let has_larger = from.sides.lengths().any(|digis| digis > self.sizes.few as usize);
        let bytes = if has_larger { 0 } else { from.cluster_bytes() + from.entry_bytes() };
        // SAFETY: there is a block for each side, with capacity for one entry per cluster; there
        // are tables for each side if one of them can be large.
        unsafe { gpu.launch(&kernels::TIME_BINS_FEW, grid.with_traffic(bytes), arguments) }
    }

    /// Brings the entries of large sides into groups.
    fn distribute(&self, gpu: &Gpu, parts: u32, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let side_offsets = sorting.from.side_offsets.ptr();
        let found = sorting.from.found.ptr();
        let entries = sorting.entries.ptr();
        let list = self.parts.ptr();
        let extents = self.extents.ptr();
        let counts = self.counts.ptr();
        let copying = kernels::TimeBinsTimes {
            clusters: sorting.from.clusters.ptr(),
            side_offsets,
            found,
            parts: list,
            entries,
            extents,
        };
        let counting =
            kernels::TimeBinsCount { side_offsets, found, parts: list, entries, extents, counts };
        let grouping = kernels::TimeBinsGroup {
            side_offsets,
            found,
            counts,
            group_of: self.group_of.ptr(),
            group_offsets: self.group_offsets.ptr(),
            next_offsets: self.next_offsets.ptr(),
        };
        let distributing = kernels::TimeBinsDistribute {
            side_offsets,
            found,
            parts: list,
            entries,
            extents,
            group_of: self.group_of.ptr(),
            next_offsets: self.next_offsets.ptr(),
            grouped: sorting.grouped.ptr(),
        };
        // The number of clusters in large sides is only known on the device.
        let parts = LaunchConfig::blocks(parts);
        // SAFETY: parts are those of sides, which have capacity for one entry per cluster; all
        // tables have elements for each side, and for the largest number of groups of sides.
        unsafe {
            gpu.launch(&kernels::TIME_BINS_TIMES, parts, copying)?;
            gpu.launch(&kernels::TIME_BINS_COUNT, parts, counting)?;
            gpu.launch(&kernels::TIME_BINS_GROUP, sorting.block_a_side(), grouping)?;
            gpu.launch(&kernels::TIME_BINS_DISTRIBUTE, parts, distributing)
        }
    }

    fn sort_groups(&self, gpu: &Gpu, parts: u32, sorting: Sorting<'_>) -> Result<(), DeviceError> {
        let entries = sorting.entries.ptr();
        let grouped = sorting.grouped.ptr();
        let overfull = self.overfull.ptr::<u32>().cast();
        let sort = kernels::TimeBinsGroups {
            side_offsets: sorting.from.side_offsets.ptr(),
            found: sorting.from.found.ptr(),
            parts: self.parts.ptr(),
            group_offsets: self.group_offsets.ptr(),
            next_offsets: self.next_offsets.ptr(),
            grouped,
            entries,
            overfull,
        };
        let sort_overfull = kernels::TimeBinsOverfull { overfull, grouped, entries };
        let groups = LaunchConfig::blocks(parts * (PART / self.sizes.min_step));
        let some = LaunchConfig::blocks(gpu.properties().multiprocessors.min(parts));
        // SAFETY: a block for each group that sides can have; there are no more overfull bins
        // than fit into all sides.
        unsafe {
            gpu.launch(&kernels::TIME_BINS_GROUPS, groups, sort)?;
            gpu.launch(&kernels::TIME_BINS_OVERFULL, some, sort_overfull)
        }
    }
}

impl Sorting<'_> {
    fn block_a_side(&self) -> LaunchConfig {
        LaunchConfig::blocks(self.from.sides.segments() as u32)
    }
}

fn sort_many(gpu: &Gpu, sorting: Sorting<'_>) -> Result<(), DeviceError> {
    let arguments = kernels::TimeBinsMany {
        clusters: sorting.from.clusters.ptr(),
        side_offsets: sorting.from.side_offsets.ptr(),
        found: sorting.from.found.ptr(),
        entries: sorting.entries.ptr(),
    };
    // SAFETY: there is a block for each side, with capacity for one entry per cluster.
    unsafe { gpu.launch(&kernels::TIME_BINS_MANY, sorting.block_a_side(), arguments) }
}

/// The parts of all sides that may have more than `many` clusters, by digis because the number of
/// clusters is not known yet.
fn parts(sides: &Partition, many: u32) -> Vec<Part> {
    let large = |&(_, length): &(usize, usize)| length > many as usize;
    let parts = parts_of(sides.lengths().enumerate().filter(large), PART as usize);
    parts.map(|[side, first]| Part { side, first }).collect()
}

#[cfg(test)]
mod tests;
