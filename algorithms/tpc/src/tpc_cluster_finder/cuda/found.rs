//! Clusters in one list, and runs of consecutive clusters that are in one row.

use generators_tpc::geometry::ROWS;
use parallel::sorted;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};

use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{FoundClusters, Run};
use crate::tpc_cluster_finder::cluster::{Cluster, RowCluster};
use crate::tpc_cluster_finder::labels::Clusters;
use tasks::device::buffers;

/// Capacity for clusters and runs on the host, which grows when more are found.
#[derive(Clone, Copy)]
pub(crate) struct HostCapacity {
    clusters: usize,
    runs: usize,
}

impl HostCapacity {
    /// Estimates one cluster for eight samples, in long runs.
    pub(crate) fn for_samples(samples: usize) -> Self {
        HostCapacity { clusters: samples / 8, runs: samples / 64 }
    }
}

buffers! {
    /// List of clusters on the device.
    pub(crate) struct ClusterList(gpu, clusters: usize, runs: usize) {
        /// Number of clusters in the lower half, runs in the upper one.
        totals: DeviceBuffer<u64> = gpu.buffer(1)?,
        clusters: DeviceBuffer<Cluster> = gpu.buffer(clusters)?,
        runs: DeviceBuffer<Run> = gpu.buffer(runs)?,
    }
}

buffers! {
    /// List of clusters on the host.
    pub(crate) struct HostClusters(gpu, capacity: HostCapacity) {
        totals: PinnedBuffer<u64> = gpu.pinned(1)?,
        clusters: PinnedBuffer<Cluster> = gpu.pinned(capacity.clusters)?,
        runs: PinnedBuffer<Run> = gpu.pinned(capacity.runs)?,
    }
}

impl ClusterList {
    /// Clears the list.
    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.totals, 0)
    }

    /// Arguments of kernels that add clusters.
    pub(super) fn arguments(&self) -> FoundClusters {
        FoundClusters {
            totals: self.totals.ptr(),
            clusters: self.clusters.ptr(),
            runs: self.runs.ptr(),
            max_clusters: self.clusters.len() as u32,
            max_runs: self.runs.len() as u32,
        }
    }

    /// Starts to copy the numbers of clusters and runs.
    pub(crate) fn download_totals(
        &self,
        gpu: &Gpu,
        host: &mut HostClusters,
    ) -> Result<(), DeviceError> {
        gpu.download(&mut host.totals, &self.totals)
    }

    /// Waits for the numbers of clusters and runs, and starts to copy these.
    pub(crate) fn download_found(
        &self,
        gpu: &Gpu,
        host: &mut HostClusters,
    ) -> Result<(), DeviceError> {
        gpu.wait()?;
        let (clusters, runs) = host.counts();
        fits(gpu, clusters, "clusters", self.clusters.len())?;
        fits(gpu, runs, "runs of clusters", self.runs.len())?;
        reserve(gpu, &mut host.clusters, clusters)?;
        reserve(gpu, &mut host.runs, runs)?;
        gpu.download(host.clusters.part_mut(0..clusters), &self.clusters)?;
        gpu.download(host.runs.part_mut(0..runs), &self.runs)
    }
}

impl HostClusters {
    pub(crate) fn capacity(&self) -> HostCapacity {
        HostCapacity { clusters: self.clusters.len(), runs: self.runs.len() }
    }

    /// Number of clusters.
    pub(super) fn clusters(&self) -> usize {
        self.counts().0
    }

    /// Numbers of clusters and runs.
    fn counts(&self) -> (usize, usize) {
        let totals = self.totals[0];
        (totals as u32 as usize, (totals >> 32) as usize)
    }

    /// All clusters, in order; sectors are numbered from `first_case` on.
    pub(crate) fn sorted(&self, first_case: u32) -> Vec<RowCluster> {
        let clusters = self.all_runs().flat_map(|run| self.of_run(run, first_case));
        sorted(&clusters.collect::<Vec<_>>())
    }

    /// The clusters with labels, which are looked up by the index of a cluster in the list.
    pub(super) fn labelled<'l>(&self, labels: impl Fn(usize) -> &'l [u64]) -> Clusters {
        let found = self.all_runs().flat_map(|run| {
            let numbered = self.of_run(run, 0).zip(run.first as usize..);
            numbered.map(|(cluster, number)| (cluster, labels(number).to_vec()))
        });
        Clusters::labelled(found.collect())
    }

    fn all_runs(&self) -> impl Iterator<Item = &Run> {
        self.runs.iter().take(self.counts().1)
    }

    fn of_run(&self, run: &Run, first_case: u32) -> impl Iterator<Item = RowCluster> {
        let case = first_case + run.row / ROWS as u32;
        let row = (run.row % ROWS as u32) as u8;
        let clusters = self.clusters.iter().skip(run.first as usize).take(run.count as usize);
        clusters.map(move |&cluster| RowCluster { case, row, cluster })
    }
}

/// Checks that all clusters that were found fit: there are no more clusters than samples.
pub(super) fn fits(
    gpu: &Gpu,
    count: usize,
    what: &str,
    capacity: usize,
) -> Result<(), DeviceError> {
    if count <= capacity {
        return Ok(());
    }
    Err(DeviceError::Failed {
        device: gpu.properties().device.clone(),
        what: "finding clusters",
        problem: format!("{count} {what} were found; the capacity is {capacity}"),
    })
}

pub(super) fn reserve<T: bytemuck::Pod>(
    gpu: &Gpu,
    buffer: &mut PinnedBuffer<T>,
    length: usize,
) -> Result<(), DeviceError> {
    if buffer.len() < length {
        *buffer = gpu.pinned(length)?;
    }
    Ok(())
}
