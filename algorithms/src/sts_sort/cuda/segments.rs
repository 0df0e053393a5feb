//! Sorts with a block for each segment, whatever its length.

use generators::partition::Partition;

use super::{Sorter, sort_on_gpu};
use crate::algorithm::{Opened, Opening};
use crate::device::Buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid, Ptr, Table};
use crate::sts_sort::StsSort;

/// Arrays of the size of the input; the first one has the digis before.
pub(super) struct Segments<const ARRAYS: usize> {
    pub(super) partition: Partition,
    arrays: [DeviceBuffer<u64>; ARRAYS],
    begins: Table,
}

/// How segments are sorted.
#[derive(Clone, Copy)]
pub(super) struct BySegment<const ARRAYS: usize> {
    /// The array that has the digis after.
    pub(super) sorted: usize,
    /// Starts the kernels, once it is known on the device where segments begin.
    pub(super) start: fn(&Gpu, &Segments<ARRAYS>) -> Result<(), DeviceError>,
}

struct SegmentSorter<const ARRAYS: usize> {
    segments: Segments<ARRAYS>,
    sort: BySegment<ARRAYS>,
}

/// Such a sort, ready to run.
pub(super) fn by_segment<'a, const ARRAYS: usize>(
    at: &Opening<'a, '_, StsSort>,
    sort: BySegment<ARRAYS>,
) -> Opened<'a, StsSort> {
    sort_on_gpu(at, move |gpu, partition| {
        let segments = Segments::new(gpu, partition)?;
        Ok(Box::new(SegmentSorter { segments, sort }))
    })
}

impl<const ARRAYS: usize> Segments<ARRAYS> {
    fn new(gpu: &Gpu, partition: &Partition) -> Result<Self, DeviceError> {
        let arrays = (0..ARRAYS).map(|_| gpu.buffer(partition.elements()));
        let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
        Ok(Segments {
            arrays: arrays.try_into().unwrap_or_else(|_| unreachable!()),
            begins: Table::new(gpu, partition.segments() + 1)?,
            partition: partition.clone(),
        })
    }

    /// The arrays.
    pub(super) fn digis(&self) -> [Ptr<u64>; ARRAYS] {
        self.arrays.each_ref().map(DeviceBuffer::ptr)
    }

    /// Where segments begin, and where the last one ends.
    pub(super) fn begins(&self) -> Ptr<u32> {
        self.begins.ptr()
    }

    /// A block a segment, which moves so many words for each digi.
    pub(super) fn grid(&self, words: u64) -> Grid {
        let digis = self.partition.elements() as u64;
        Grid::blocks(self.partition.segments() as u32).moving(words * digis * super::DIGI)
    }
}

impl<const ARRAYS: usize> Buffers for SegmentSorter<ARRAYS> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.segments.arrays.poison()?;
        self.segments.begins.poison()
    }

    fn bytes(&self) -> u64 {
        self.segments.arrays.bytes() + self.segments.begins.bytes()
    }
}

impl<const ARRAYS: usize> Sorter for SegmentSorter<ARRAYS> {
    fn digis(&self) -> &DeviceBuffer<u64> {
        &self.segments.arrays[0]
    }

    fn sorted(&self) -> &DeviceBuffer<u64> {
        &self.segments.arrays[self.sort.sorted]
    }

    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let Segments {
            partition, begins, ..
        } = &mut self.segments;
        begins.fill(gpu, super::begins(partition))?;
        (self.sort.start)(gpu, &self.segments)
    }
}
