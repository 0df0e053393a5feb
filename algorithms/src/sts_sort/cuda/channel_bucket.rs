//! Sorting by distribution: to groups of channels first, then each group in
//! shared memory. See the kernels for the idea.
//!
//! | module | holds |
//! |---|---|
//! | `division` | which segments are small, and which are large |
//! | `lists` | ranges that kernels leave to others |
//! | `regions` | large segments and large buckets, distributed and sorted |

mod division;
mod lists;
mod regions;

use generators::partition::Partition;

use self::division::{Counts, Division, Range, capacity, on_device};
use self::lists::{OverfullBins, Oversized};
use self::regions::{Level, Regions, groups_of};
use super::runner::{DIGI, Sorter, sort_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid, Table};
use crate::kernels::sts_sort_channel_bucket as kernels;
use crate::kernels::sts_sort_channel_bucket_wide::{CHANNEL_BUCKET_WIDE, ChannelBucketWide};
use crate::sts_sort::StsSort;

/// What tells the bucket of a digi: the channel first, then the time from above.
/// Digis that are in one bucket after all of them have the same key.
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

/// Digis, and what sorting them takes.
pub(crate) struct ChannelBucket {
    partition: Partition,
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
    tables: Tables,
    /// Whether there may be segments that are too crowded, and buckets that are too large.
    may_leave: [bool; 2],
}

buffers!(ChannelBucket: digis, scratch, tables);

/// What sorting takes beside the digis.
struct Tables {
    small: Table<kernels::Range>,
    wide: Table<kernels::Range>,
    /// Those of them of which many digis have nearly the same time.
    crowded: Oversized,
    regions: Regions,
    oversized: Oversized,
    overfull: OverfullBins,
}

buffers!(Tables: small, wide, crowded, regions, oversized, overfull);

impl Tables {
    fn new(gpu: &Gpu, digis: usize, most: Counts) -> Result<Self, DeviceError> {
        let regions = Regions::new(gpu, digis, most.large)?;
        let groups = groups_of(digis, regions.most(), capacity(gpu));
        Ok(Tables {
            small: Table::new(gpu, most.small)?,
            wide: Table::new(gpu, most.wide)?,
            crowded: Oversized::new(gpu, most.wide)?,
            regions,
            oversized: Oversized::new(gpu, digis / capacity(gpu))?,
            overfull: OverfullBins::new(gpu, groups.max(most.small))?,
        })
    }
}

impl ChannelBucket {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let most = Division::on(gpu, partition).counts();
        let mut sort = Self::with_tables(gpu, partition.elements(), most)?;
        sort.fit(partition);
        Ok(sort)
    }

    /// Room for so many digis in so many segments, of which nobody knows yet how long they are.
    ///
    /// # Errors
    /// If the device has no room.
    pub(crate) fn with_room(gpu: &Gpu, digis: usize, segments: usize) -> Result<Self, DeviceError> {
        Self::with_tables(gpu, digis, Counts::at_most(gpu, digis, segments))
    }

    fn with_tables(gpu: &Gpu, digis: usize, most: Counts) -> Result<Self, DeviceError> {
        Ok(ChannelBucket {
            digis: gpu.buffer(digis)?,
            scratch: gpu.buffer(digis)?,
            tables: Tables::new(gpu, digis, most)?,
            partition: Partition::from_lengths([]),
            may_leave: [false; 2],
        })
    }

    /// Gets ready for digis in such segments: no more than there is room for.
    pub(crate) fn fit(&mut self, partition: &Partition) {
        self.partition = partition.clone();
    }

    /// Where the digis have to be before, and are after.
    pub(crate) fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    /// As much room, which a sort overwrites.
    pub(crate) fn scratch(&self) -> &DeviceBuffer<u64> {
        &self.scratch
    }

    /// Starts the kernels. They leave lists of what is too large or too crowded for shared memory: see
    /// [`ChannelBucket::finish`].
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn start(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Division { small, wide, large } = Division::on(gpu, &self.partition);
        self.sort_small(gpu, &small)?;
        self.sort_wide(gpu, &wide)?;
        if !large.is_empty() {
            self.tables.oversized.clear(gpu)?;
            self.sort_regions(gpu, 0, &large)?;
            self.tables.oversized.start_count(gpu)?;
        }
        self.may_leave = [!wide.is_empty(), !large.is_empty()];
        Ok(())
    }

    /// Goes on, once the host has waited for what was started, with what is left. Returns whether there
    /// was anything: digis were not in order before.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn finish(&mut self, gpu: &Gpu) -> Result<bool, DeviceError> {
        let [may_be_crowded, may_be_oversized] = std::mem::take(&mut self.may_leave);
        let crowded = self.tables.crowded.read(gpu, may_be_crowded)?;
        let mut oversized = self.tables.oversized.read(gpu, may_be_oversized)?;
        if crowded.is_empty() && oversized.is_empty() {
            return Ok(false);
        }
        if !crowded.is_empty() {
            oversized.extend(self.sort_again(gpu, 0, &crowded)?);
        }
        for level in 1..LEVELS.len() {
            if !oversized.is_empty() {
                oversized = self.sort_again(gpu, level, &oversized)?;
            }
        }
        Ok(true)
    }

    /// Sorts what is left; returns what is left of that.
    fn sort_again(
        &mut self,
        gpu: &Gpu,
        level: usize,
        left: &[Range],
    ) -> Result<Vec<Range>, DeviceError> {
        gpu.scope(AGAIN, || {
            self.tables.oversized.clear(gpu)?;
            self.sort_regions(gpu, level, left)?;
            self.tables.oversized.start_count(gpu)?;
            gpu.wait()?;
            self.tables.oversized.read(gpu, true)
        })
    }

    fn sort_small(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        if segments.is_empty() {
            return Ok(());
        }
        let (tables, digis) = (&mut self.tables, &self.digis);
        tables.small.fill(gpu, on_device(segments))?;
        let arguments = kernels::ChannelBucketSmall {
            digis: digis.ptr(),
            segments: tables.small.ptr(),
            overfull: tables.overfull.list(),
        };
        tables.overfull.clear(gpu)?;
        // Read three times, written once.
        let grid = block_each(segments, 4);
        // SAFETY: the ranges are segments of the array, none longer than fits.
        unsafe { gpu.launch(&kernels::CHANNEL_BUCKET_SMALL, grid, arguments)? };
        tables.overfull.sort(gpu, digis, digis)
    }

    fn sort_wide(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        if segments.is_empty() {
            return Ok(());
        }
        let (tables, digis) = (&mut self.tables, &self.digis);
        tables.wide.fill(gpu, on_device(segments))?;
        tables.crowded.clear(gpu)?;
        let (segments, crowded) = (block_each(segments, 4), tables.crowded.list());
        let arguments =
            ChannelBucketWide { digis: digis.ptr(), segments: tables.wide.ptr(), crowded };
        // SAFETY: as above.
        unsafe { gpu.launch(&CHANNEL_BUCKET_WIDE, segments, arguments)? };
        tables.crowded.start_count(gpu)
    }

    /// Distributes regions once more, and sorts their buckets into `digis`.
    /// Levels take turns in where the digis come from.
    fn sort_regions(&mut self, gpu: &Gpu, level: usize, all: &[Range]) -> Result<(), DeviceError> {
        let (from, to) = match level % 2 {
            0 => (&self.digis, &self.scratch),
            _ => (&self.scratch, &self.digis),
        };
        let tables = &mut self.tables;
        for some in all.chunks(tables.regions.most()) {
            tables.regions.fill(gpu, some)?;
            tables.regions.distribute(gpu, LEVELS[level], from, to)?;
            tables.overfull.clear(gpu)?;
            let left = [tables.oversized.list(), tables.overfull.list()];
            tables.regions.sort(gpu, LEVELS[level], to, &self.digis, left)?;
            tables.overfull.sort(gpu, to, &self.digis)?;
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
        if self.may_leave != [false; 2] {
            gpu.wait()?;
        }
        self.finish(gpu).map(|_| ())
    }
}

/// A block a range, which moves so many words for each of its digis.
fn block_each(ranges: &[Range], words: u64) -> Grid {
    let digis: u64 = ranges.iter().map(|range| range.len() as u64).sum();
    Grid::blocks(ranges.len() as u32).moving(words * digis * DIGI)
}
