//! Outputs of stages on the device, saved there for the next run.

use bytemuck::Pod;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use crate::sts::chains::{SavedBuffer, Snapshot};

/// A buffer on the device. Copies are started, not waited for.
struct OnDevice<'a, T> {
    gpu: &'a Gpu,
    buffer: &'a DeviceBuffer<T>,
}

/// Snapshot of a buffer on the device.
pub(super) fn on_device<'a, T: Pod + Send>(
    gpu: &'a Gpu,
    buffer: &'a DeviceBuffer<T>,
) -> Box<dyn Snapshot + 'a> {
    Box::new(OnDevice { gpu, buffer })
}

impl<T: Pod + Send> Snapshot for OnDevice<'_, T> {
    fn bytes(&self) -> u64 {
        self.buffer.bytes()
    }

    fn copied(&self) -> Result<SavedBuffer, DeviceError> {
        let copy: DeviceBuffer<T> = self.gpu.buffer(self.buffer.len())?;
        self.gpu.copy(&copy, self.buffer)?;
        Ok(Box::new(copy))
    }

    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError> {
        let saved = saved.downcast_ref::<DeviceBuffer<T>>();
        saved.map_or(Ok(()), |saved| self.gpu.copy(self.buffer, saved))
    }
}
