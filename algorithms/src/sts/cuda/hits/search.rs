//! What kernels that find hits are given, whatever the way is.

use crate::algorithm::Semantics;
use crate::device::gpu::{DeviceBuffer, Ptr};
use crate::kernels::sts_cuda_formulas_sensor_h::Sensor;
use crate::sts::Hit;
use crate::sts::cuda::cluster_order::ClusterOrder;
use crate::sts::cuda::clusters::Clusters;

/// Sorted clusters, and where hits go.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) semantics: Semantics,
    pub(super) clusters: &'a Clusters,
    pub(super) order: &'a ClusterOrder,
    pub(super) begins: &'a DeviceBuffer<u32>,
    pub(super) modules: u32,
    pub(super) sensors: &'a DeviceBuffer<Sensor>,
    pub(super) cut: [u32; 2],
    /// Where buckets begin, and where the last one ends; zero hits in each.
    pub(super) offsets: Ptr<u32>,
    pub(super) counts: &'a DeviceBuffer<u32>,
    pub(super) hits: &'a DeviceBuffer<Hit>,
}

impl Search<'_> {
    /// Bytes of clusters and entries, which are read once at least.
    pub(super) fn bytes(&self) -> u64 {
        self.clusters.clusters().bytes() + self.order.entries().bytes()
    }
}
