//! A slot for each message: kernels write the digis of a microslice to the first of its slots,
//! because the end of those before is not known. Then all are copied together.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Kernel, LaunchConfig};

use super::raw_on_gpu::{UnpackPass, messages};
use super::stream::Unpacker;
use crate::kernels::sts_unpack_copy_out::{
    UNPACK_COPY_OUT, UNPACK_PLACES, UnpackCopyOut, UnpackPlaces,
};
use crate::kernels::sts_unpack_epoch_parallel::UnpackToSlots;
use crate::sts_unpack::survey::Job;
use tasks::device::{StagedArray, buffers};

pub(super) struct Slots {
    kernel: &'static Kernel<UnpackToSlots>,
    grid: LaunchConfig,
    first_slots: StagedArray,
    slots: DeviceBuffer<u64>,
    states: DeviceBuffer<u64>,
    offsets: DeviceBuffer<u32>,
}

buffers!(Slots: first_slots, slots, states, offsets);

impl Slots {
    /// Unpacks these microslices by a kernel with the given grid.
    pub(super) fn boxed(
        gpu: &Gpu,
        jobs: &[Job],
        kernel: &'static Kernel<UnpackToSlots>,
        grid: LaunchConfig,
    ) -> Result<Box<dyn Unpacker>, DeviceError> {
        let slots = jobs.iter().map(|job| messages(job) as usize).sum();
        let blocks = UNPACK_PLACES.grid_for(jobs.len()).blocks;
        Ok(Box::new(Slots {
            kernel,
            grid,
            first_slots: StagedArray::new(gpu, jobs.len())?,
            slots: gpu.buffer(slots)?,
            states: gpu.buffer(blocks as usize)?,
            offsets: gpu.buffer(jobs.len())?,
        }))
    }

    fn fill_slots(&self, pass: &UnpackPass<'_>) -> Result<(), DeviceError> {
        let gpu = pass.gpu;
        let data = pass.data;
        let arguments = UnpackToSlots {
            bytes: data.bytes.ptr(),
            jobs: data.jobs.ptr(),
            job_count: pass.jobs.len() as u32,
            boards: data.boards.ptr(),
            rules: pass.rules,
            first_slots: self.first_slots.ptr(),
            counts: data.counts.ptr(),
            slots: self.slots.ptr(),
        };
        let grid = self.grid.with_traffic(pass.bytes_of_messages() + pass.bytes_of_digis());
        // SAFETY: contents are among the bytes, and each message has a slot.
        unsafe { gpu.launch(self.kernel, grid, arguments) }
    }

    fn copy_together(
        &self,
        pass: &UnpackPass<'_>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        let gpu = pass.gpu;
        let data = pass.data;
        let jobs = pass.jobs.len() as u32;
        gpu.fill(&self.states, 0)?;
        let find = UnpackPlaces {
            counts: data.counts.ptr(),
            job_count: jobs,
            states: self.states.ptr(),
            offsets: self.offsets.ptr(),
        };
        let blocks = UNPACK_PLACES.grid_for(pass.jobs.len()).blocks;
        let grid = LaunchConfig::blocks(blocks.min(gpu.properties().blocks_at_once(!0)));
        // SAFETY: there is an offset for each microslice, and a state for each block.
        unsafe { gpu.launch(&UNPACK_PLACES, grid, find)? };
        let copy = UnpackCopyOut {
            counts: data.counts.ptr(),
            first_slots: self.first_slots.ptr(),
            offsets: self.offsets.ptr(),
            slots: self.slots.ptr(),
            digis: digis.ptr(),
        };
        let grid = LaunchConfig::blocks(jobs).with_traffic(2 * pass.bytes_of_digis());
        // SAFETY: the number of digis is the counted one, at most the number of messages.
        unsafe { gpu.launch(&UNPACK_COPY_OUT, grid, copy) }
    }
}

impl Unpacker for Slots {
    fn unpack(
        &mut self,
        pass: &UnpackPass<'_>,
        digis: &DeviceBuffer<u64>,
    ) -> Result<(), DeviceError> {
        self.first_slots.fill(pass.gpu, first_slots(pass.jobs))?;
        self.fill_slots(pass)?;
        self.copy_together(pass, digis)
    }
}

/// The first slot of each microslice. There are no more than 32 bits can count.
fn first_slots(jobs: &[Job]) -> impl Iterator<Item = u32> {
    jobs.iter().scan(0, |next, job| {
        let first = *next;
        *next += messages(job);
        Some(first)
    })
}
