//! Sorting by distribution: to groups of channels first, then each group in
//! shared memory. See the kernels for the idea.
//!
//! | module | holds |
//! |---|---|
//! | `limits` | sizes that kernels and launcher agree on |
//! | `division` | which segments are small, and which are large |
//! | `lists` | ranges that kernels leave to others |
//! | `regions` | large segments and large buckets, distributed and sorted |

mod division;
mod limits;
mod lists;
mod regions;

use generators::partition::Partition;

use self::division::{Division, Range};
use self::limits::{THREADS, shared_by_sorting};
use self::lists::{Crowds, Unfit};
use self::regions::{Level, Regions, groups_of};
use super::{Digis, Sorter, Words, sort_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, Table, image};
use crate::sts_sort::StsSort;

static IMAGE: Image = image!("sts_sort-channel_bucket");

static SMALL: Kernel<(Digis, Words, Words)> = Kernel::new(&IMAGE, "channel_bucket_small");

/// What tells the bucket of a digi: the channel first, then the time from above.
/// Digis that are in one bucket after all of them have the same key.
const LEVELS: [Level; 4] = [
    Level::Channel,
    Level::Time {
        shift: 20,
        bits: 11,
    },
    Level::Time {
        shift: 10,
        bits: 10,
    },
    Level::Time { shift: 0, bits: 10 },
];

/// The stage of buckets that are distributed once more.
const AGAIN: &str = "unfit";

/// Bytes of a digi.
const DIGI: u64 = size_of::<u64>() as u64;

/// Two arrays of the size of the input, and tables of some per cent of it.
pub(super) const CHANNEL_BUCKET: Variant<StsSort> = Variant::cuda(
    "channel-bucket",
    "ours: distributed by channel, then binned by time in shared memory: two moves",
    |at| {
        sort_on_gpu(at, |gpu, partition| {
            Ok(Box::new(ChannelBucket::new(gpu, partition)?))
        })
    },
)
.unstable();

/// Digis, and what sorting them takes.
pub(crate) struct ChannelBucket {
    partition: Partition,
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
    tables: Tables,
}

buffers!(ChannelBucket: digis, scratch, tables);

/// What sorting takes beside the digis.
struct Tables {
    small: Table,
    regions: Regions,
    unfit: Unfit,
    crowds: Crowds,
}

buffers!(Tables: small, regions, unfit, crowds);

impl Tables {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let digis = partition.elements();
        let division = Division::new(partition);
        let regions = Regions::new(gpu, digis, division.large.len())?;
        let groups = groups_of(digis, regions.most());
        Ok(Tables {
            small: Table::new(gpu, 2 * division.small.len())?,
            regions,
            unfit: Unfit::new(gpu, digis)?,
            crowds: Crowds::new(gpu, groups.max(division.small.len()))?,
        })
    }
}

impl ChannelBucket {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let mut sort = Self::with_room(gpu, partition.elements())?;
        sort.fit(gpu, partition)?;
        Ok(sort)
    }

    /// Room for so many digis, of which nobody knows yet in which segments they are.
    ///
    /// # Errors
    /// If the device has no room.
    pub(crate) fn with_room(gpu: &Gpu, digis: usize) -> Result<Self, DeviceError> {
        let partition = Partition::from_lengths([]);
        Ok(ChannelBucket {
            digis: gpu.buffer(digis)?,
            scratch: gpu.buffer(digis)?,
            tables: Tables::new(gpu, &partition)?,
            partition,
        })
    }

    /// Gets ready for digis in such segments: no more than there is room for. Nothing that
    /// was started before may still be under way.
    ///
    /// # Errors
    /// If the device has no room.
    pub(crate) fn fit(&mut self, gpu: &Gpu, partition: &Partition) -> Result<(), DeviceError> {
        if self.partition != *partition {
            self.tables = Tables::new(gpu, partition)?;
            self.partition = partition.clone();
        }
        Ok(())
    }

    /// Where the digis have to be before, and are after.
    pub(crate) fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    /// As much room, which a sort overwrites.
    pub(crate) fn scratch(&self) -> &DeviceBuffer<u64> {
        &self.scratch
    }

    /// Starts the kernels. Where buckets may be too large for shared memory, waits for
    /// those that make a list of them.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let division = Division::new(&self.partition);
        self.sort_small(gpu, &division.small)?;
        if division.large.is_empty() {
            return Ok(());
        }
        self.tables.unfit.clear(gpu)?;
        self.sort_regions(gpu, 0, &division.large)?;
        for level in 1..LEVELS.len() {
            let unfit = self.tables.unfit.read(gpu)?;
            if unfit.is_empty() {
                break;
            }
            gpu.scope(AGAIN, || {
                self.tables.unfit.clear(gpu)?;
                self.sort_regions(gpu, level, &unfit)
            })?;
        }
        Ok(())
    }

    fn sort_small(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        if segments.is_empty() {
            return Ok(());
        }
        let (tables, digis) = (&mut self.tables, &self.digis);
        tables.small.fill(gpu, words(segments))?;
        // Read three times, written once.
        let shape = shape(segments, 4, shared_by_sorting(gpu));
        let arguments = (digis, tables.small.device(), tables.crowds.device());
        tables.crowds.clear(gpu)?;
        // SAFETY: the ranges are segments of the array, none longer than fits.
        unsafe { gpu.launch(&SMALL, &shape, arguments)? };
        tables.crowds.sort(gpu, digis, digis)
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
            tables.crowds.clear(gpu)?;
            let left = [tables.unfit.device(), tables.crowds.device()];
            tables
                .regions
                .sort(gpu, LEVELS[level], to, &self.digis, left)?;
            tables.crowds.sort(gpu, to, &self.digis)?;
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
        ChannelBucket::sort(self, gpu)
    }
}

fn words(ranges: &[Range]) -> impl Iterator<Item = u32> {
    ranges.iter().flat_map(|range| [range.start, range.end])
}

/// A block a range, which moves so many words for each of its digis.
fn shape(ranges: &[Range], words: u64, shared_bytes: u32) -> Shape {
    let digis: u64 = ranges.iter().map(|range| range.len() as u64).sum();
    Shape {
        blocks: ranges.len() as u32,
        threads: THREADS,
        shared_bytes,
        bytes: words * digis * DIGI,
    }
}
