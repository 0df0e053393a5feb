//! One pass, a block for each tile of digis.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig};

use super::runner::{EventBuilder, OnDevice};
use crate::kernels::sts_events_fused::{EVENTS_FUSED, EventsFused, TILE};
use tasks::device::buffers;

pub(super) struct Fused {
    /// One for tickets, and three for each tile.
    states: DeviceBuffer<u64>,
    tiles: u32,
}

buffers!(Fused: states);

impl Fused {
    pub(super) fn boxed(gpu: &Gpu, digis: usize) -> Result<Box<dyn EventBuilder>, DeviceError> {
        let tiles = digis.div_ceil(TILE as usize) as u32;
        Ok(Box::new(Fused { states: gpu.buffer(1 + 3 * tiles as usize)?, tiles }))
    }
}

impl EventBuilder for Fused {
    fn start(&mut self, gpu: &Gpu, data: &OnDevice) -> Result<(), DeviceError> {
        gpu.fill(&self.states, 0)?;
        let arguments =
            EventsFused { stream: data.stream(), states: self.states.ptr(), output: data.output() };
        // Copied digis were read before.
        let bytes = data.digis.bytes() + data.expected_event_bytes() + data.expected_copy_bytes();
        let grid = LaunchConfig::blocks(self.tiles).with_traffic(bytes);
        // SAFETY: the kernel writes no more events and copies than the capacities, and there are
        // three states for each of its blocks.
        unsafe { gpu.launch(&EVENTS_FUSED, grid, arguments) }
    }
}
