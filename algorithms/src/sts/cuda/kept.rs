//! What stages left on the device, kept there for the next run.

use generators::partition::Partition;

use super::hits::KeptHits;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::kernels::sts_cuda_formulas_records_h::Found;
use crate::sts::ChainStage;
use crate::sts::{Cluster, ClusterEntry};

/// What the stages before one left. What no later stage reads is not there.
pub(super) struct Kept {
    /// The stage.
    pub(super) next: ChainStage,
    pub(super) sides: Partition,
    /// Where sides begin, and where the last one ends.
    pub(super) begins: DeviceBuffer<u32>,
    pub(super) digis: Option<DeviceBuffer<u64>>,
    pub(super) clusters: Option<(DeviceBuffer<Cluster>, DeviceBuffer<Found>)>,
    pub(super) entries: Option<DeviceBuffer<ClusterEntry>>,
    pub(super) hits: Option<KeptHits>,
}

impl Kept {
    /// Bytes on the device.
    pub(super) fn bytes(&self) -> u64 {
        let digis = self.digis.as_ref().map_or(0, DeviceBuffer::bytes);
        let clusters = self.clusters.as_ref();
        let clusters = clusters.map_or(0, |(clusters, found)| clusters.bytes() + found.bytes());
        let entries = self.entries.as_ref().map_or(0, DeviceBuffer::bytes);
        let hits = self.hits.as_ref().map_or(0, KeptHits::bytes);
        self.begins.bytes() + digis + clusters + entries + hits
    }
}

/// A copy of a buffer.
pub(super) fn copied<T: bytemuck::Pod>(
    gpu: &Gpu,
    from: &DeviceBuffer<T>,
) -> Result<DeviceBuffer<T>, DeviceError> {
    let copy = gpu.buffer(from.len())?;
    gpu.copy(&copy, from)?;
    Ok(copy)
}
