//! Sorting by distribution: to the buckets of their channels first, then each
//! bucket in shared memory. See the kernels for the idea.
//!
//! | module | holds |
//! |---|---|
//! | `limits` | sizes that kernels and launcher agree on |
//! | `division` | which segments are small, of medium size, or large |
//! | `regions` | large segments and large buckets, distributed by many blocks |

mod division;
mod limits;
mod regions;

use generators::partition::Partition;

use self::division::{Division, Range};
use self::limits::{CAPACITY, THREADS, shared_by_both, shared_by_sorting};
use self::regions::{Level, Regions};
use super::{CudaSort, Digis, Sorter, Table, Words};
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, Image, Kernel, PinnedBuffer, Shape, image,
};

static IMAGE: Image = image!("sts_sort-channel_bucket");

static SMALL: Kernel<(Digis, Words)> = Kernel::new(&IMAGE, "channel_bucket_small");
static MEDIUM: Kernel<(Digis, Digis, Words, Words)> = Kernel::new(&IMAGE, "channel_bucket_medium");

/// First bit and number of bits of the digit of a digi that tells its bucket:
/// the channel first, then the time from above. Digis that are in one bucket
/// after all of them have the same key.
const LEVELS: [Level; 4] = [
    Level {
        shift: 37,
        bits: 11,
    },
    Level {
        shift: 20,
        bits: 11,
    },
    Level {
        shift: 10,
        bits: 10,
    },
    Level { shift: 0, bits: 10 },
];

/// The stage of buckets that are distributed once more.
const AGAIN: &str = "unfit";

/// Bytes of a digi.
const DIGI: u64 = size_of::<u64>() as u64;

/// Two arrays of the size of the input, and tables of some per cent of it.
pub(in crate::sts_sort) static CHANNEL_BUCKET: CudaSort = CudaSort {
    name: "channel-bucket",
    summary: "ours: distributed by channel, then binned by time in shared memory: two moves",
    stable: false,
    sorter: |gpu, partition| Ok(Box::new(ChannelBucket::new(gpu, partition)?)),
};

struct ChannelBucket {
    partition: Partition,
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
    small: Table,
    medium: Table,
    regions: Regions,
    unfit: Unfit,
}

/// The list of buckets that did not fit into shared memory: their number, then
/// the position of the first digi of each and of that after the last.
struct Unfit {
    device: DeviceBuffer<u32>,
    host: PinnedBuffer<u32>,
}

impl ChannelBucket {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let digis = partition.elements();
        let division = Division::new(partition, gpu);
        Ok(ChannelBucket {
            digis: gpu.buffer(digis)?,
            scratch: gpu.buffer(digis)?,
            small: Table::new(gpu, 2 * division.small.len())?,
            medium: Table::new(gpu, 2 * division.medium.len())?,
            regions: Regions::new(gpu, digis, division.large.len())?,
            unfit: Unfit::new(gpu, digis)?,
            partition: partition.clone(),
        })
    }

    fn sort_small(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        self.small.fill(gpu, words(segments))?;
        // Read three times, written once.
        let shape = shape(segments, 4, shared_by_sorting(gpu));
        // SAFETY: the ranges are segments of the array, none longer than fits.
        unsafe { gpu.launch(&SMALL, &shape, (&self.digis, &self.small.device)) }
    }

    fn sort_medium(&mut self, gpu: &Gpu, segments: &[Range]) -> Result<(), DeviceError> {
        self.medium.fill(gpu, words(segments))?;
        // Read twice and written once by each of the two steps.
        let shape = shape(segments, 6, shared_by_both(gpu));
        let (ranges, unfit) = (&self.medium.device, &self.unfit.device);
        // SAFETY: the ranges are segments of both arrays, and the list has room
        // for all buckets that don't fit.
        unsafe { gpu.launch(&MEDIUM, &shape, (&self.digis, &self.scratch, ranges, unfit)) }
    }

    /// Distributes regions once more, and sorts their buckets into `digis`.
    /// Levels take turns in where the digis come from.
    fn sort_regions(&mut self, gpu: &Gpu, level: usize, all: &[Range]) -> Result<(), DeviceError> {
        let (from, to) = match level % 2 {
            0 => (&self.digis, &self.scratch),
            _ => (&self.scratch, &self.digis),
        };
        for some in all.chunks(self.regions.most()) {
            self.regions.fill(gpu, some)?;
            self.regions.distribute(gpu, LEVELS[level], from, to)?;
            let (sorted, unfit) = (&self.digis, &self.unfit.device);
            self.regions.sort(gpu, LEVELS[level], to, sorted, unfit)?;
            if some.len() < all.len() {
                // The tables are filled again.
                gpu.finish()?;
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

    fn arrays(&self) -> Vec<&DeviceBuffer<u64>> {
        vec![&self.digis, &self.scratch]
    }

    fn bytes_of_tables(&self) -> u64 {
        let lists = [&self.small.device, &self.medium.device, &self.unfit.device];
        let in_lists: u64 = lists.iter().map(|list| list.bytes()).sum();
        in_lists + self.regions.bytes()
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let division = Division::new(&self.partition, gpu);
        self.sort_small(gpu, &division.small)?;
        if division.medium.is_empty() && division.large.is_empty() {
            return Ok(());
        }
        self.unfit.clear(gpu)?;
        self.sort_medium(gpu, &division.medium)?;
        self.sort_regions(gpu, 0, &division.large)?;
        for level in 1..LEVELS.len() {
            let unfit = self.unfit.read(gpu)?;
            if unfit.is_empty() {
                break;
            }
            gpu.scope(AGAIN, || {
                self.unfit.clear(gpu)?;
                self.sort_regions(gpu, level, &unfit)
            })?;
        }
        Ok(())
    }
}

impl Unfit {
    fn new(gpu: &Gpu, digis: usize) -> Result<Self, DeviceError> {
        let most = digis / CAPACITY as usize;
        Ok(Unfit {
            device: gpu.buffer(1 + 2 * most)?,
            host: gpu.pinned(1 + 2 * most)?,
        })
    }

    fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.device, 0)
    }

    /// Waits for the kernels that make the list.
    fn read(&mut self, gpu: &Gpu) -> Result<Vec<Range>, DeviceError> {
        gpu.download(&mut self.host[..1], &self.device)?;
        gpu.finish()?;
        let count = self.host[0] as usize;
        if count == 0 {
            return Ok(Vec::new());
        }
        let words = 1 + 2 * count;
        gpu.download(&mut self.host[..words], &self.device)?;
        gpu.finish()?;
        let pairs = self.host[1..words].chunks_exact(2);
        let mut ranges: Vec<_> = pairs.map(|pair| pair[0]..pair[1]).collect();
        // Blocks come to the list in any order.
        ranges.sort_unstable_by_key(|range| range.start);
        Ok(ranges)
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
