//! Labels as published: kernels store the index of the cluster of each peak, and a second pass on
//! the host collects its labels, from the charges that the device has divided.

use std::ops::Range;

use generators_tpc::geometry::ROWS;
use parallel::{Grain, for_each_range};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};

use super::batches::{Batches, most};
use super::context::BatchContext;
use super::fill::Filled;
use crate::kernels::tpc_cluster_finder_cuda_finder_cluster_h::NO_CLUSTER;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{Job, PeakCounts};
use crate::tpc_cluster_finder::cpu::{Flat, Locked, Maps, Numbered, number_samples, samples_of};
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::collect::Filtered;
use crate::tpc_decode::charge_map::{entries, pad_of_column};
use crate::tpc_decode::{FragmentOfFrame, Position};
use tasks::device::{Arena, ArenaVec, buffers};

/// Stage that collects labels of clusters.
const COLLECT: &str = "labels";
/// Stage that concatenates their lists.
const FLATTEN: &str = "flatten";

/// State of the second pass, reused for each batch.
pub(super) struct SecondPass<'a> {
    charges: &'a Charges,
    /// For each remaining peak, the index of its cluster in its bucket, or [`NO_CLUSTER`].
    cluster_indices: DeviceBuffer<u32>,
    host: HostBatch,
    /// The index of the sample of each entry of a map.
    numbers: ArenaVec<'a, u32>,
}

buffers!(SecondPass<'_>: cluster_indices, host, numbers);

/// Results of a batch on the host.
struct HostBatch {
    counts: PinnedBuffer<PeakCounts>,
    kept: PinnedBuffer<u32>,
    cluster_indices: PinnedBuffer<u32>,
    charges: PinnedBuffer<u16>,
}

buffers!(HostBatch: counts, kept, cluster_indices, charges);

impl<'a> SecondPass<'a> {
    pub(super) fn new(
        gpu: &Gpu,
        charges: &'a Charges,
        arena: &'a Arena,
        all: &Batches,
    ) -> Result<Self, DeviceError> {
        let positions = all.positions;
        let batches = &all.batches;
        let of_map = most(batches, |batch| entries(batch.time_bins));
        let of_maps = most(batches, |batch| batch.jobs.len() * entries(batch.time_bins));
        Ok(SecondPass {
            charges,
            cluster_indices: gpu.buffer(positions)?,
            host: HostBatch {
                counts: gpu.pinned(most(batches, |batch| batch.jobs.len()))?,
                kept: gpu.pinned(positions)?,
                cluster_indices: gpu.pinned(positions)?,
                charges: gpu.pinned(of_maps)?,
            },
            numbers: arena.vector(of_map),
        })
    }

    /// Destination of the indices of clusters for kernels.
    pub(super) fn cluster_indices(&self) -> Ptr<u32> {
        self.cluster_indices.ptr()
    }

    /// Lists of labels for each row of each sector, empty.
    pub(super) fn rows(&self) -> Vec<Locked> {
        Locked::rows(self.charges.cases().len() * ROWS)
    }

    /// Waits for the clusters of a batch, and stores the labels of each at its index in its row.
    pub(super) fn collect(
        &mut self,
        work: &BatchContext<'_>,
        filled: &Filled,
        jobs: &[Job],
        rows: &[Locked],
    ) -> Result<(), DeviceError> {
        work.gpu.scope(COLLECT, || {
            self.download(work, filled, jobs)?;
            work.gpu.host_stage(|| self.collect_all(work.samples.entries, jobs, rows));
            Ok(())
        })
    }

    /// Copies the results of a batch, once the number of remaining peaks is known.
    fn download(
        &mut self,
        work: &BatchContext<'_>,
        filled: &Filled,
        jobs: &[Job],
    ) -> Result<(), DeviceError> {
        let gpu = work.gpu;
        let host = &mut self.host;
        gpu.download(host.counts.part_mut(0..jobs.len()), &work.lists.counts)?;
        gpu.download(host.charges.part_mut(0..jobs.len() * work.samples.entries), &filled.charges)?;
        gpu.wait()?;
        for (job, counts) in jobs.iter().zip(&host.counts[..]) {
            let own = peaks_of(job, counts);
            gpu.download_part(host.kept.part_mut(own.clone()), &work.lists.kept, own.start)?;
            gpu.download_part(
                host.cluster_indices.part_mut(own.clone()),
                &self.cluster_indices,
                own.start,
            )?;
        }
        gpu.wait()
    }

    fn collect_all(&mut self, entries: usize, jobs: &[Job], rows: &[Locked]) {
        for (slot, job) in jobs.iter().enumerate() {
            let sector = job.sector as usize;
            let fragment = fragment_of(job);
            let case = &self.charges.cases()[sector];
            let samples = samples_of(case, &fragment);
            number_samples(case, &fragment, samples, &mut self.numbers);
            let maps = Maps::from_divided(&mut self.host.charges[slot * entries..][..entries]);
            let numbered = Numbered { case, indices: &self.numbers };
            let own = peaks_of(job, &self.host.counts[slot]);
            let kept = &self.host.kept[own.clone()];
            let cluster_indices = &self.host.cluster_indices[own];
            let collected = |peak| numbered.collected::<Filtered>(&maps, peak);
            put_lists(kept, cluster_indices, &rows[sector * ROWS..], collected);
        }
    }
}

/// Collects labels around each peak that has a cluster, and stores them at the cluster's index in
/// its row.
fn put_lists(
    kept: &[u32],
    cluster_indices: &[u32],
    rows: &[Locked],
    collected: impl Fn(Position) -> Vec<u64> + Sync,
) {
    for_each_range(kept.len(), Grain::Adaptive, |range| {
        for number in range.filter(|number| cluster_indices[*number] != NO_CLUSTER) {
            let peak = position(kept[number]);
            let row = pad_of_column(peak.column as usize).row();
            rows[usize::from(row)].put(cluster_indices[number] as usize, collected(peak));
        }
    });
}

/// Concatenates all lists, row after row; `clusters` is the number of clusters in each row.
pub(super) fn flattened(gpu: &Gpu, rows: &[Locked], clusters: &[u32]) -> Result<Flat, DeviceError> {
    let flatten = || {
        rows.iter().zip(clusters).for_each(|(row, count)| row.cut(*count as usize));
        Flat::concatenate(rows)
    };
    gpu.scope(FLATTEN, || Ok(gpu.host_stage(flatten)))
}

/// Range of a job's remaining peaks in lists.
fn peaks_of(job: &Job, counts: &PeakCounts) -> Range<usize> {
    let first = job.first_position as usize;
    first..first + counts.kept as usize
}

fn fragment_of(job: &Job) -> FragmentOfFrame {
    FragmentOfFrame {
        time_bins: job.first_time..job.first_time + job.time_bins,
        own: job.own_begin..job.own_end,
    }
}

/// Converts a position from the format of kernels: see `map.h`.
fn position(bits: u32) -> Position {
    Position { column: bits as i16, time: (bits >> 16) as i16 }
}
