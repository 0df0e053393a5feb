//! A way to find clusters with the charges of some sectors.

use std::borrow::Cow;
use std::sync::Arc;

use super::batches::Batches;
use super::buckets::Buckets;
use super::compaction::Compaction;
use super::fill::Filled;
use super::input::Input;
use super::lists::Lists;
use super::stages::{Stages, Work};
use crate::algorithm::{Opened, Opening, Runner};
use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu};
use crate::device::{Arena, Unavailable, buffers};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Job;
use crate::tpc_cluster_finder::TpcClusterFinder;
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::labels::Clusters;

/// Of so many samples one is a cluster: what there is room for before it is known.
const SAMPLES_OF_CLUSTER: usize = 8;

pub(super) struct OnGpu<'a> {
    stages: Stages,
    charges: &'a Charges,
    arena: &'a Arena,
    gpu: Arc<Gpu>,
    batches: Batches,
    /// Clusters that the bucket of each row of each sector is for.
    pub(super) room: Vec<u32>,
    /// Clusters that runs have found.
    most_found: usize,
}

pub(super) struct Held<'a> {
    input: Input<'a>,
    jobs: DeviceBuffer<Job>,
    filled: Filled,
    lists: Lists,
    compaction: Compaction,
    buckets: Buckets,
}

buffers!(Held<'_>: input, filled, lists, compaction, buckets; kept: jobs);

/// A cluster finder, ready to run. Samples are counted with 32 bits on the device.
pub(super) fn find_on_gpu<'a>(
    at: &Opening<'a, '_, TpcClusterFinder>,
    stages: Stages,
) -> Opened<'a, TpcClusterFinder> {
    without_labels(at.input)?;
    let (samples, most) = (at.input.samples(), u32::MAX);
    if samples > most as usize {
        return Err(Unavailable(format!(
            "{samples} samples; on a GPU {most} is the most; use fewer sectors or orbits"
        )));
    }
    at.session(OnGpu::new(at.gpu()?, (at.input, at.arena), stages))
}

/// Labels are not collected on a GPU.
pub(super) fn without_labels(charges: &Charges) -> Result<(), Unavailable> {
    match charges.has_labels() {
        false => Ok(()),
        true => Err(Unavailable("labels are collected on the host: use --labels none".into())),
    }
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
        }
    }
}

impl<'a> Runner<TpcClusterFinder> for OnGpu<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let (gpu, charges, batches) = (&self.gpu, self.charges, &self.batches.batches);
        Ok(Held {
            input: Input::new(gpu, (charges, self.arena))?,
            jobs: gpu.table(&self.batches.jobs)?,
            filled: Filled::new(gpu, &self.batches)?,
            lists: Lists::new(gpu, batches, self.batches.positions)?,
            compaction: Compaction::new(gpu, self.stages.compaction, batches)?,
            buckets: Buckets::new(gpu, self.room.clone(), self.most_found)?,
        })
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        let gpu = &*self.gpu;
        held.input.upload(gpu)?;
        held.buckets.empty(gpu)?;
        for batch in &self.batches.batches {
            let work = Work {
                gpu,
                tables: &held.input.tables,
                samples: held.filled.samples(batch),
                jobs: held.jobs.ptr(),
                lists: &held.lists,
                compaction: &held.compaction,
                buckets: held.buckets.ptrs(),
                batch,
            };
            held.filled.fill(&work, &held.input.samples)?;
            work.find(&self.stages)?;
        }
        held.buckets.count(gpu)?;
        held.buckets.download(gpu)
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Clusters> {
        Cow::Owned(held.buckets.sorted().into())
    }

    fn note(&mut self, held: &Held<'a>) {
        self.most_found = self.most_found.max(held.buckets.packed_room());
    }
}
