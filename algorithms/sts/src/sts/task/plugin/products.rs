//! Output of a stage: its buffers, and the products that a plugin wrote to them.

use generators_sts::{Digi, SegmentedDigis};

use super::items::Item;
use super::{ShownSts, abi, upstream};
use crate::sts::task::Timeslices;
use crate::sts::{
    ChainStage, Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned, Product,
};
use tasks::algorithm::Semantics;
use tasks::plugin::abi::Lists;
use tasks::plugin_session::{Layout, OutputLists, PluginRequest};

/// Output buffers of a stage, or of the whole chain.
pub(super) struct PluginOutput {
    stage: Option<ChainStage>,
    asked: PluginRequest,
    timeslices: usize,
    output: OutputLists,
    /// The second output of the whole chain.
    hits: Option<OutputLists>,
}

impl PluginOutput {
    /// Adds the output lists to `layout`.
    pub(super) fn new(
        stage: Option<ChainStage>,
        input: &Timeslices,
        asked: PluginRequest,
        layout: &mut Layout<'_, ShownSts>,
    ) -> Self {
        let modules: usize = input.0.iter().map(|timeslice| timeslice.modules()).sum();
        let sides = 2 * modules;
        let semantics = asked.semantics;
        let clusters = |layout: &mut Layout<'_, ShownSts>, capacity| {
            let add = match semantics {
                Semantics::Offline => Layout::output_lists::<abi::OfflineCluster>,
                _ => Layout::output_lists::<abi::Cluster>,
            };
            add(layout, "clusters", sides, capacity, |shown| &mut shown.sts.output)
        };
        let hits = |layout: &mut Layout<'_, ShownSts>, capacity, field| {
            let add = match semantics {
                Semantics::Offline => Layout::output_lists::<abi::OfflineHit>,
                _ => Layout::output_lists::<abi::Hit>,
            };
            add(layout, "hits", modules, capacity, field)
        };
        let found = || upstream::hits(input, semantics);
        let of_stage: fn(&mut ShownSts) -> &mut Lists = |shown| &mut shown.sts.output;
        let output = match stage {
            Some(ChainStage::Hits) => hits(layout, more_than(found()), of_stage),
            Some(ChainStage::Collect) => hits(layout, found(), of_stage),
            Some(ChainStage::ClusterSort) => clusters(layout, upstream::clusters(input, semantics)),
            // There are no more clusters than digis: each has another first digi.
            None | Some(ChainStage::Cluster) => clusters(layout, input.digis()),
            _ => {
                let add = match semantics {
                    Semantics::Offline => Layout::output_lists::<abi::OfflineDigi>,
                    _ => Layout::output_lists::<u64>,
                };
                add(layout, "digis", sides, input.digis(), of_stage)
            }
        };
        let of_chain = || hits(layout, more_than(found()), |shown| &mut shown.sts.hits);
        let hits = stage.is_none().then(of_chain);
        PluginOutput { stage, asked, timeslices: input.0.len(), output, hits }
    }

    /// The products of all timeslices.
    pub(super) fn read(&self, outputs: &[&[u8]]) -> Result<Vec<Product>, String> {
        match self.stage {
            None => {
                let clusters = self.clusters(outputs)?.into_iter().map(Box::new);
                let hits = self.hits(outputs)?.into_iter().map(Box::new);
                Ok(clusters
                    .zip(hits)
                    .map(|(clusters, hits)| Product::Both(clusters, hits))
                    .collect())
            }
            Some(ChainStage::Cluster | ChainStage::ClusterSort) => self.clusters(outputs),
            Some(ChainStage::Hits | ChainStage::Collect) => self.hits(outputs),
            Some(_) => self.digis(outputs),
        }
    }

    fn clusters(&self, outputs: &[&[u8]]) -> Result<Vec<Product>, String> {
        match self.asked.semantics {
            Semantics::Offline => {
                let lists = self.output.read(outputs)?;
                Ok(self.products::<OfflineCluster>(&lists, Partitioned::of_sides))
            }
            _ => {
                let lists = self.output.read(outputs)?;
                Ok(self.products::<Cluster>(&lists, Partitioned::of_sides))
            }
        }
    }

    fn hits(&self, outputs: &[&[u8]]) -> Result<Vec<Product>, String> {
        let lists = self.hits.unwrap_or(self.output);
        if self.asked.semantics == Semantics::Offline {
            let hits = self.lists(lists, outputs)?;
            return Ok(self.products::<OfflineHit>(&hits, Partitioned::of_modules));
        }
        let hits = self.lists(lists, outputs)?;
        let products = self.products::<Hit>(&hits, Partitioned::of_modules).into_iter();
        Ok(products.map(|product| self.in_order_of_time(product)).collect())
    }

    /// Lists of items; in one array only if collecting is the task.
    fn lists<'o, T: bytemuck::Pod>(
        &self,
        lists: OutputLists,
        outputs: &[&'o [u8]],
    ) -> Result<Vec<&'o [T]>, String> {
        match self.stage {
            Some(ChainStage::Collect) => lists.read_packed(outputs),
            _ => lists.read(outputs),
        }
    }

    /// Hits that are to be in order of time, if they are.
    fn in_order_of_time(&self, product: Product) -> Product {
        match product {
            Product::Hits(hits) if self.asked.by_time => Product::Streams(hits),
            other => other,
        }
    }

    fn digis(&self, outputs: &[&[u8]]) -> Result<Vec<Product>, String> {
        if self.asked.semantics == Semantics::Offline {
            let sides: Vec<&[abi::OfflineDigi]> = self.output.read(outputs)?;
            let digis = |digis: &&[abi::OfflineDigi]| digis.iter().map(offline_digi).collect();
            let product = |sides: &[_]| Product::OfflineDigis(sides.iter().map(digis).collect());
            return Ok(self.of_timeslices(&sides).map(product).collect());
        }
        let sides: Vec<&[u64]> = self.output.read(outputs)?;
        let digis = |digis: &&[u64]| -> Vec<Digi> {
            digis.iter().map(|&bits| Digi::from_bits(bits)).collect()
        };
        let product = |sides: &[_]| {
            let sides: Vec<_> = sides.iter().map(digis).collect();
            Product::Digis(SegmentedDigis::from_segments(&sides))
        };
        Ok(self.of_timeslices(&sides).map(product).collect())
    }

    /// Products of the lists of all timeslices.
    fn products<T: Item>(
        &self,
        lists: &[&[T::AbiInput]],
        partitioned: fn(&[Vec<T>]) -> Partitioned<T>,
    ) -> Vec<Product> {
        let items = |list: &&[T::AbiInput]| list.iter().map(T::from_abi).collect::<Vec<T>>();
        let product = |lists: &[&[T::AbiInput]]| {
            T::product(partitioned(&lists.iter().map(items).collect::<Vec<_>>()))
        };
        self.of_timeslices(lists).map(product).collect()
    }

    /// The lists of each timeslice.
    fn of_timeslices<'l, T>(&self, lists: &'l [T]) -> impl Iterator<Item = &'l [T]> {
        let each = lists.len().checked_div(self.timeslices).unwrap_or(0);
        (0..self.timeslices).map(move |index| &lists[index * each..][..each])
    }
}

/// A capacity of more than `found`, which does not reveal that number.
fn more_than(found: usize) -> usize {
    (found + found / 2).next_power_of_two().max(1 << 10)
}

fn offline_digi(digi: &abi::OfflineDigi) -> OfflineDigi {
    let abi::OfflineDigi { time, address, channel, adc } = *digi;
    OfflineDigi { time, address, channel, adc }
}
