//! All stages on a timeslice, or on several together.

mod products;
mod recording;
mod snapshots;
mod steps;

pub(in crate::sts) use steps::Step;

use generators_common::partition::Partition;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Ptr, Recorded};

use super::batch::Batch;
use super::cluster_order::ClusterOrder;
use super::clusters::{Clusters, SortedDigis, UnsortedClusters};
use super::collect::Collected;
use super::config::ChainConfig;
use super::fused_sides::FusedSides;
use super::hits::{Hits, SortedClusters};
use super::input::{ChainInput, InputKind};
use super::presort::{Presort, Stream};
use super::sort::{Sort, WhichSides};
use super::tables::DeviceTables;
use super::time_parts::TimePart;
use crate::kernels::sts_cuda_formulas_records_h as records;
use crate::kernels::sts_cuda_formulas_records_h::Found;
use crate::sts::{ChainStage, Cluster, ClusterEntry, Timeslice};
use tasks::device::{CachedPerInput, Execution, buffers};

/// Buffers of a chain on the device.
pub(in crate::sts) struct CudaChain<'a> {
    /// Before the buffers, which it uses.
    recorded: Option<Recorded>,
    tables: CachedPerInput<'a, DeviceTables>,
    input: ChainInput<'a>,
    presort: Presort<'a>,
    /// The part of the timeslice, if it is not for all of it.
    part: Option<TimePart>,
    /// Digis by side, and the buffer of the stream, which the sort reuses.
    sort: Sort,
    sides: Partition,
    clusters: Clusters,
    order: ClusterOrder,
    /// Present if a block processes each small side.
    fused_sides: Option<FusedSides>,
    hits: Hits,
    collected: Collected,
}

buffers!(
    CudaChain<'_>: tables, input, presort, sort, sides, clusters, order, fused_sides, hits, collected
);

/// Options of a chain.
#[derive(Clone, Copy)]
pub(in crate::sts) struct ChainOptions {
    pub(in crate::sts) config: ChainConfig,
    pub(in crate::sts) input: InputKind,
}

/// Capacities of a chain, in hits.
#[derive(Clone, Copy, Default)]
pub(in crate::sts) struct HitCapacities {
    /// Of all buckets together.
    buckets: usize,
    /// Of the flat array of hits.
    flat: usize,
}

impl<'a> CudaChain<'a> {
    /// A chain for a batch. Capacities grow if they turn out to be too small.
    pub(in crate::sts) fn new(
        execution: Execution<'_, 'a>,
        batch: Batch<'a>,
        options: ChainOptions,
        hits: HitCapacities,
    ) -> Result<Self, DeviceError> {
        let ChainOptions { config, input: kind } = options;
        let presort = Presort::new(execution, batch, config.presort)?;
        let input = ChainInput::new(execution, batch, config, kind)?;
        Self::allocate(execution, batch, config, input, presort, batch.digis(), hits)
    }

    /// True if timeslices can go through a chain together, each of a detector with `sides`
    /// sides.
    pub(in crate::sts) fn takes_batches(gpu: &Gpu, config: ChainConfig, sides: usize) -> bool {
        Presort::takes_batches(gpu, config.presort, sides)
    }

    /// A chain for parts of a timeslice, with capacities for digis and hits; each run takes one of
    /// the [`TimePart`]s. `None` if that is not supported.
    pub(in crate::sts) fn of_parts(
        execution: Execution<'_, 'a>,
        timeslice: &'a Timeslice,
        config: ChainConfig,
        digis: usize,
        hits: HitCapacities,
    ) -> Result<Option<Self>, DeviceError> {
        let batch = Batch::single(timeslice);
        let Some(presort) = Presort::for_parts(execution.gpu, batch)? else { return Ok(None) };
        let input = ChainInput::new(execution, batch, config, InputKind::Digis)?;
        Self::allocate(execution, batch, config, input, presort, digis, hits).map(Some)
    }

    fn allocate(
        execution: Execution<'_, 'a>,
        batch: Batch<'a>,
        config: ChainConfig,
        input: ChainInput<'a>,
        presort: Presort<'a>,
        digis: usize,
        hits: HitCapacities,
    ) -> Result<Self, DeviceError> {
        let gpu = execution.gpu;
        Ok(CudaChain {
            recorded: None,
            tables: DeviceTables::cached(execution, batch)?,
            input,
            presort,
            part: None,
            sort: Sort::new(gpu, digis, batch.sides(), config.sort)?,
            sides: Partition::from_lengths([]),
            clusters: Clusters::new(gpu, batch, digis, config.clusters)?,
            order: ClusterOrder::new(gpu, digis, batch.sides(), config.cluster_sort)?,
            fused_sides: config
                .fuse_small_sides
                .then(|| FusedSides::new(gpu, digis, batch.sides()))
                .transpose()?,
            hits: Hits::new(gpu, batch, digis, config.hits, hits.buckets)?,
            collected: Collected::new(gpu, config.collect, batch.modules(), hits.flat)?,
        })
    }

    /// Sets the part of the timeslice to process, which has no more digis than there is capacity
    /// for.
    pub(in crate::sts) fn take_part(&mut self, part: TimePart) {
        self.part = Some(part);
    }

    /// The digis that were distributed last.
    pub(in crate::sts) fn digis(&self) -> usize {
        self.sides.elements()
    }

    /// Current hit capacities.
    pub(in crate::sts) fn capacities(&self) -> HitCapacities {
        HitCapacities { buckets: self.hits.capacity(), flat: self.collected.capacity() }
    }

    /// First stage of the chain.
    pub(in crate::sts) fn first_stage(&self) -> ChainStage {
        if self.input.unpacks() { ChainStage::Unpack } else { ChainStage::Presort }
    }

    /// Starts to copy the input of the chain to the device; a part of its first stage.
    pub(in crate::sts) fn upload(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        match &self.input {
            ChainInput::Digis(streams) if self.presort.takes_stream() => {
                if let (Some(part), [stream]) = (&self.part, &streams[..]) {
                    return gpu.upload(self.sort.scratch(), stream.part(part.positions.clone()));
                }
                let mut first = 0;
                for stream in streams {
                    gpu.upload_part(self.sort.scratch(), first, &**stream)?;
                    first += stream.len();
                }
                Ok(())
            }
            ChainInput::RawOnDevice(raw, _) => raw.upload(gpu),
            ChainInput::RawToSides(raw) => raw.0.upload(gpu),
            ChainInput::Digis(_) | ChainInput::RawOnHost(..) => Ok(()),
        }
    }

    /// Starts the first stage on the copied input; waits for it.
    fn begin(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.input.unpacks() { self.input.unpack(gpu) } else { self.distribute(gpu) }
    }

    fn distribute(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        self.start_presort(gpu)?;
        if self.presort.takes_stream() {
            gpu.wait()?;
        }
        self.sides = self.presort.sides();
        Ok(())
    }

    fn start_presort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let scratch = self.sort.scratch();
        let digis = self.sort.digis();
        let stream = match &self.part {
            Some(part) => Stream::OfPart(scratch, part.positions.len(), &part.times),
            None => self.input.stream(scratch),
        };
        self.presort.start(gpu, &self.tables.modules, stream, digis)
    }

    /// Starts a stage on the output of the one before it; some wait for the device.
    pub(in crate::sts) fn run(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            stage if stage == self.first_stage() => {
                self.upload(gpu)?;
                self.begin(gpu)
            }
            ChainStage::Unpack => Ok(()),
            ChainStage::Presort => self.distribute(gpu),
            ChainStage::Zero => self.clusters.zero(gpu),
            ChainStage::Sort => {
                self.start_sort(gpu)?;
                if self.sort.can_overflow() {
                    gpu.wait()?;
                }
                self.sort.finish(gpu).map(|_| ())
            }
            ChainStage::Cluster => self.find_clusters(gpu),
            ChainStage::ClusterSort => self.sort_clusters(gpu),
            ChainStage::Hits => {
                self.clusters.start_counts(gpu)?;
                gpu.wait()?;
                self.finish_order(gpu)?;
                self.start_hits(gpu)?;
                self.finish_hits(gpu)
            }
            ChainStage::Collect => self.collected.collect(gpu, &self.hits),
        }
    }

    /// Starts to sort digis; with small sides processed by single blocks, only those of larger
    /// sides.
    fn start_sort(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let which = if self.fused_sides.is_some() { WhichSides::Larger } else { WhichSides::All };
        self.sort.start(gpu, &self.sides, self.presort.side_offsets(), which)
    }

    /// Starts to find clusters, and to sort those of small sides that single blocks process.
    fn find_clusters(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let digis = self.sort.digis();
        let side_offsets = self.presort.side_offsets();
        let tables = &*self.tables;
        let sorted = SortedDigis { digis, side_offsets, tables };
        let Some(fused) = &mut self.fused_sides else { return self.clusters.find(gpu, sorted) };
        fused.fill(gpu, &self.sides)?;
        if let Some(larger) = fused.larger_tiles() {
            self.clusters.find_in_large_sides(gpu, sorted, larger)?;
            // Until their counts are known, the other sides count as sides without a cluster.
            self.order.sort(gpu, unsorted(&self.clusters, side_offsets, fused.larger()))?;
        }
        fused.start(gpu, sorted, &self.clusters, &self.order)
    }

    /// Starts to sort clusters, unless that is done.
    fn sort_clusters(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.fused_sides.is_some() {
            return Ok(());
        }
        let side_offsets = self.presort.side_offsets();
        self.order.sort(gpu, unsorted(&self.clusters, side_offsets, &self.sides))
    }

    /// Starts to sort the remaining clusters, by their counts on the host.
    fn finish_order(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let counts = self.sides.lengths().zip(self.clusters.counts());
        let side_offsets = self.presort.side_offsets();
        match &self.fused_sides {
            Some(fused) if fused.has_overflow(counts) => {
                self.order.sort(gpu, unsorted(&self.clusters, side_offsets, &self.sides))
            }
            _ => Ok(()),
        }
    }

    fn run_in_scope(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<(), DeviceError> {
        gpu.scope(stage.name(), || self.run(gpu, stage))
    }

    /// Starts to find hits by the counts of clusters on the host.
    fn start_hits(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let counts = self.counts_of_room();
        self.clusters.expect(counts.iter().sum());
        let sorted = sorted_clusters(&self.clusters, &self.order, &self.presort, &self.tables);
        self.hits.start(gpu, &self.sides, &counts, sorted)
    }

    /// Waits for the counts of hits; if the capacity was too small, finds all hits once more.
    fn finish_hits(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let sorted = sorted_clusters(&self.clusters, &self.order, &self.presort, &self.tables);
        self.hits.finish(gpu, sorted)
    }

    /// Finds the hits once more, with buckets that are too small by one each.
    #[cfg(test)]
    pub(in crate::sts) fn find_hits_with_smaller_buckets(
        &mut self,
        gpu: &Gpu,
    ) -> Result<(), DeviceError> {
        let capacities: Vec<_> = self.hits.counts().map(|hits| hits.saturating_sub(1)).collect();
        let sorted = sorted_clusters(&self.clusters, &self.order, &self.presort, &self.tables);
        self.hits.fill(gpu, &capacities, sorted)?;
        self.finish_hits(gpu)
    }

    /// Clusters and hits of the last run, on the device.
    pub(super) fn found(&self) -> FoundOnDevice<'_> {
        let (collected, hit_offsets) = self.collected.on_device();
        FoundOnDevice {
            clusters: self.clusters.clusters(),
            entries: self.order.entries(),
            side_offsets: self.presort.side_offsets(),
            found: self.clusters.found(),
            clusters_by_side: self.counts_of_room(),
            collected,
            hit_offsets,
            modules: self.collected.modules(),
            hits: self.collected.hits(),
        }
    }

    /// The clusters of each side; waits for them.
    fn counts(&mut self, gpu: &Gpu) -> Result<Vec<usize>, DeviceError> {
        self.clusters.start_counts(gpu)?;
        gpu.wait()?;
        let counts = self.counts_of_room();
        self.clusters.expect(counts.iter().sum());
        Ok(counts)
    }

    /// The clusters of each side, from counts that the host already has; limited to the capacity,
    /// whatever was counted.
    fn counts_of_room(&self) -> Vec<usize> {
        let counts = self.clusters.counts().zip(self.sides.lengths());
        counts.map(|(count, max)| count.min(max)).collect()
    }
}

/// Clusters and hits on the device, with their counts, which the host has.
pub(super) struct FoundOnDevice<'a> {
    pub(super) clusters: &'a DeviceBuffer<Cluster>,
    pub(super) entries: &'a DeviceBuffer<ClusterEntry>,
    /// Offsets of sides, with the end of the last one.
    pub(super) side_offsets: &'a DeviceBuffer<u32>,
    pub(super) found: &'a DeviceBuffer<Found>,
    pub(super) clusters_by_side: Vec<usize>,
    /// All hits, one module after the other.
    pub(super) collected: Ptr<records::Hit>,
    /// Offsets of modules in them, with the end of the last one.
    pub(super) hit_offsets: Ptr<u32>,
    pub(super) modules: usize,
    pub(super) hits: usize,
}

/// Clusters of these sides, not sorted yet.
fn unsorted<'a>(
    clusters: &'a Clusters,
    side_offsets: &'a DeviceBuffer<u32>,
    sides: &'a Partition,
) -> UnsortedClusters<'a> {
    UnsortedClusters {
        clusters: clusters.clusters(),
        found: clusters.found(),
        side_offsets,
        sides,
        expected: clusters.expected(),
    }
}

fn sorted_clusters<'a>(
    clusters: &'a Clusters,
    order: &'a ClusterOrder,
    presort: &'a Presort<'_>,
    tables: &'a DeviceTables,
) -> SortedClusters<'a> {
    SortedClusters { clusters, order, side_offsets: presort.side_offsets(), tables }
}
