//! A sort on a GPU with an input.

use std::borrow::Cow;
use std::sync::Arc;

use generators::partition::Partition;
use generators::sts::{Digi, SegmentedDigis};

use crate::algorithm::{PrepareResult, Runner, VariantContext};
use crate::all_cores::par_map;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, PinnedInput};
use crate::device::{Arena, Buffers, Unavailable, buffers};
use crate::sts_sort::StsSort;

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

/// A sorter with an input.
struct SortRunner<'a> {
    make_sorter: MakeSorter,
    input: &'a SegmentedDigis,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
}

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
    let digis = at.input.digis().len();
    let max = i32::MAX as usize;
    if digis > max {
        return Err(Unavailable(format!("{digis} digis; on a GPU {max} is the most; use fewer")));
    }
    at.session(SortRunner {
        make_sorter: Box::new(make_sorter),
        input: at.input,
        arena: at.arena,
        gpu: at.gpu()?,
    })
}

impl<'a> Runner<StsSort> for SortRunner<'a> {
    type Buffers = SortBuffers<'a>;

    fn allocate(&self) -> Result<SortBuffers<'a>, DeviceError> {
        let gpu = &self.gpu;
        let digis = self.input.digis();
        Ok(SortBuffers {
            unsorted: PinnedInput::converted(self.arena, gpu, digis, |digi| digi.bits())?,
            sorted: gpu.pinned(digis.len())?,
            sorter: (self.make_sorter)(gpu, self.input.partition())?,
        })
    }

    fn run(&mut self, buffers: &mut SortBuffers<'a>) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        let sorter = &mut buffers.sorter;
        gpu.upload(sorter.digis(), &buffers.unsorted)?;
        sorter.sort(gpu)?;
        gpu.download(&mut buffers.sorted, sorter.sorted())
    }

    fn output<'b>(&'b self, buffers: &'b SortBuffers<'a>) -> Cow<'b, Vec<Digi>> {
        Cow::Owned(par_map(&buffers.sorted, |&bits| Digi::from_bits(bits)))
    }
}

/// Offsets of segments, with the end of the last one. They fit into 32 bits: see [`sort_on_gpu`].
pub(crate) fn segment_offsets(partition: &Partition) -> impl Iterator<Item = u32> {
    let ends = partition.ranges().map(|range| range.end as u32);
    std::iter::once(0).chain(ends)
}
