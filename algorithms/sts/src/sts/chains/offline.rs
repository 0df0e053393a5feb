//! Chain of the offline reconstruction: objects, lists and maps, double precision.

use parallel::{Grain, collect, for_each, map};
use portable_gpu::DeviceError;

use super::raw::Raw;
use super::snapshots::{Lists, Snapshot};
use super::{Chain, Preconditions, USUAL, with_or_without_unpacking};
use crate::sts::cluster_order::{sort_offline_clusters, sort_offline_digis};
use crate::sts::clusters::Friese;
use crate::sts::collect::append;
use crate::sts::formulas::Side;
use crate::sts::hits::{ModuleFormulas, hits_of_module};
use crate::sts::presort::by_hash_map;
use crate::sts::{
    ChainStage, OfflineCluster, OfflineDigi, OfflineHit, Partitioned, Product, Timeslice,
};
use crate::sts_unpack::cpu;
use tasks::device::{Arena, Buffers};

/// Lists of objects for each side and module, allocated during the run.
pub(in crate::sts) struct Offline<'a> {
    input: &'a Timeslice,
    raw: Option<Raw<'a>>,
    modules: Vec<ModuleFormulas<f64>>,
    digis: Vec<Vec<OfflineDigi>>,
    clusters: Vec<Vec<OfflineCluster>>,
    hits: Vec<Vec<OfflineHit>>,
    flat: Vec<OfflineHit>,
}

impl<'a> Offline<'a> {
    pub(in crate::sts) fn new(input: &'a Timeslice) -> Self {
        Offline {
            input,
            raw: None,
            modules: ModuleFormulas::of_all(input.setup()),
            digis: Vec::new(),
            clusters: Vec::new(),
            hits: Vec::new(),
            flat: Vec::new(),
        }
    }

    fn cluster(&mut self) {
        let setup = self.input.setup();
        let fronts = self.input.modules();
        let digis = &self.digis;
        self.clusters = collect(digis.len(), Grain::Adaptive, |sides| {
            let mut friese = Friese::new(setup);
            sides.map(move |index| {
                let side = if index < fronts { Side::Front } else { Side::Back };
                friese.find(&digis[index], side)
            })
        });
    }

    fn find_hits(&mut self) {
        let (fronts, backs) = self.clusters.split_at(self.input.modules());
        let modules = self.modules.iter().zip(fronts).zip(backs);
        self.hits = map(modules, |((formulas, front), back)| hits_of_module(front, back, formulas));
    }
}

impl Buffers for Offline<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(raw) = &mut self.raw {
            raw.poison();
        }
        self.digis.clear();
        self.clusters.clear();
        self.hits.clear();
        self.flat.clear();
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.raw.as_ref().map_or(0, Raw::bytes) as u64
    }
}

impl Chain for Offline<'_> {
    fn stages(&self) -> &'static [ChainStage] {
        with_or_without_unpacking(&USUAL, self.raw.is_some())
    }

    fn run(&mut self, stage: ChainStage) -> Result<(), DeviceError> {
        match stage {
            ChainStage::Unpack => {
                if let Some(raw) = &mut self.raw {
                    raw.unpack(cpu::PUBLISHED);
                }
            }
            ChainStage::Presort => {
                let made = self.raw.as_ref().map(Raw::stream);
                let stream = made.unwrap_or(self.input.stream());
                self.digis = by_hash_map(stream, self.input.modules());
            }
            ChainStage::Zero => {}
            ChainStage::Sort => {
                for_each(&mut self.digis, |digis| sort_offline_digis(digis));
            }
            ChainStage::Cluster => self.cluster(),
            ChainStage::ClusterSort => {
                for_each(&mut self.clusters, |clusters| sort_offline_clusters(clusters));
            }
            ChainStage::Hits => self.find_hits(),
            ChainStage::Collect => append(&self.hits, &mut self.flat),
        }
        Ok(())
    }

    fn inputs_of(&mut self, next: ChainStage) -> Vec<Box<dyn Snapshot + '_>> {
        match next {
            ChainStage::Unpack | ChainStage::Presort => Vec::new(),
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                vec![Box::new(Lists(&mut self.digis))]
            }
            ChainStage::ClusterSort | ChainStage::Hits => vec![Box::new(Lists(&mut self.clusters))],
            ChainStage::Collect => vec![Box::new(Lists(&mut self.hits))],
        }
    }

    fn product(&mut self, stage: ChainStage) -> Result<Product, DeviceError> {
        let clusters = || Partitioned::of_sides(&self.clusters);
        Ok(match stage {
            ChainStage::Unpack => Product::Nothing,
            ChainStage::Presort | ChainStage::Zero | ChainStage::Sort => {
                Product::OfflineDigis(self.digis.clone())
            }
            ChainStage::Cluster | ChainStage::ClusterSort => Product::OfflineClusters(clusters()),
            ChainStage::Hits => Product::OfflineHits(Partitioned::of_modules(&self.hits)),
            ChainStage::Collect => {
                let mut rest = self.flat.as_slice();
                let module = |hits: &Vec<OfflineHit>| {
                    let (module_hits, others) = rest.split_at(hits.len().min(rest.len()));
                    rest = others;
                    module_hits
                };
                let modules: Vec<&[OfflineHit]> = self.hits.iter().map(module).collect();
                Product::OfflineHits(Partitioned::of_modules(&modules))
            }
        })
    }

    fn begin_with_raw(&mut self) {
        self.raw = self.input.raw().map(|raw| Raw::new(raw, None));
    }

    fn preconditions(&self) -> Preconditions {
        Preconditions::OFFLINE
    }

    fn take(&mut self, arena: &Arena) -> Result<(), DeviceError> {
        if let Some(raw) = &mut self.raw {
            raw.take(arena);
        }
        Ok(())
    }

    fn release(&mut self, arena: &Arena) {
        if let Some(raw) = &mut self.raw {
            raw.release(arena);
        }
        self.digis = Vec::new();
        self.clusters = Vec::new();
        self.hits = Vec::new();
        self.flat = Vec::new();
    }
}
