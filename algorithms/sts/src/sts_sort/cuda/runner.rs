//! A sort on a GPU with an input.

use std::borrow::Cow;

use generators_common::partition::Partition;
use generators_sts::Digi;
use parallel::par_map;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};

use crate::sts_sort::StsSort;
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, VariantContext, limit_digis};
use tasks::device::{Buffers, PinnedInput, buffers};

/// Bytes of a digi.
pub(super) const DIGI: u64 = size_of::<u64>() as u64;

/// The buffers and kernels of a sort.
pub(super) trait Sorter: Buffers {
    /// Buffer of the unsorted digis.
    fn digis(&self) -> &DeviceBuffer<u64>;

    /// Buffer of the sorted digis.
    fn sorted(&self) -> &DeviceBuffer<u64>;

    /// Starts the kernels.
    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError>;
}

/// Allocates the buffers for digis of these segments.
type MakeSorter = Box<dyn Fn(&Gpu, &Partition) -> Result<Box<dyn Sorter>, DeviceError> + Send>;

struct SortBuffers<'a> {
    unsorted: PinnedInput<'a, u64>,
    sorted: PinnedBuffer<u64>,
    sorter: Box<dyn Sorter>,
}

buffers!(SortBuffers<'_>: unsorted, sorted, sorter);

/// A sorter, ready to run. Positions are counted with 32 bits on the device, and a few more
/// are needed to go beyond the end.
pub(super) fn sort_on_gpu<'a>(
    at: &VariantContext<'a, '_, StsSort>,
    make_sorter: impl Fn(&Gpu, &Partition) -> Result<Box<dyn Sorter>, DeviceError> + Send + 'static,
) -> PrepareResult<'a, StsSort> {
    limit_digis(at.input.digis().len(), i32::MAX as usize)?;
    at.on_gpu::<SortBuffers<'a>>(Box::new(make_sorter))
}

impl<'a> GpuTask<'a> for SortBuffers<'a> {
    type Task = StsSort;
    type Config = MakeSorter;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, .. } = at;
        let make_sorter = &at.config;
        let digis = input.digis();
        Ok(SortBuffers {
            unsorted: PinnedInput::converted(arena, gpu, digis, |digi| digi.bits())?,
            sorted: gpu.pinned(digis.len())?,
            sorter: make_sorter(gpu, input.partition())?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { gpu, .. } = at;
        gpu.upload(self.sorter.digis(), &self.unsorted)?;
        self.sorter.sort(gpu)?;
        gpu.download(&mut self.sorted, self.sorter.sorted())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<Digi>> {
        Cow::Owned(par_map(&self.sorted, |&bits| Digi::from_bits(bits)))
    }
}

/// Offsets of segments, with the end of the last one. They fit into 32 bits: see [`sort_on_gpu`].
pub(crate) fn segment_offsets(partition: &Partition) -> impl Iterator<Item = u32> {
    let ends = partition.ranges().map(|range| range.end as u32);
    std::iter::once(0).chain(ends)
}
