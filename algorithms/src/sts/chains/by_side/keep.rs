//! What stages left, kept for the next run.

use generators::partition::Partition;

use super::BySide;
use crate::all_cores::{joined, spread};
use crate::sts::ChainStage;
use crate::sts::chains::kept::{Kept, copied, fill_again};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, ClusterEntry, Hit};

impl<P: Rules> BySide<'_, P> {
    /// Bytes of [`BySide::left_before`].
    pub(super) fn bytes_before(&self, next: ChainStage) -> usize {
        let clusters: usize = self.counts.iter().sum();
        match next {
            ChainStage::Presort => 0,
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                size_of_val(self.digis.as_slice())
            }
            ChainStage::ClusterSort => clusters * size_of::<Cluster>(),
            ChainStage::Hits => clusters * (size_of::<Cluster>() + size_of::<ClusterEntry>()),
            ChainStage::Collect => {
                let hits = self.workers.iter().map(|worker| worker.hits.len());
                hits.sum::<usize>() * size_of::<Hit>()
            }
        }
    }

    /// A copy of what the stages before this one left.
    pub(super) fn left_before(&self, next: ChainStage) -> Kept {
        let mut kept = Kept::default();
        match next {
            ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                kept.digis = joined(&[&self.digis])
            }
            ChainStage::ClusterSort | ChainStage::Hits => {
                kept.clusters = joined(&self.clusters_of_parts());
                if next == ChainStage::Hits {
                    kept.entries = copied(&self.entries, &self.sides, &self.counts);
                }
            }
            ChainStage::Collect => {
                let hits: Vec<_> = self.workers.iter().map(|worker| &worker.hits[..]).collect();
                kept.hits = joined(&hits);
            }
        }
        kept
    }

    /// Copies that back into the buffers.
    pub(super) fn bring_back(&mut self, next: ChainStage, kept: &Kept) {
        match next {
            ChainStage::Presort => {}
            ChainStage::Zero | ChainStage::Sort | ChainStage::Cluster => {
                spread(&kept.digis, vec![&mut self.digis])
            }
            ChainStage::ClusterSort => self.restore_clusters(&kept.clusters),
            ChainStage::Hits => {
                self.restore_clusters(&kept.clusters);
                let (sides, counts) = (&self.sides, &self.counts);
                fill_again(&kept.entries, &mut self.entries, sides, counts);
            }
            ChainStage::Collect => self.restore_hits(&kept.hits),
        }
    }

    /// Parts cover all digis, in their order.
    fn restore_clusters(&mut self, kept: &[Cluster]) {
        let rooms = Partition::from_lengths(self.parts.iter().map(|part| part.digis.len()));
        let counts: Vec<_> = self.parts.iter().map(|part| part.clusters).collect();
        fill_again(kept, &mut self.clusters, &rooms, &counts);
    }

    /// Each worker has its hits again.
    fn restore_hits(&mut self, kept: &[Hit]) {
        for worker in &mut self.workers {
            let ends = worker.found.iter().map(|(_, range)| range.end);
            let hits = ends.max().unwrap_or(0);
            worker.hits.resize(hits, Hit::default());
        }
        let places = self.workers.iter_mut().map(|worker| &mut worker.hits[..]);
        spread(kept, places.collect());
    }
}
