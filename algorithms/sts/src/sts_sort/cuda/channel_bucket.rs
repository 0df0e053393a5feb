//! Sorting by distribution: to groups of channels first, then each group in shared memory. See the
//! kernels for the idea.
//!
//! | module | holds |
//! |---|---|
//! | `division` | division into small and large segments |
//! | `lists` | ranges that kernels leave to others |
//! | `parts` | regions split into parts, each of which is read by a block |
//! | `regions` | large segments and large buckets, distributed and sorted |
//! | `sorts` | the kernels that sort in shared memory |
//! | `tiles` | regions split into tiles, whose digis keep their order |

mod division;
mod lists;
mod parts;
mod regions;
mod sorts;
#[cfg(test)]
mod tests;
mod tiles;

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use self::division::{Counts, Division, Range, capacity, on_device, wide_capacity};
use self::lists::{OverfullBins, Oversized};
use self::regions::{Level, Regions, groups_of};
use self::sorts::{BY_ALL_BITS, BY_ARRIVAL, Sorts};
use super::runner::{DIGI, Sorter, sort_on_gpu};
use crate::kernels::sts_sort_channel_bucket as kernels;
use crate::sts_sort::StsSort;
use tasks::algorithm::Variant;
use tasks::device::{StagedArray, buffers};

/// Bits that determine the bucket of a digi: the channel first, then the time from its high bits.
/// Digis that are in one bucket after all levels have the same key.
const LEVELS: [Level; 4] = [
    Level::Channel,
    Level::Time { shift: 20, bits: 11 },
    Level::Time { shift: 10, bits: 10 },
    Level::Time { shift: 0, bits: 10 },
];

/// The stage of buckets that are distributed once more.
const AGAIN: &str = "oversized";

/// Two arrays of the size of the input, and tables of some per cent of it.
pub(super) const CHANNEL_BUCKET: Variant<StsSort> = Variant::cuda(
    "channel-bucket",
    "ours: distributed by channel, then binned by time in shared memory: two moves",
    |at| sort_on_gpu(at, |gpu, partition| Ok(Box::new(ChannelBucket::new(gpu, partition)?))),
)
.unstable();

/// Uses the same arrays, and larger tables.
pub(super) const CHANNEL_BUCKET_STABLE: Variant<StsSort> = Variant::cuda(
    "channel-bucket-stable",
    "channel-bucket with digis moved in the order in which they arrive: ranks by warps, look-back",
    |at| sort_on_gpu(at, |gpu, partition| Ok(Box::new(ChannelBucket::stable(gpu, partition)?))),
);

/// Digis, and the buffers for sorting them.
pub(crate) struct ChannelBucket {
    partition: Partition,
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
    tables: Tables,
    sorts: &'static Sorts,
    /// True if there may be buckets that are too large.
    may_leave: bool,
}

buffers!(ChannelBucket: digis, scratch, tables);

/// Buffers for sorting, except the digis.
struct Tables {
    small: StagedArray<kernels::Range>,
    wide: StagedArray<kernels::Range>,
    regions: Regions,
    oversized: Oversized,
    overfull: OverfullBins,
    /// Overfull bins of blocks with a multiprocessor to themselves.
    wide_overfull: OverfullBins,
}

buffers!(Tables: small, wide, regions, oversized, overfull, wide_overfull);

impl Tables {
    fn new(
        gpu: &Gpu,
        digis: usize,
        max: Counts,
        in_order: Option<usize>,
    ) -> Result<Self, DeviceError> {
        let regions = Regions::new(gpu, digis, max.large, in_order)?;
        let groups = groups_of(digis, regions.max(), capacity(gpu));
        let large_groups = groups_of(digis, regions.max(), wide_capacity(gpu));
        Ok(Tables {
            small: StagedArray::new(gpu, max.small)?,
            wide: StagedArray::new(gpu, max.wide)?,
            regions,
            oversized: Oversized::new(gpu, digis / capacity(gpu))?,
            overfull: OverfullBins::new(gpu, groups.max(max.small))?,
            wide_overfull: OverfullBins::new(gpu, large_groups.max(max.wide))?,
        })
    }
}

impl ChannelBucket {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let max = Division::on(gpu, partition).counts();
        let mut sort = Self::with_tables(gpu, partition.elements(), max, None)?;
        sort.fit(partition);
        Ok(sort)
    }

    /// A sort that keeps the order of digis with the same key.
    fn stable(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let max = Division::on(gpu, partition).counts();
        let longest = partition.lengths().max().unwrap_or(0);
        let mut sort = Self::with_tables(gpu, partition.elements(), max, Some(longest))?;
        sort.sorts = &BY_ARRIVAL;
        sort.fit(partition);
        Ok(sort)
    }

    /// Buffers for `digis` digis in `segments` segments, whose lengths are not known yet.
    pub(crate) fn with_capacity(
        gpu: &Gpu,
        digis: usize,
        segments: usize,
    ) -> Result<Self, DeviceError> {
        Self::with_tables(gpu, digis, Counts::at_most(gpu, digis, segments), None)
    }

    /// `in_order` is the length of the longest segment, if the order is to be kept.
    fn with_tables(
        gpu: &Gpu,
        digis: usize,
        max: Counts,
        in_order: Option<usize>,
    ) -> Result<Self, DeviceError> {
        Ok(ChannelBucket {
            digis: gpu.buffer(digis)?,
            scratch: gpu.buffer(digis)?,
            tables: Tables::new(gpu, digis, max, in_order)?,
            sorts: &BY_ALL_BITS,
            partition: Partition::from_lengths([]),
            may_leave: false,
        })
    }

    /// Prepares for digis of these segments, which must fit into the capacity.
    pub(crate) fn fit(&mut self, partition: &Partition) {
        self.partition = partition.clone();
    }

    /// Digis of a segment that a block sorts at once, and those that a block with a multiprocessor
    /// to itself does.
    pub(crate) fn block_capacities(gpu: &Gpu) -> [usize; 2] {
        [capacity(gpu), wide_capacity(gpu)]
    }

    /// The digis, before and after the sort.
    pub(crate) fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    /// Scratch of the same length, which a sort overwrites.
    pub(crate) fn scratch(&self) -> &DeviceBuffer<u64> {
        &self.scratch
    }

    /// Starts the kernels. They list ranges that are too large for shared memory: see
    /// [`ChannelBucket::finish`].
    pub(crate) fn start(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Division { small, wide, large } = Division::on(gpu, &self.partition);
        self.sort_segments(gpu, &small, false)?;
        self.sort_segments(gpu, &wide, true)?;
        self.start_large(gpu, &large)
    }

    /// Starts to sort only segments that have more digis than a block can hold.
    pub(crate) fn start_larger(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Division { large, .. } = Division::on(gpu, &self.partition);
        self.start_large(gpu, &large)
    }

    fn start_large(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        let has_wide_groups = self.tables.regions.want_wide_groups(segments);
        self.may_leave = !segments.is_empty();
        if segments.is_empty() {
            return Ok(());
        }
        self.tables.oversized.clear(gpu)?;
        self.sort_regions(gpu, 0, segments, has_wide_groups)?;
        self.tables.oversized.start_count(gpu)
    }

    /// Sorts the remaining ranges, after the host has waited for the kernels that were started.
    /// Returns true if there were any: digis were not in order before.
    pub(crate) fn finish(&mut self, gpu: &Gpu) -> Result<bool, DeviceError> {
        let may_be_oversized = std::mem::take(&mut self.may_leave);
        let mut oversized = self.tables.oversized.read(gpu, may_be_oversized)?;
        if oversized.is_empty() {
            return Ok(false);
        }
        for level in 1..LEVELS.len() {
            if !oversized.is_empty() {
                oversized = self.sort_again(gpu, level, &oversized)?;
            }
        }
        Ok(true)
    }

    /// Sorts the remaining ranges; returns those that remain then.
    fn sort_again(
        &mut self,
        gpu: &Gpu,
        level: usize,
        left: &[Range],
    ) -> Result<Vec<Range>, DeviceError> {
        gpu.scope(AGAIN, || {
            self.tables.oversized.clear(gpu)?;
            self.sort_regions(gpu, level, left, false)?;
            self.tables.oversized.start_count(gpu)?;
            gpu.wait()?;
            self.tables.oversized.read(gpu, true)
        })
    }

    /// Sorts segments that a block holds, or a block with a multiprocessor to itself if `is_wide`.
    fn sort_segments(
        &mut self,
        gpu: &Gpu,
        segments: &[Range],
        is_wide: bool,
    ) -> Result<(), DeviceError> {
        if segments.is_empty() {
            return Ok(());
        }
        let Tables { small, wide, overfull, wide_overfull, .. } = &mut self.tables;
        let sorts = self.sorts;
        let (list, crowded, kernel, crowded_kernel) = if is_wide {
            (wide, wide_overfull, sorts.wide, sorts.wide_crowded)
        } else {
            (small, overfull, sorts.small, sorts.crowded)
        };
        let digis = &self.digis;
        list.fill(gpu, on_device(segments))?;
        let arguments = kernels::SortSegments {
            digis: digis.ptr(),
            segments: list.ptr(),
            crowded: crowded.list(),
        };
        crowded.clear(gpu)?;
        let count: u64 = segments.iter().map(|range| range.len() as u64).sum();
        // Read once, and twice more from caches; written once.
        let grid = LaunchConfig::blocks(segments.len() as u32).with_traffic(2 * count * DIGI);
        // SAFETY: the ranges are segments of the array, none longer than fits.
        unsafe { gpu.launch(kernel, grid, arguments)? };
        crowded.sort(gpu, crowded_kernel, digis, digis)
    }

    /// Distributes regions once more, to large groups or not, and sorts these into `digis`. The
    /// source array alternates with the level.
    fn sort_regions(
        &mut self,
        gpu: &Gpu,
        level: usize,
        all: &[Range],
        is_wide: bool,
    ) -> Result<(), DeviceError> {
        let (from, to) = match level % 2 {
            0 => (&self.digis, &self.scratch),
            _ => (&self.scratch, &self.digis),
        };
        let tables = &mut self.tables;
        let sorts = self.sorts;
        for some in all.chunks(tables.regions.max()) {
            tables.regions.fill(gpu, some, is_wide)?;
            tables.regions.distribute(gpu, LEVELS[level], from, to)?;
            let (overfull, crowded) = if tables.regions.is_wide() {
                (&tables.wide_overfull, sorts.wide_crowded)
            } else {
                (&tables.overfull, sorts.crowded)
            };
            overfull.clear(gpu)?;
            let left = [tables.oversized.list(), overfull.list()];
            tables.regions.sort(gpu, sorts, LEVELS[level], to, &self.digis, left)?;
            overfull.sort(gpu, crowded, to, &self.digis)?;
            if some.len() < all.len() {
                // The tables are filled again.
                gpu.wait()?;
            }
        }
        Ok(())
    }
}

impl Sorter for ChannelBucket {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.start(gpu)?;
        if self.may_leave {
            gpu.wait()?;
        }
        self.finish(gpu).map(|_| ())
    }
}
