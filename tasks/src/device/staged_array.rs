//! Small arrays that the host writes and kernels read.

use bytemuck::Pod;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LayoutCompatible, PinnedBuffer, Ptr};

use crate::device::Buffers;

/// A small array that the host writes in each run and kernels read, with its copy on the device.
pub struct StagedArray<T = u32> {
    host: PinnedBuffer<T>,
    device: DeviceBuffer<T>,
}

impl<T: Pod + Send> Buffers for StagedArray<T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.host.poison()?;
        self.device.poison()
    }

    fn bytes(&self) -> u64 {
        self.device.bytes()
    }
}

impl<T: Pod> StagedArray<T> {
    /// Allocates a table with a capacity of `length` values.
    pub fn new(gpu: &Gpu, length: usize) -> Result<Self, DeviceError> {
        Ok(StagedArray { host: gpu.pinned(length)?, device: gpu.buffer(length)? })
    }

    /// Capacity in values.
    pub fn len(&self) -> usize {
        self.device.len()
    }

    /// True if it has no capacity.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes the first values and starts their upload. Before that it waits for the upload of the
    /// previous values.
    pub fn fill(
        &mut self,
        gpu: &Gpu,
        values: impl IntoIterator<Item = T>,
    ) -> Result<(), DeviceError> {
        let mut length = 0;
        for (target, value) in self.host.iter_mut().zip(values) {
            *target = value;
            length += 1;
        }
        gpu.upload(&self.device, self.host.part(0..length))
    }

    /// Device pointer to the values.
    pub fn ptr<K>(&self) -> Ptr<K>
    where
        T: LayoutCompatible<K>,
    {
        self.device.ptr()
    }
}
