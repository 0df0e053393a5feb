//! A GPU for each stream: queues and buffers of its own, in the one context of its device.

use std::sync::{Arc, Mutex, PoisonError};

use algorithms::device::Device;
use algorithms::device::emulator::Config;
use algorithms::device::gpu::cuda::{self, ContextSharing};
use algorithms::device::gpu::{DeviceError, Gpu, hip, webgpu};

/// The GPUs of streams, kept from one point to the next: opening one loads all its kernels.
#[derive(Default)]
pub(crate) struct StreamGpus(Mutex<Vec<(Device, usize, Arc<Gpu>)>>);

impl StreamGpus {
    /// The GPU of a stream; `None` on the host.
    ///
    /// # Errors
    /// Why it can't be used.
    pub(crate) fn of(
        &self,
        device: Device,
        stream: usize,
    ) -> Result<Option<Arc<Gpu>>, DeviceError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = open.iter().find(|(other, of, _)| (*other, *of) == (device, stream));
        if let Some((.., gpu)) = known.filter(|(.., gpu)| !gpu.is_lost()) {
            return Ok(Some(Arc::clone(gpu)));
        }
        let gpu = match (device, device.cuda_number(), device.adapter()) {
            (Device::Cpu, ..) => return Ok(None),
            // In contexts of their own their kernels would take turns.
            (_, Some(number), _) => cuda::open(number, ContextSharing::Primary)?,
            (_, _, Some((number, checks))) => webgpu::open(number, checks)?,
            (Device::Hip(number), ..) => hip::open(number)?,
            // Commands refuse it; tests see whether streams of a GPU are right.
            _ => Gpu::emulated(Config::default())?,
        };
        if gpu.copies_wait_for_others() {
            gpu.copy_small_by_kernel();
        }
        let gpu = Arc::new(gpu);
        open.retain(|(other, of, _)| (*other, *of) != (device, stream));
        open.push((device, stream, Arc::clone(&gpu)));
        Ok(Some(gpu))
    }

    /// Gives back the memory that nobody has.
    pub(super) fn trim(&self) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().for_each(|(.., gpu)| gpu.trim());
    }
}
