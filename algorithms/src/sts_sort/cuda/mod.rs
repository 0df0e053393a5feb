//! Sorting on a GPU.
//!
//! A variant here is a [`Sorter`]: its buffers and its kernels. What all have
//! in common is in `prepared`: digis go to the device, are sorted, and come
//! back. Each launcher stands beside its kernels.

mod block_merge;
mod channel_bucket;
mod cub;
mod prepared;
mod segmented_radix;

use generators::partition::Partition;
use generators::sts::SegmentedDigis;

use super::StsSort;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedCudaSort;

pub(super) use block_merge::BLOCK_MERGE;
pub(super) use channel_bucket::CHANNEL_BUCKET;
pub(crate) use channel_bucket::ChannelBucket;
pub(super) use cub::CUB;
pub(super) use segmented_radix::{SEGMENTED_RADIX, SEGMENTED_RADIX_PAIRS};

/// What kernels take: a pointer to digis, or to keys.
type Digis = Ptr<u64>;
/// A pointer to positions and counts.
type Words = Ptr<u32>;

/// A way to sort on a GPU.
pub(super) struct CudaSort {
    name: &'static str,
    summary: &'static str,
    stable: bool,
    sorter: MakeSorter,
}

/// Takes the buffers for digis in such segments.
type MakeSorter = fn(&Gpu, &Partition) -> Result<Box<dyn Sorter>, DeviceError>;

/// The buffers of a sort, and what to do with them.
trait Sorter: Send {
    /// Where the digis have to be before.
    fn digis(&self) -> &DeviceBuffer<u64>;

    /// Where they are after.
    fn sorted(&self) -> &DeviceBuffer<u64>;

    /// All buffers with as many elements as there are digis, those of
    /// [`Sorter::digis`] and [`Sorter::sorted`] among them.
    fn arrays(&self) -> Vec<&DeviceBuffer<u64>>;

    /// Bytes of the other buffers on the device.
    fn bytes_of_tables(&self) -> u64;

    /// Starts the kernels.
    ///
    /// # Errors
    /// If the device refuses.
    fn sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError>;
}

/// A small array that the host makes and kernels read.
pub(crate) struct Table {
    host: PinnedBuffer<u32>,
    device: DeviceBuffer<u32>,
}

impl Table {
    /// With room for so many values.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(Table {
            host: gpu.pinned(length)?,
            device: gpu.buffer(length)?,
        })
    }

    /// Fills the table from its beginning. It must not be filled again before
    /// the GPU has finished.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn fill(
        &mut self,
        gpu: &Gpu,
        values: impl Iterator<Item = u32>,
    ) -> Result<(), DeviceError> {
        let mut length = 0;
        for (place, value) in self.host.iter_mut().zip(values) {
            *place = value;
            length += 1;
        }
        gpu.upload(&self.device, &self.host[..length])
    }

    /// Where kernels find the values.
    pub(crate) fn device(&self) -> &DeviceBuffer<u32> {
        &self.device
    }
}

/// Where segments begin, and where the last one ends. They fit: see [`accept`].
pub(crate) fn begins(partition: &Partition) -> impl Iterator<Item = u32> {
    let ends = partition.ranges().map(|range| range.end as u32);
    std::iter::once(0).chain(ends)
}

/// Positions are counted with 32 bits on the device, and a few more are needed
/// to go beyond the end.
fn accept(input: &SegmentedDigis) -> Result<(), Unavailable> {
    let (digis, most) = (input.digis().len(), i32::MAX as usize);
    if digis <= most {
        return Ok(());
    }
    Err(Unavailable(format!(
        "{digis} digis; on a GPU {most} is the most; use fewer"
    )))
}

impl Variant<StsSort> for CudaSort {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn stable(&self) -> bool {
        self.stable
    }

    fn prepare<'a>(
        &self,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsSort> + 'a>, Unavailable> {
        accept(input)?;
        let gpu = place.required_gpu()?;
        let prepared = PreparedCudaSort::new(self.sorter, (input, arena), gpu);
        Ok(Box::new(prepared))
    }
}
