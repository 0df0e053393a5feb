//! Outputs of stages on the device, saved there for the next run.

use std::any::Any;

use bytemuck::Pod;
use generators::partition::Partition;

use super::hits::FilledBuckets;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};

/// A buffer with the output of a stage, which can be saved and restored.
pub(super) trait Snapshot {
    /// Its bytes.
    fn bytes(&self) -> u64;
    /// Starts to copy it.
    fn copied(&self, gpu: &Gpu) -> Result<Box<dyn Any + Send>, DeviceError>;
    /// Starts to copy that back.
    fn restore(&self, gpu: &Gpu, saved: &dyn Any) -> Result<(), DeviceError>;
}

impl<T: Pod + Send> Snapshot for DeviceBuffer<T> {
    fn bytes(&self) -> u64 {
        DeviceBuffer::bytes(self)
    }

    fn copied(&self, gpu: &Gpu) -> Result<Box<dyn Any + Send>, DeviceError> {
        let copy: DeviceBuffer<T> = gpu.buffer(self.len())?;
        gpu.copy(&copy, self)?;
        Ok(Box::new(copy))
    }

    fn restore(&self, gpu: &Gpu, saved: &dyn Any) -> Result<(), DeviceError> {
        let saved = saved.downcast_ref::<DeviceBuffer<T>>();
        saved.map_or(Ok(()), |saved| gpu.copy(self, saved))
    }
}

/// Saved outputs of the stages before one, as far as a later stage reads them.
pub(in crate::sts) struct SavedStage {
    pub(super) bytes: u64,
    pub(super) sides: Partition,
    pub(super) buckets: FilledBuckets,
    pub(super) copies: Vec<Box<dyn Any + Send>>,
}

impl SavedStage {
    /// Bytes on the device.
    pub(in crate::sts) fn bytes(&self) -> u64 {
        self.bytes
    }
}
