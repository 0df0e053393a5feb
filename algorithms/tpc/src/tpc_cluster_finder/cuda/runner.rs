//! Cluster finder on the device, ready to run on the charges of some sectors.

use std::borrow::Cow;

use portable_gpu::{DeviceBuffer, DeviceError, Ptr};

use super::batches::Batches;
use super::buckets::Buckets;
use super::compaction::Compaction;
use super::context::BatchContext;
use super::fill::Filled;
use super::input::Input;
use super::lists::Lists;
use super::second_pass::{SecondPass, flattened};
use super::stages::Stages;
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::cpu::Flat;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, VariantContext};
use tasks::device::{Unavailable, buffers};

/// Initial capacity: one cluster for this number of samples.
const SAMPLES_OF_CLUSTER: usize = 8;

/// Stages of a variant, and the sizes of the next buffers.
pub(super) struct Finder {
    stages: &'static Stages,
    batches: Batches,
    /// Capacity of the bucket of each row of each sector, in clusters.
    pub(super) capacity: Vec<u32>,
    /// Maximum number of clusters that a run has found.
    max_found: usize,
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
    /// Labels of the last run.
    labels: Option<Flat>,
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
    at.on_gpu::<FinderBuffers<'a>>(Finder::new(at.input, stages))
}

impl Finder {
    pub(super) fn new(charges: &Charges, stages: &'static Stages) -> Self {
        Finder {
            stages,
            batches: Batches::new(charges),
            capacity: charges.samples_of_rows().concat(),
            max_found: charges.samples() / SAMPLES_OF_CLUSTER,
        }
    }
}

impl<'a> GpuTask<'a> for FinderBuffers<'a> {
    type Task = TpcClusterFinder;
    type Config = Finder;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input: charges, arena, gpu, config, .. } = at;
        let all = &config.batches;
        let second_pass = || SecondPass::new(gpu, charges, arena, all);
        Ok(FinderBuffers {
            input: Input::new(gpu, charges, arena)?,
            jobs: gpu.table(&all.jobs)?,
            filled: Filled::new(gpu, all)?,
            lists: Lists::new(gpu, &all.batches, all.positions)?,
            compaction: Compaction::new(gpu, config.stages.compaction, &all.batches)?,
            buckets: Buckets::new(gpu, config.capacity.clone(), config.max_found)?,
            second_pass: charges.has_labels().then(second_pass).transpose()?,
            labels: None,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { gpu, config, .. } = at;
        self.input.upload(gpu)?;
        self.buckets.empty(gpu)?;
        let second_pass = &mut self.second_pass;
        let labels = second_pass.as_ref().map(SecondPass::rows);
        for batch in &config.batches.batches {
            let work = BatchContext {
                gpu,
                tables: &self.input.tables,
                samples: self.filled.samples(batch),
                jobs: self.jobs.ptr(),
                lists: &self.lists,
                buckets: &self.buckets,
                cluster_indices: second_pass
                    .as_ref()
                    .map_or(Ptr::NONE, SecondPass::cluster_indices),
                batch,
            };
            self.filled.fill(&work, &self.input.samples)?;
            config.stages.find(&work, &self.compaction)?;
            if let (Some(pass), Some(rows)) = (second_pass.as_mut(), &labels) {
                let jobs = &config.batches.jobs[batch.jobs.clone()];
                pass.collect(&work, &self.filled, jobs, rows)?;
            }
        }
        self.buckets.count(gpu)?;
        self.buckets.download(gpu)?;
        self.labels =
            labels.map(|rows| flattened(gpu, &rows, self.buckets.counts())).transpose()?;
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => self.buckets.labelled(labels),
            None => self.buckets.sorted().into(),
        })
    }

    fn release(self, config: &mut Finder) {
        config.max_found = config.max_found.max(self.buckets.packed_capacity());
    }
}
