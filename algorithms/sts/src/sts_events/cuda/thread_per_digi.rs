//! A thread for each digi, then for each full window; events are copied once they are counted.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::runner::{EventBuilder, OnDevice};
use crate::kernels::sts_events_cuda_building_events_h::Totals;
use crate::kernels::sts_events_thread_per_digi::{
    EVENTS_COPY, EVENTS_CUT, EVENTS_FOLLOW, EVENTS_FULL, EventsCopy, EventsCut, EventsFollow,
    EventsFull,
};
use tasks::device::buffers;

const DIGI: u64 = size_of::<u64>() as u64;

pub(super) struct ThreadPerDigi {
    /// Digis with full windows, and whether each is a trigger.
    full: DeviceBuffer<u32>,
    is_trigger: DeviceBuffer<u8>,
    /// One for each block, to number full windows; two, to number events and copies.
    windows_before: DeviceBuffer<u64>,
    events_before: DeviceBuffer<u64>,
    blocks: u32,
}

buffers!(ThreadPerDigi: full, is_trigger, windows_before, events_before);

impl ThreadPerDigi {
    pub(super) fn boxed(gpu: &Gpu, digis: usize) -> Result<Box<dyn EventBuilder>, DeviceError> {
        let blocks = EVENTS_FULL.grid_for(digis).blocks;
        Ok(Box::new(ThreadPerDigi {
            full: gpu.buffer(digis)?,
            is_trigger: gpu.buffer(digis)?,
            windows_before: gpu.buffer(blocks as usize)?,
            events_before: gpu.buffer(2 * blocks as usize)?,
            blocks,
        }))
    }
}

impl EventBuilder for ThreadPerDigi {
    fn start(&mut self, gpu: &Gpu, data: &OnDevice) -> Result<(), DeviceError> {
        gpu.fill(&self.windows_before, 0)?;
        gpu.fill(&self.events_before, 0)?;
        gpu.fill(&self.is_trigger, 0)?;
        // There are no more full windows than digis; blocks without any end at once.
        let grid = LaunchConfig::blocks(self.blocks);
        let stream = data.stream();
        let full = self.full.ptr();
        let totals = data.totals.ptr();
        let states = self.windows_before.ptr();
        let numbering = EventsFull { stream, states, full, totals };
        let is_trigger = self.is_trigger.ptr();
        let following = EventsFollow { stream, full, totals, is_trigger };
        let states = self.events_before.ptr();
        let splitter = EventsCut { stream, full, is_trigger, states, output: data.output() };
        // SAFETY: there is at most one full window for each digi, no more events are written than
        // the capacities, and each block has the states that the kernels use.
        unsafe {
            gpu.launch(&EVENTS_FULL, grid.with_traffic(data.digis.bytes()), numbering)?;
            gpu.launch(&EVENTS_FOLLOW, grid, following)?;
            gpu.launch(&EVENTS_CUT, grid, splitter)
        }
    }

    fn finish(&mut self, gpu: &Gpu, data: &OnDevice, totals: &Totals) -> Result<(), DeviceError> {
        let events = totals.events.min(data.capacities().events);
        let grid = LaunchConfig::blocks(events).with_traffic(2 * DIGI * u64::from(totals.copies));
        let arguments = EventsCopy { digis: data.digis.ptr(), output: data.output() };
        // SAFETY: `events` have been written, and no more copies are written than the capacities.
        unsafe { gpu.launch(&EVENTS_COPY, grid, arguments) }
    }
}
