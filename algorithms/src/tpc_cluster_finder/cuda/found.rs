//! Clusters in one list on the device, as many as were found, and runs of them that are of one
//! row.

use generators::tpc::geometry::ROWS;

use crate::all_cores::sorted;
use crate::device::buffers;
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};
use crate::kernels::tpc_cluster_finder_cuda_cluster_h::PackedCluster;
use crate::kernels::tpc_cluster_finder_cuda_found_h::Run;
use crate::tpc_cluster_finder::cluster::Cluster;
use crate::tpc_cluster_finder::input::RowCluster;

/// For how many clusters and runs there is room on the host, until more were found.
#[derive(Clone, Copy)]
pub(super) struct HostRoom {
    clusters: usize,
    runs: usize,
}

impl HostRoom {
    /// For a cluster of eight samples, and few in a run.
    pub(super) fn for_samples(samples: usize) -> Self {
        HostRoom { clusters: samples / 8, runs: samples / 64 }
    }
}

/// What was found, on both sides.
pub(super) struct Found {
    /// Clusters in the lower half, runs in the upper one.
    totals: DeviceBuffer<u64>,
    clusters: DeviceBuffer<Cluster>,
    runs: DeviceBuffer<Run>,
    host_totals: PinnedBuffer<u64>,
    host_clusters: PinnedBuffer<Cluster>,
    host_runs: PinnedBuffer<Run>,
}

buffers!(Found: totals, clusters, runs, host_totals, host_clusters, host_runs);

impl Found {
    /// With room for so many clusters, in so many runs, on the device.
    pub(super) fn new(
        gpu: &Gpu,
        (clusters, runs): (usize, usize),
        host: HostRoom,
    ) -> Result<Self, DeviceError> {
        Ok(Found {
            totals: gpu.buffer(1)?,
            clusters: gpu.buffer(clusters)?,
            runs: gpu.buffer(runs)?,
            host_totals: gpu.pinned(1)?,
            host_clusters: gpu.pinned(host.clusters)?,
            host_runs: gpu.pinned(host.runs)?,
        })
    }

    /// Nothing was found so far.
    pub(super) fn clear(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.fill(&self.totals, 0)
    }

    pub(super) fn totals(&self) -> Ptr<u64> {
        self.totals.ptr()
    }

    pub(super) fn clusters(&self) -> Ptr<PackedCluster> {
        self.clusters.ptr::<Cluster>().cast()
    }

    pub(super) fn runs(&self) -> Ptr<Run> {
        self.runs.ptr()
    }

    /// For how many there is room on the device: clusters and runs.
    pub(super) fn most(&self) -> (u32, u32) {
        (self.clusters.len() as u32, self.runs.len() as u32)
    }

    pub(super) fn host_room(&self) -> HostRoom {
        HostRoom { clusters: self.host_clusters.len(), runs: self.host_runs.len() }
    }

    /// Waits for what finds them, and starts to copy what was found.
    pub(super) fn download(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.download(&mut self.host_totals, &self.totals)?;
        gpu.wait()?;
        let (clusters, runs) = self.counts();
        fits(gpu, (clusters, "clusters"), self.clusters.len())?;
        fits(gpu, (runs, "runs of clusters"), self.runs.len())?;
        make_room(gpu, &mut self.host_clusters, clusters)?;
        make_room(gpu, &mut self.host_runs, runs)?;
        gpu.download(self.host_clusters.part_mut(0..clusters), &self.clusters)?;
        gpu.download(self.host_runs.part_mut(0..runs), &self.runs)
    }

    /// How many there are: clusters and runs.
    fn counts(&self) -> (usize, usize) {
        let totals = self.host_totals[0];
        (totals as u32 as usize, (totals >> 32) as usize)
    }

    /// All clusters, in order.
    pub(super) fn sorted(&self) -> Vec<RowCluster> {
        let runs = &self.host_runs[..self.counts().1.min(self.host_runs.len())];
        sorted(&runs.iter().flat_map(|run| self.of_run(run)).collect::<Vec<_>>())
    }

    fn of_run(&self, run: &Run) -> impl Iterator<Item = RowCluster> {
        let (case, row) = (run.row / ROWS as u32, (run.row % ROWS as u32) as u8);
        let clusters = self.host_clusters.iter().skip(run.first as usize).take(run.count as usize);
        clusters.map(move |&cluster| RowCluster { case, row, cluster })
    }
}

/// That there is room for as many as were found: there are no more clusters than samples.
fn fits(gpu: &Gpu, (count, what): (usize, &str), room: usize) -> Result<(), DeviceError> {
    if count <= room {
        return Ok(());
    }
    Err(DeviceError::Failed {
        device: gpu.properties().device.clone(),
        what: "finding clusters",
        problem: format!("{count} {what} were found, and there is room for {room}"),
    })
}

fn make_room<T: bytemuck::Pod>(
    gpu: &Gpu,
    buffer: &mut PinnedBuffer<T>,
    length: usize,
) -> Result<(), DeviceError> {
    if buffer.len() < length {
        *buffer = gpu.pinned(length)?;
    }
    Ok(())
}
