//! Empty kernels, whose time is the cost of a launch.

use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Graph, LaunchConfig, PinnedBuffer};
use crate::kernels::ceilings_streams::{CEILING_NOTHING, CeilingNothing};

/// Empty launches, and copies of a single word.
pub struct Launches {
    device: DeviceBuffer<u64>,
    host: PinnedBuffer<u64>,
}

impl Launches {
    /// # Errors
    /// If there is not enough memory for a word.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Launches { device: gpu.buffer(1)?, host: gpu.pinned(1)? })
    }

    /// Starts `count` kernels, one after the other.
    ///
    /// # Errors
    /// If they can't be started.
    pub fn start(&self, gpu: &Gpu, count: usize) -> Result<(), DeviceError> {
        start(gpu, count)
    }

    /// Records `count` kernels as a graph.
    ///
    /// # Errors
    /// If they can't be recorded.
    pub fn recorded(&self, gpu: &Gpu, count: usize) -> Result<Graph<'static>, DeviceError> {
        gpu.capture("nothing", move |gpu| start(gpu, count))
    }

    /// Starts the copy of a word to the device.
    ///
    /// # Errors
    /// If it can't be started.
    pub fn copy_word(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.device, &self.host)
    }
}

fn start(gpu: &Gpu, count: usize) -> Result<(), DeviceError> {
    for _ in 0..count {
        let nothing = CeilingNothing { nothing: 0 };
        // SAFETY: the kernel touches no memory.
        unsafe { gpu.launch(&CEILING_NOTHING, LaunchConfig::blocks(1), nothing) }?;
    }
    Ok(())
}
