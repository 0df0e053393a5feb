//! Sorts with a block for each segment, whatever its length.

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use super::runner::{self, DIGI, Sorter, sort_on_gpu};
use crate::sts_sort::StsSort;
use tasks::algorithm::{PrepareResult, VariantContext};
use tasks::device::{Buffers, StagedArray};

/// Arrays of the size of the input; the first one has the digis before.
pub(super) struct Segments<const ARRAYS: usize> {
    pub(super) partition: Partition,
    arrays: [DeviceBuffer<u64>; ARRAYS],
    segment_offsets: StagedArray,
}

/// Starts the kernels, after the offsets of segments are on the device.
type Start<const ARRAYS: usize> = fn(&Gpu, &Segments<ARRAYS>) -> Result<(), DeviceError>;

struct SegmentSorter<const ARRAYS: usize> {
    segments: Segments<ARRAYS>,
    /// The array that has the digis after.
    sorted: usize,
    start: Start<ARRAYS>,
}

/// A session of a sort that leaves the digis in array `sorted`.
pub(super) fn by_segment<'a, const ARRAYS: usize>(
    at: &VariantContext<'a, '_, StsSort>,
    sorted: usize,
    start: Start<ARRAYS>,
) -> PrepareResult<'a, StsSort> {
    sort_on_gpu(at, move |gpu, partition| {
        Ok(Box::new(SegmentSorter { segments: Segments::new(gpu, partition)?, sorted, start }))
    })
}

impl<const ARRAYS: usize> Segments<ARRAYS> {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let arrays = (0..ARRAYS).map(|_| gpu.buffer(partition.elements()));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        Ok(Segments {
            arrays: arrays.try_into().unwrap_or_else(|_| unreachable!()),
            segment_offsets: StagedArray::new(gpu, partition.segments() + 1)?,
            partition: partition.clone(),
        })
    }

    /// The arrays.
    pub(super) fn digis(&self) -> [Ptr<u64>; ARRAYS] {
        self.arrays.each_ref().map(DeviceBuffer::ptr)
    }

    /// Offsets of segments, with the end of the last one.
    pub(super) fn segment_offsets(&self) -> Ptr<u32> {
        self.segment_offsets.ptr()
    }

    /// A block per segment, which moves `words` words for each digi.
    pub(super) fn grid(&self, words: u64) -> LaunchConfig {
        let digis = self.partition.elements() as u64;
        LaunchConfig::blocks(self.partition.segments() as u32).with_traffic(words * digis * DIGI)
    }
}

impl<const ARRAYS: usize> Buffers for SegmentSorter<ARRAYS> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.segments.arrays.poison()?;
        self.segments.segment_offsets.poison()
    }

    fn bytes(&self) -> u64 {
        self.segments.arrays.bytes() + self.segments.segment_offsets.bytes()
    }
}

impl<const ARRAYS: usize> Sorter for SegmentSorter<ARRAYS> {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.segments.arrays[0]
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.segments.arrays[self.sorted]
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Segments { partition, segment_offsets, .. } = &mut self.segments;
        segment_offsets.fill(gpu, runner::segment_offsets(partition))?;
        (self.start)(gpu, &self.segments)
    }
}
