//! Cluster finder on the device, ready to run on the charges of some sectors.

use std::borrow::Cow;
use std::sync::Arc;

use super::batches::Batches;
use super::buckets::Buckets;
use super::compaction::Compaction;
use super::fill::Filled;
use super::input::Input;
use super::lists::Lists;
use super::second_pass::{SecondPass, flattened};
use super::stages::{Stages, Work};
use crate::algorithm::{Opened, Opening, Runner};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};
use crate::device::{Arena, Unavailable, buffers};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::cpu::Flat;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;

/// Initial capacity: one cluster for this number of samples.
const SAMPLES_OF_CLUSTER: usize = 8;

pub(super) struct OnGpu<'a> {
    stages: Stages,
    charges: &'a Charges,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    batches: Batches,
    /// Capacity of the bucket of each row of each sector, in clusters.
    pub(super) room: Vec<u32>,
    /// Maximum number of clusters that a run has found.
    most_found: usize,
    /// Labels of the last run.
    labels: Option<Flat>,
}

pub(super) struct Held<'a> {
    input: Input<'a>,
    jobs: DeviceBuffer<Job>,
    filled: Filled,
    lists: Lists,
    compaction: Compaction,
    buckets: Buckets,
    /// Second pass, if samples have labels.
    second_pass: Option<SecondPass<'a>>,
}

buffers!(Held<'_>: input, filled, lists, compaction, buckets, second_pass; kept: jobs);

/// A cluster finder, ready to run. Samples are counted with 32 bits on the device.
pub(super) fn find_on_gpu<'a>(
    at: &Opening<'a, '_, TpcClusterFinder>,
    stages: Stages,
) -> Opened<'a, TpcClusterFinder> {
    let samples = at.input.samples();
    let most = u32::MAX;
    if samples > most as usize {
        return Err(Unavailable(format!(
            "{samples} samples; on a GPU {most} is the most; use fewer sectors or orbits"
        )));
    }
    at.session(OnGpu::new(at.gpu()?, (at.input, at.arena), stages))
}

impl<'a> OnGpu<'a> {
    pub(super) fn new(
        gpu: Arc<Gpu>,
        (charges, arena): (&'a Charges, &'a Arena),
        stages: Stages,
    ) -> Self {
        OnGpu {
            stages,
            charges,
            arena,
            gpu,
            batches: Batches::of(charges),
            room: charges.samples_of_rows().concat(),
            most_found: charges.samples() / SAMPLES_OF_CLUSTER,
            labels: None,
        }
    }
}

impl<'a> Runner<TpcClusterFinder> for OnGpu<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let gpu = &self.gpu;
        let charges = self.charges;
        let batches = &self.batches.batches;
        let second_pass = || SecondPass::new(gpu, (charges, self.arena), &self.batches);
        Ok(Held {
            input: Input::new(gpu, (charges, self.arena))?,
            jobs: gpu.table(&self.batches.jobs)?,
            filled: Filled::new(gpu, &self.batches)?,
            lists: Lists::new(gpu, batches, self.batches.positions)?,
            compaction: Compaction::new(gpu, self.stages.compaction, batches)?,
            buckets: Buckets::new(gpu, self.room.clone(), self.most_found)?,
            second_pass: charges.has_labels().then(second_pass).transpose()?,
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        held.input.upload(gpu)?;
        held.buckets.empty(gpu)?;
        let second_pass = &mut held.second_pass;
        let labels = second_pass.as_ref().map(SecondPass::rows);
        for batch in &self.batches.batches {
            let work = Work {
                gpu,
                tables: &held.input.tables,
                samples: held.filled.samples(batch),
                jobs: held.jobs.ptr(),
                lists: &held.lists,
                compaction: &held.compaction,
                buckets: held.buckets.ptrs(),
                places: second_pass.as_ref().map_or(Ptr::NONE, SecondPass::places),
                batch,
            };
            held.filled.fill(&work, &held.input.samples)?;
            work.find(&self.stages)?;
            if let (Some(pass), Some(rows)) = (second_pass.as_mut(), &labels) {
                pass.collect(&work, &held.filled, (&self.batches.jobs[batch.jobs.clone()], rows))?;
            }
        }
        held.buckets.count(gpu)?;
        held.buckets.download(gpu)?;
        self.labels =
            labels.map(|rows| flattened(gpu, &rows, held.buckets.counts())).transpose()?;
        Ok(())
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(match &self.labels {
            Some(labels) => held.buckets.labelled(labels),
            None => held.buckets.sorted().into(),
        })
    }

    fn note(&mut self, held: &Held<'a>) {
        self.most_found = self.most_found.max(held.buckets.packed_room());
    }
}
