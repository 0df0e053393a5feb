//! Lists of ranges of digis that kernels leave to others, in any order.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, LaunchConfig, PinnedBuffer, Ptr};

use super::division::Range;
use crate::kernels::sts_sort_channel_bucket::{RangeList, SortCrowded};
use tasks::device::buffers;

buffers! {
    /// Ranges that did not fit into shared memory, at most `max`: their number, then the begin and
    /// end of each.
    pub(super) struct Oversized(gpu, max: usize) {
        device: DeviceBuffer<u32> = gpu.buffer(words_for(max))?,
        host: PinnedBuffer<u32> = gpu.pinned(words_for(max))?,
    }
}

impl Oversized {
    /// The list in the layout of kernels.
    pub(super) fn list(&self) -> Ptr<RangeList> {
        self.device.ptr::<u32>().cast()
    }

    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.device, 0)
    }

    /// Starts to copy the number of ranges to the host.
    pub(super) fn start_count(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(self.host.part_mut(0..1), &self.device)
    }

    /// All ranges, after their number was copied to the host, if there may be any; waits for them.
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

buffers! {
    /// Groups and segments with many digis of nearly the same time, in the same format.
    pub(super) struct OverfullBins(gpu, max: usize) {
        device: DeviceBuffer<u32> = gpu.buffer(words_for(max))?,
    }
}

impl OverfullBins {
    /// The list in the layout of kernels.
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
        // Neither the number of ranges nor the bytes moved are known.
        let grid = LaunchConfig::blocks(gpu.properties().multiprocessors.min(listed));
        let arguments = SortCrowded { from: from.ptr(), to: to.ptr(), crowded: self.list() };
        // SAFETY: the listed ranges are within both arrays, and fit into a block.
        unsafe { gpu.launch(kernel, grid, arguments) }
    }
}

fn words_for(ranges: usize) -> usize {
    1 + 2 * ranges
}
