//! A GPU for each stream: queues and buffers of its own, in the one context of its device.

use std::sync::{Arc, Mutex, PoisonError};

use algorithms::device::Device;
use algorithms::device::emulator::Config;
use algorithms::device::gpu::cuda::{self, ContextSharing};
use algorithms::device::gpu::webgpu::{self, Checks};
use algorithms::device::gpu::{DeviceError, Gpu};

/// The GPUs of streams, kept from one point to the next: opening one loads all its kernels.
pub(super) struct StreamGpus {
    open: Mutex<Vec<(Device, usize, Arc<Gpu>)>>,
    checks: Checks,
}

impl StreamGpus {
    pub(super) fn new(checks: Checks) -> Self {
        StreamGpus { open: Mutex::default(), checks }
    }

    /// The GPU of a stream; `None` on the host.
    ///
    /// # Errors
    /// Why it can't be used.
    pub(super) fn of(
        &self,
        device: Device,
        stream: usize,
    ) -> Result<Option<Arc<Gpu>>, DeviceError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().find(|(other, of, _)| (*other, *of) == (device, stream));
        if let Some((.., gpu)) = known.filter(|(.., gpu)| !gpu.is_lost()) {
            return Ok(Some(Arc::clone(gpu)));
        }
        let gpu = match device {
            // In contexts of their own their kernels would take turns.
            Device::Cuda(number) => cuda::open(number, ContextSharing::Primary)?,
            Device::Wgpu(number) => webgpu::open(number, self.checks)?,
            // Commands refuse it; tests see whether streams of a GPU are right.
            Device::Emulator => Gpu::emulated(Config::default())?,
            Device::Cpu => return Ok(None),
        };
        let gpu = Arc::new(gpu);
        open.retain(|(other, of, _)| (*other, *of) != (device, stream));
        open.push((device, stream, Arc::clone(&gpu)));
        Ok(Some(gpu))
    }

    /// Gives back the memory that nobody has.
    pub(super) fn trim(&self) {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().for_each(|(.., gpu)| gpu.trim());
    }
}
