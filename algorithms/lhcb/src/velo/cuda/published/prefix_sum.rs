//! Prefix sums on the host.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use tasks::device::buffers;

buffers! {
    /// Exclusive prefix sums on the host, as the experiment's sequences have them: counts are copied to
    /// the host, sums are copied back.
    pub(super) struct HostPrefixSum(gpu, max: usize) {
        counts: PinnedBuffer<u32> = gpu.pinned(max)?,
        sums: PinnedBuffer<u32> = gpu.pinned(max + 1)?,
    }
}

impl HostPrefixSum {
    /// Fills `sums` with the sums before each of `length` counts, and of all of them, from `first` on;
    /// returns the last one.
    pub(super) fn run(
        &mut self,
        gpu: &Gpu,
        counts: &DeviceBuffer<u32>,
        sums: &DeviceBuffer<u32>,
        length: usize,
        first: u32,
    ) -> Result<u32, DeviceError> {
        gpu.download_part(self.counts.part_mut(0..length), counts, 0)?;
        gpu.wait()?;
        let host_counts = &self.counts[..length];
        let host_sums = &mut self.sums[..=length];
        let mut sum = first;
        for (before, count) in host_sums.iter_mut().zip(host_counts) {
            *before = sum;
            // Counts that mark an error are looked at afterwards.
            sum = sum.wrapping_add(*count);
        }
        host_sums[length] = sum;
        gpu.upload_part(sums, 0, self.sums.part(0..length + 1))?;
        // The experiment waits for the copy, too.
        gpu.wait()?;
        Ok(sum)
    }

    /// The counts of the last run.
    pub(super) fn counts(&self, length: usize) -> &[u32] {
        &self.counts[..length]
    }
}
