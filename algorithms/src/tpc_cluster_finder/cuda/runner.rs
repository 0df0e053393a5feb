//! Cluster finder on the device, ready to run on the charges of some sectors.

use std::borrow::Cow;
use std::sync::Arc;

use super::batches::Batches;
use super::buckets::Buckets;
use super::compaction::Compaction;
use super::context::BatchContext;
use super::fill::Filled;
use super::input::Input;
use super::lists::Lists;
use super::second_pass::{SecondPass, flattened};
use super::stages::Stages;
use crate::algorithm::{PrepareResult, Runner, VariantContext};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};
use crate::device::{Arena, Unavailable, buffers};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::cpu::Flat;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;

/// Initial capacity: one cluster for this number of samples.
const SAMPLES_OF_CLUSTER: usize = 8;

pub(super) struct FinderRunner<'a> {
    stages: &'static Stages,
    charges: &'a Charges,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    batches: Batches,
    /// Capacity of the bucket of each row of each sector, in clusters.
    pub(super) capacity: Vec<u32>,
    /// Maximum number of clusters that a run has found.
    max_found: usize,
    /// Labels of the last run.
    labels: Option<Flat>,
}

pub(super) struct FinderBuffers<'a> {
    input: Input<'a>,
    jobs: DeviceBuffer<Job>,
    filled: Filled,
    lists: Lists,
    compaction: Compaction,
    buckets: Buckets,
    /// Second pass, if samples have labels.
    second_pass: Option<SecondPass<'a>>,
}

buffers!(FinderBuffers<'_>: input, filled, lists, compaction, buckets, second_pass; kept: jobs);

/// A cluster finder, ready to run. Samples are counted with 32 bits on the device.
pub(super) fn find_on_gpu<'a>(
    at: &VariantContext<'a, '_, TpcClusterFinder>,
    stages: &'static Stages,
) -> PrepareResult<'a, TpcClusterFinder> {
    let samples = at.input.samples();
    let max = u32::MAX;
    if samples > max as usize {
        return Err(Unavailable(format!(
            "{samples} samples exceed the limit of {max} on a GPU; use fewer sectors or orbits"
        )));
    }
    at.session(FinderRunner::new(at.gpu()?, at.input, at.arena, stages))
}

impl<'a> FinderRunner<'a> {
    pub(super) fn new(
        gpu: Arc<Gpu>,
        charges: &'a Charges,
        arena: &'a Arena,
        stages: &'static Stages,
    ) -> Self {
        FinderRunner {
            stages,
            charges,
            arena,
            gpu,
            batches: Batches::new(charges),
            capacity: charges.samples_of_rows().concat(),
            max_found: charges.samples() / SAMPLES_OF_CLUSTER,
            labels: None,
        }
    }
}

impl<'a> Runner<TpcClusterFinder> for FinderRunner<'a> {
    type Buffers = FinderBuffers<'a>;

    fn allocate(&self) -> Result<FinderBuffers<'a>, DeviceError> {
        let gpu = &self.gpu;
        let charges = self.charges;
        let batches = &self.batches.batches;
        let second_pass = || SecondPass::new(gpu, charges, self.arena, &self.batches);
        Ok(FinderBuffers {
            input: Input::new(gpu, charges, self.arena)?,
            jobs: gpu.table(&self.batches.jobs)?,
            filled: Filled::new(gpu, &self.batches)?,
            lists: Lists::new(gpu, batches, self.batches.positions)?,
            compaction: Compaction::new(gpu, self.stages.compaction, batches)?,
            buckets: Buckets::new(gpu, self.capacity.clone(), self.max_found)?,
            second_pass: charges.has_labels().then(second_pass).transpose()?,
        })
    }

    fn run(&mut self, buffers: &mut FinderBuffers<'a>) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        buffers.input.upload(gpu)?;
        buffers.buckets.empty(gpu)?;
        let second_pass = &mut buffers.second_pass;
        let labels = second_pass.as_ref().map(SecondPass::rows);
        for batch in &self.batches.batches {
            let work = BatchContext {
                gpu,
                tables: &buffers.input.tables,
                samples: buffers.filled.samples(batch),
                jobs: buffers.jobs.ptr(),
                lists: &buffers.lists,
                buckets: &buffers.buckets,
                cluster_indices: second_pass
                    .as_ref()
                    .map_or(Ptr::NONE, SecondPass::cluster_indices),
                batch,
            };
            buffers.filled.fill(&work, &buffers.input.samples)?;
            self.stages.find(&work, &buffers.compaction)?;
            if let (Some(pass), Some(rows)) = (second_pass.as_mut(), &labels) {
                let jobs = &self.batches.jobs[batch.jobs.clone()];
                pass.collect(&work, &buffers.filled, jobs, rows)?;
            }
        }
        buffers.buckets.count(gpu)?;
        buffers.buckets.download(gpu)?;
        self.labels =
            labels.map(|rows| flattened(gpu, &rows, buffers.buckets.counts())).transpose()?;
        Ok(())
    }

    fn output<'b>(&'b self, buffers: &'b FinderBuffers<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => buffers.buckets.labelled(labels),
            None => buffers.buckets.sorted().into(),
        })
    }

    fn release(&mut self, buffers: FinderBuffers<'a>) {
        self.max_found = self.max_found.max(buffers.buckets.packed_capacity());
    }
}
