//! Small arrays that the host makes and kernels read.

use super::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use crate::device::buffers;

/// A small array that the host makes in each run, and kernels read.
pub(crate) struct Table {
    host: PinnedBuffer<u32>,
    device: DeviceBuffer<u32>,
}

buffers!(Table: host, device);

impl Table {
    /// With room for so many values.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(Table {
            host: gpu.pinned(length)?,
            device: gpu.buffer(length)?,
        })
    }

    /// Fills the table from its beginning. It must not be filled again before
    /// the GPU has finished.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn fill(
        &mut self,
        gpu: &Gpu,
        values: impl Iterator<Item = u32>,
    ) -> Result<(), DeviceError> {
        let mut length = 0;
        for (place, value) in self.host.iter_mut().zip(values) {
            *place = value;
            length += 1;
        }
        gpu.upload(&self.device, &self.host[..length])
    }

    /// Where kernels find the values.
    pub(crate) fn device(&self) -> &DeviceBuffer<u32> {
        &self.device
    }
}
