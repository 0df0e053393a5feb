//! One GPU handle per stream, with its own queues and buffers, in the shared context of its device.

use std::sync::{Arc, Mutex, PoisonError};

use algorithms::device::Device;
use algorithms::device::emulator::Config;
use algorithms::device::gpu::cuda::{self, ContextSharing};
use algorithms::device::gpu::{DeviceError, Gpu, hip, webgpu};

/// GPUs of streams, kept between points, because opening one loads all its kernels.
#[derive(Default)]
pub(crate) struct StreamGpus(Mutex<Vec<(Device, usize, Arc<Gpu>)>>);

impl StreamGpus {
    /// GPU of a stream; `None` on the host.
    ///
    /// # Errors
    /// If it can't be used.
    pub(crate) fn for_stream(
        &self,
        device: Device,
        stream: usize,
    ) -> Result<Option<Arc<Gpu>>, DeviceError> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            open.iter().find(|(other, for_stream, _)| (*other, *for_stream) == (device, stream));
        if let Some((.., gpu)) = known.filter(|(.., gpu)| !gpu.is_lost()) {
            return Ok(Some(Arc::clone(gpu)));
        }
        let gpu = match (device, device.cuda_number(), device.adapter()) {
            (Device::Cpu, ..) => return Ok(None),
            // Kernels of separate contexts would be time-sliced.
            (_, Some(number), _) => cuda::open(number, ContextSharing::Primary)?,
            (_, _, Some((number, checks))) => webgpu::open(number, checks)?,
            (Device::Hip(number), ..) => hip::open(number)?,
            // Commands refuse it; tests check the results of streams on a GPU with it.
            _ => Gpu::emulated(Config::default())?,
        };
        if gpu.copies_wait_for_others() {
            gpu.copy_small_by_kernel();
        }
        let gpu = Arc::new(gpu);
        open.retain(|(other, for_stream, _)| (*other, *for_stream) != (device, stream));
        open.push((device, stream, Arc::clone(&gpu)));
        Ok(Some(gpu))
    }

    /// Releases unused memory.
    pub(super) fn trim(&self) {
        let open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.iter().for_each(|(.., gpu)| gpu.trim());
    }
}
