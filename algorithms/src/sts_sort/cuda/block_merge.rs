//! The published GPU sort: one block a segment, chunks of 512 × 11 digis by a
//! radix sort in shared memory, then merges by Merge Path.

use generators::partition::Partition;

use super::{Digis, Sorter, Words, begins, sort_on_gpu};
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Image, Kernel, Shape, Table, image};
use crate::sts_sort::StsSort;

static IMAGE: Image = image!("sts_sort-block_merge");

static SORT: Kernel<(Digis, Digis, Words)> = Kernel::new(&IMAGE, "block_merge_sort");

const THREADS: u32 = 512;
/// Digis that a block sorts at once.
const TILE: u32 = THREADS * 11;
/// Digits of 7 bits.
const BINS: u32 = 1 << 7;

/// Two arrays of the size of the input.
pub(super) const BLOCK_MERGE: Variant<StsSort> = Variant::cuda(
    "block-merge",
    "published: a block a segment, chunks of 5632 digis by radix sort, Merge Path",
    |at| {
        sort_on_gpu(at, |gpu, partition| {
            Ok(Box::new(BlockMerge::new(gpu, partition)?))
        })
    },
);

struct BlockMerge {
    partition: Partition,
    digis: DeviceBuffer<u64>,
    scratch: DeviceBuffer<u64>,
    begins: Table,
}

buffers!(BlockMerge: digis, scratch, begins);

impl BlockMerge {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        Ok(BlockMerge {
            digis: gpu.buffer(partition.elements())?,
            scratch: gpu.buffer(partition.elements())?,
            begins: Table::new(gpu, partition.segments() + 1)?,
            partition: partition.clone(),
        })
    }

    /// Each level reads and writes all digis of the segments that have it.
    fn bytes_moved(&self) -> u64 {
        let of_segment = |length: usize| {
            let chunks = (length as u64).div_ceil(u64::from(TILE));
            let levels = chunks.next_power_of_two().ilog2();
            length as u64 * u64::from(1 + levels)
        };
        let digis: u64 = self.partition.lengths().map(of_segment).sum();
        2 * digis * size_of::<u64>() as u64
    }
}

/// A tile of digis, a count for each warp and digit, a sum for each lane.
fn shared_bytes(lanes: u32) -> u32 {
    8 * TILE + 4 * (THREADS / lanes * BINS + lanes)
}

impl Sorter for BlockMerge {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.digis
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.begins.fill(gpu, begins(&self.partition))?;
        let shape = Shape {
            blocks: self.partition.segments() as u32,
            threads: THREADS,
            shared_bytes: shared_bytes(gpu.properties().lanes),
            bytes: self.bytes_moved(),
        };
        let arguments = (&self.digis, &self.scratch, self.begins.device());
        // SAFETY: both arrays have a place for each digi of each segment.
        unsafe { gpu.launch(&SORT, &shape, arguments) }
    }
}
