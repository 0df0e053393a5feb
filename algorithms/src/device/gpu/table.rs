//! Small arrays that the host makes and kernels read.

use bytemuck::Pod;

use super::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr, SameAs};
use crate::device::Buffers;

/// A small array that the host makes in each run, and kernels read.
pub(crate) struct Table<T = u32> {
    host: PinnedBuffer<T>,
    device: DeviceBuffer<T>,
}

impl<T: Pod + Send> Buffers for Table<T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.host.poison()?;
        self.device.poison()
    }

    fn bytes(&self) -> u64 {
        self.device.bytes()
    }
}

impl<T: Pod> Table<T> {
    /// With room for so many values.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(Table { host: gpu.pinned(length)?, device: gpu.buffer(length)? })
    }

    /// Values that there is room for.
    pub(crate) fn len(&self) -> usize {
        self.device.len()
    }

    /// Fills the table from its beginning. Filled again, it waits for the copy before.
    ///
    /// # Errors
    /// If the device refuses.
    pub(crate) fn fill(
        &mut self,
        gpu: &Gpu,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), DeviceError> {
        let mut length = 0;
        for (place, value) in self.host.iter_mut().zip(values) {
            *place = value;
            length += 1;
        }
        gpu.upload(&self.device, self.host.part(0..length))
    }

    /// Where kernels find the values.
    pub(crate) fn ptr<K>(&self) -> Ptr<K>
    where
        T: SameAs<K>,
    {
        self.device.ptr()
    }
}
