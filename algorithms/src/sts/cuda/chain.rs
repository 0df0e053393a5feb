//! All stages on one timeslice.

mod keep;

use std::sync::Arc;

use generators::partition::Partition;
use generators::sts::{Digi, SegmentedDigis};

use super::cluster_order::{ClusterOrder, ClusterSortWay};
use super::clusters::{ClusterWay, Clusters, SortedDigis};
use super::collect::{CollectWay, Collected};
use super::downloaded;
use super::hits::{self, Hits, HitsWay};
use super::kept::Kept;
use super::presort::{Presort, PresortWay};
use super::tables::DeviceTables;
use crate::all_cores::mapped;
use crate::device::gpu::{DeviceError, Gpu, Lent, POISON, Pristine};
use crate::device::{Arena, Buffers};
use crate::sts::hits::SortedClusters;
use crate::sts::{ChainStage, Product};
use crate::sts::{Hit, Partitioned, Timeslice};
use crate::sts_sort::cuda::ChannelBucket;

/// How stages are done that can be done in several ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sts) struct ChainConfig {
    pub(in crate::sts) presort: PresortWay,
    pub(in crate::sts) clusters: ClusterWay,
    pub(in crate::sts) cluster_sort: ClusterSortWay,
    pub(in crate::sts) hits: HitsWay,
    pub(in crate::sts) collect: CollectWay,
}

/// A chain on the device. Buffers are held from [`CudaChain::hold`] to
/// [`CudaChain::release`] only.
pub(in crate::sts) struct CudaChain<'a> {
    input: &'a Timeslice,
    arena: &'a Arena,
    ways: ChainConfig,
    gpu: Arc<Gpu>,
    held: Option<Held<'a>>,
    /// Hits that buckets and the array behind them had room for the last time.
    capacities: [usize; 2],
    /// What was held last, in bytes.
    held_bytes: u64,
    kept: Option<Kept>,
    /// The stages that ran.
    #[cfg(test)]
    pub(in crate::sts) ran: Vec<ChainStage>,
}

/// What is held during a run.
struct Held<'a> {
    tables: Lent<'a, Arc<DeviceTables>>,
    /// The digis as they are read out.
    stream: Pristine<'a, u64>,
    presort: Presort,
    /// The digis by side, and those of the stream, whose place is free for the sort. Made
    /// for the sides that were found the last time.
    sort: ChannelBucket,
    sides: Partition,
    clusters: Clusters,
    order: ClusterOrder,
    hits: Hits,
    collected: Collected,
}

impl<'a> CudaChain<'a> {
    pub(in crate::sts) fn new(
        (input, arena): (&'a Timeslice, &'a Arena),
        ways: ChainConfig,
        gpu: Arc<Gpu>,
    ) -> Self {
        CudaChain {
            input,
            arena,
            ways,
            gpu,
            held: None,
            capacities: [0; 2],
            held_bytes: 0,
            kept: None,
            #[cfg(test)]
            ran: Vec::new(),
        }
    }

    /// Takes buffers, unless they are held already.
    pub(in crate::sts) fn hold(&mut self) -> Result<(), DeviceError> {
        if self.held.is_none() {
            let input = (self.input, self.arena);
            self.held = Some(Held::new(&self.gpu, input, self.ways, self.capacities)?);
        }
        Ok(())
    }

    /// Bytes on the device that [`CudaChain::keep`] would take.
    pub(in crate::sts) fn bytes_to_keep(&self, next: ChainStage) -> u64 {
        self.held
            .as_ref()
            .map_or(0, |held| held.bytes_to_keep(next))
    }

    /// Keeps a copy on the device of what the stages before this one left, as far as it or a
    /// later one reads that; nothing if there is no room.
    pub(in crate::sts) fn keep(&mut self, next: ChainStage) -> Result<(), DeviceError> {
        let Some(held) = &self.held else {
            return Ok(());
        };
        match held.keep(&self.gpu, next) {
            Ok(kept) => {
                self.gpu.finish()?;
                self.kept = Some(kept);
                Ok(())
            }
            Err(DeviceError::OutOfMemory { .. }) => self.gpu.finish(),
            Err(error) => Err(error),
        }
    }

    /// Whether anything is kept.
    pub(in crate::sts) fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// Starts to bring back what was kept, as if the stages before had run in the buffers
    /// that are held; `false` if nothing was kept.
    pub(in crate::sts) fn restore(&mut self) -> Result<bool, DeviceError> {
        match (&mut self.held, &self.kept) {
            (Some(held), Some(kept)) => held.restore(&self.gpu, kept).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Overwrites what a stage and those after it write.
    pub(in crate::sts) fn poison_from(&mut self, first: ChainStage) -> Result<(), DeviceError> {
        let Some(held) = &mut self.held else {
            return Ok(());
        };
        for stage in ChainStage::ALL
            .into_iter()
            .skip_while(|&stage| stage != first)
        {
            held.poison(&self.gpu, stage)?;
        }
        self.gpu.finish()
    }

    /// Starts to copy the digis to the device; a part of presort.
    pub(in crate::sts) fn upload(&mut self) -> Result<(), DeviceError> {
        self.in_scope(ChainStage::Presort, Held::upload)
    }

    /// Starts presort on digis that were copied; waits for it.
    pub(in crate::sts) fn distribute(&mut self) -> Result<(), DeviceError> {
        self.in_scope(ChainStage::Presort, Held::distribute)
    }

    /// Starts a stage on what the one before it left; some wait for the device.
    pub(in crate::sts) fn run(&mut self, stage: ChainStage) -> Result<(), DeviceError> {
        #[cfg(test)]
        self.ran.push(stage);
        self.in_scope(stage, |held, gpu| held.run(gpu, stage))
    }

    fn in_scope(
        &mut self,
        stage: ChainStage,
        work: impl FnOnce(&mut Held<'a>, &Gpu) -> Result<(), DeviceError>,
    ) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        match &mut self.held {
            Some(held) => gpu.scope(stage.name(), || work(held, gpu)),
            None => Ok(()),
        }
    }

    /// What a stage left, copied to the host.
    pub(in crate::sts) fn product(&mut self, stage: ChainStage) -> Result<Product, DeviceError> {
        match &mut self.held {
            Some(held) => held.product(&self.gpu, stage),
            None => Ok(Product::Nothing),
        }
    }

    /// Gives the buffers back.
    pub(in crate::sts) fn release(&mut self) {
        if let Some(held) = self.held.take() {
            self.capacities = [held.hits.capacity(), held.collected.capacity()];
            self.held_bytes = held.bytes();
        }
    }

    /// Bytes on the device that are held, or were the last time, and those that are kept.
    pub(in crate::sts) fn bytes(&self) -> u64 {
        let held = self.held.as_ref().map_or(self.held_bytes, Held::bytes);
        held + self.kept.as_ref().map_or(0, Kept::bytes)
    }
}

impl<'a> Held<'a> {
    fn new(
        gpu: &Arc<Gpu>,
        (input, arena): (&Timeslice, &'a Arena),
        ways: ChainConfig,
        [buckets, flat]: [usize; 2],
    ) -> Result<Self, DeviceError> {
        let (digis, sides) = (input.stream().len(), input.sides());
        let lent = DeviceTables::lent(gpu, (input, arena))?;
        let tables = (input, &*lent);
        Ok(Held {
            stream: Pristine::converted(arena, gpu, input.stream(), |digi| digi.bits())?,
            presort: Presort::new(gpu, tables, ways.presort)?,
            sort: ChannelBucket::with_room(gpu, digis)?,
            sides: Partition::from_lengths([]),
            clusters: Clusters::new(gpu, tables, ways.clusters)?,
            order: ClusterOrder::new(gpu, digis, sides, ways.cluster_sort)?,
            hits: Hits::new(gpu, tables, ways.hits, buckets)?,
            collected: Collected::new(gpu, ways.collect, input.modules(), flat)?,
            tables: lent,
        })
    }

    fn run(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            ChainStage::Presort => {
                self.upload(gpu)?;
                self.distribute(gpu)
            }
            ChainStage::Zero => self.clusters.zero(gpu),
            ChainStage::Sort => {
                self.sort.fit(gpu, &self.sides)?;
                self.sort.sort(gpu)
            }
            ChainStage::Cluster => {
                let sorted = SortedDigis {
                    digis: self.sort.digis(),
                    begins: self.presort.begins(),
                };
                self.clusters.find(gpu, sorted)
            }
            ChainStage::ClusterSort => {
                let (sides, begins) = (&self.sides, self.presort.begins());
                self.order.sort(gpu, &self.clusters, sides, begins)
            }
            ChainStage::Hits => {
                let counts = self.counts(gpu)?;
                let sorted = hits::SortedClusters {
                    clusters: &self.clusters,
                    order: &self.order,
                    begins: self.presort.begins(),
                };
                self.hits.find(gpu, &self.sides, &counts, sorted)
            }
            ChainStage::Collect => self.collected.collect(gpu, &self.hits),
        }
    }

    fn upload(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(self.sort.scratch(), &self.stream)
    }

    fn distribute(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        let (stream, digis) = (self.sort.scratch(), self.sort.digis());
        self.sides = self.presort.run(gpu, stream, digis)?;
        Ok(())
    }

    fn product(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<Product, DeviceError> {
        match stage {
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => self.digis(gpu),
            ChainStage::Cluster => {
                let clusters = downloaded(gpu, self.clusters.clusters())?;
                let counts = self.counts(gpu)?;
                Ok(Product::clusters(&clusters, &self.sides, &counts))
            }
            ChainStage::ClusterSort => self.sorted_clusters(gpu),
            ChainStage::Hits => {
                let hits = downloaded(gpu, self.hits.buckets().0)?;
                let buckets: Vec<_> = self.hits.places().map(|bucket| &hits[bucket]).collect();
                Ok(hits_of(&buckets))
            }
            ChainStage::Collect => Ok(hits_of(&self.collected.of_modules())),
        }
    }

    fn digis(&self, gpu: &Gpu) -> Result<Product, DeviceError> {
        let bits = downloaded(gpu, self.sort.digis())?;
        let digis = mapped(&bits, |&bits| Digi::from_bits(bits));
        if self.sides.elements() != digis.len() {
            return Ok(Product::Nothing);
        }
        let digis = SegmentedDigis::new(digis, self.sides.clone());
        Ok(Product::Digis(digis))
    }

    fn sorted_clusters(&mut self, gpu: &Gpu) -> Result<Product, DeviceError> {
        let clusters = downloaded(gpu, self.clusters.clusters())?;
        let entries = downloaded(gpu, self.order.entries())?;
        let counts = self.counts(gpu)?;
        let sorted = SortedClusters {
            clusters: &clusters,
            entries: &entries,
            sides: &self.sides,
            counts: &counts,
        };
        Ok(Product::sorted_clusters(sorted))
    }

    /// The clusters of each side; no more than there is room for, whatever was counted.
    fn counts(&mut self, gpu: &Gpu) -> Result<Vec<usize>, DeviceError> {
        let counts = self.clusters.counts(gpu)?.into_iter();
        let most = self.sides.lengths();
        Ok(counts
            .zip(most)
            .map(|(count, most)| count.min(most))
            .collect())
    }

    /// Overwrites what a stage writes; digis are sorted in place.
    fn poison(&mut self, gpu: &Gpu, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            ChainStage::Presort => {
                self.sides = Partition::from_lengths([]);
                gpu.fill(self.sort.digis(), POISON)?;
                self.presort.poison(gpu, POISON)
            }
            ChainStage::Zero => self.clusters.poison_zeros(gpu, POISON),
            ChainStage::Sort => gpu.fill(self.sort.scratch(), POISON),
            ChainStage::Cluster => self.clusters.poison(gpu, POISON),
            ChainStage::ClusterSort => self.order.poison(),
            ChainStage::Hits => self.hits.poison(gpu, POISON),
            ChainStage::Collect => self.collected.poison(gpu, POISON),
        }
    }

    fn bytes(&self) -> u64 {
        let of_digis = self.presort.bytes() + Buffers::bytes(&self.sort);
        let of_clusters = self.clusters.bytes() + self.order.bytes();
        Buffers::bytes(&**self.tables)
            + of_digis
            + of_clusters
            + self.hits.bytes()
            + self.collected.bytes()
    }
}

fn hits_of(modules: &[&[Hit]]) -> Product {
    Product::Hits(Partitioned::of_modules(modules))
}
