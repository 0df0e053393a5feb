//! What kernels leave to others: ranges of digis, in any order.

use super::division::Range;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Grid, Kernel, PinnedBuffer, Ptr};
use crate::kernels::sts_sort_channel_bucket::{RangeList, SortCrowded};

/// What did not go into shared memory: how many ranges, then the position
/// of the first digi of each and of that after the last.
pub(super) struct Oversized {
    device: DeviceBuffer<u32>,
    host: PinnedBuffer<u32>,
}

buffers!(Oversized: device, host);

impl Oversized {
    /// No more than so many.
    pub(super) fn new(gpu: &Gpu, most: usize) -> Result<Self, DeviceError> {
        let words = words_for(most);
        Ok(Oversized { device: gpu.buffer(words)?, host: gpu.pinned(words)? })
    }

    /// As kernels know it.
    pub(super) fn list(&self) -> Ptr<RangeList> {
        self.device.ptr::<u32>().cast()
    }

    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.device, 0)
    }

    /// Starts to tell the host how many there are.
    pub(super) fn start_count(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(self.host.part_mut(0..1), &self.device)
    }

    /// All of them, once the host was told how many there are, if there may be any; waits for them.
    pub(super) fn read(&mut self, gpu: &Gpu, may_be: bool) -> Result<Vec<Range>, DeviceError> {
        let count = if may_be { self.host[0] as usize } else { 0 };
        if count == 0 {
            return Ok(Vec::new());
        }
        let words = words_for(count);
        gpu.download(self.host.part_mut(0..words), &self.device)?;
        gpu.wait()?;
        let pairs = self.host[1..words].chunks_exact(2);
        let mut ranges: Vec<_> = pairs.map(|pair| pair[0]..pair[1]).collect();
        ranges.sort_unstable_by_key(|range| range.start);
        Ok(ranges)
    }
}

/// Groups and segments of which many digis have nearly the same time, in the
/// same form.
pub(super) struct OverfullBins {
    device: DeviceBuffer<u32>,
}

buffers!(OverfullBins: device);

impl OverfullBins {
    /// A list for so many at most.
    pub(super) fn new(gpu: &Gpu, most: usize) -> Result<Self, DeviceError> {
        let device = gpu.buffer(words_for(most))?;
        Ok(OverfullBins { device })
    }

    /// As kernels know it.
    pub(super) fn list(&self) -> Ptr<RangeList> {
        self.device.ptr::<u32>().cast()
    }

    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.device, 0)
    }

    /// Sorts all that are listed; usually none.
    pub(super) fn sort(
        &self,
        gpu: &Gpu,
        kernel: &Kernel<SortCrowded>,
        from: &DeviceBuffer<u64>,
        to: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let listed = self.device.len() as u32 / 2;
        // Nobody knows how many there are, nor how many bytes are moved.
        let grid = Grid::blocks(gpu.properties().multiprocessors.min(listed));
        let arguments = SortCrowded { from: from.ptr(), to: to.ptr(), crowded: self.list() };
        // SAFETY: what is listed are ranges of both arrays that fit.
        unsafe { gpu.launch(kernel, grid, arguments) }
    }
}

fn words_for(ranges: usize) -> usize {
    1 + 2 * ranges
}
