//! Digis, clusters and hits as files.

use std::borrow::Cow;
use std::path::Path;

use generators_common::DataError;
use generators_common::io::{Table, check_table_file, write_table};
use generators_sts::io::write_digis_of_timeslices;
use generators_sts::{Address, Digi, ModuleSide, SegmentedDigis};

use crate::sts::{
    ChainStage, Cluster, Hit, OfflineCluster, OfflineDigi, OfflineHit, Partitioned, Product,
};
use tasks::algorithm::{OutputAlias, OutputFiles, VariantChoice};

/// Index of the file with clusters; that with hits is the main one.
const CLUSTERS: usize = 1;

const ALIASES: [OutputAlias; 2] = [
    OutputAlias {
        flag: "hits",
        help: "Write the hits as bench process does; measures nothing",
        file: 0,
        choice: VariantChoice::One,
        check: check_table_file,
    },
    OutputAlias {
        flag: "clusters",
        help: "Write the clusters as bench process does; measures nothing",
        file: CLUSTERS,
        choice: VariantChoice::One,
        check: check_table_file,
    },
];

/// The files of the chain or of a stage.
pub(super) fn of_stage(stage: Option<ChainStage>) -> Option<OutputFiles> {
    match stage {
        None => {
            let files = OutputFiles::new(&["hit", "cluster"], "online", "online");
            Some(files.with_aliases(&ALIASES))
        }
        Some(ChainStage::Presort) => Some(OutputFiles::new(&["digi"], "lookup-table", "tiles")),
        Some(_) => None,
    }
}

/// Writes the products of all timeslices; returns the number of items.
pub(super) fn write(products: &[Product], file: usize, path: &Path) -> Result<usize, DataError> {
    let digis: Vec<_> = products.iter().filter_map(digis).collect();
    if !digis.is_empty() {
        let digis: Vec<&SegmentedDigis> = digis.iter().map(Cow::as_ref).collect();
        write_digis_of_timeslices(path, &digis)?;
        return Ok(digis.iter().map(|digis| digis.digis().len()).sum());
    }
    let products = products.iter().map(|product| match product {
        Product::Both(clusters, _) if file == CLUSTERS => &**clusters,
        Product::Both(_, hits) => &**hits,
        product => product,
    });
    let table = ProductLists::new(products).table();
    write_table(path, &table)?;
    Ok(table.rows())
}

/// The digis of a timeslice by module side, if the product has any.
fn digis(product: &Product) -> Option<Cow<'_, SegmentedDigis>> {
    let packed = |digi: &OfflineDigi| {
        let address = Address::of_full(digi.address);
        Digi::new(address, digi.channel, digi.time as u32, digi.adc as u8)
    };
    match product {
        Product::Digis(digis) => Some(Cow::Borrowed(digis)),
        Product::OfflineDigis(sides) => {
            let sides = sides.iter().map(|side| side.iter().map(packed).collect::<Vec<_>>());
            Some(Cow::Owned(SegmentedDigis::from_segments(&sides.collect::<Vec<_>>())))
        }
        _ => None,
    }
}

/// Clusters or hits of all timeslices: one of the lists is not empty.
#[derive(Default)]
struct ProductLists<'p> {
    clusters: Vec<&'p Partitioned<Cluster>>,
    offline_clusters: Vec<&'p Partitioned<OfflineCluster>>,
    hits: Vec<&'p Partitioned<Hit>>,
    offline_hits: Vec<&'p Partitioned<OfflineHit>>,
}

/// A cluster or hit, and where it is.
struct Row<'p, T> {
    timeslice: u32,
    side: ModuleSide,
    item: &'p T,
}

/// Adds a column for each field of the rows' items.
macro_rules! with_fields {
    ($table:expr, $rows:expr, $($name:literal: $field:ident),*) => {
        $table$(.with($name, $rows.iter().map(|row| row.item.$field)))*
    };
}

impl<'p> ProductLists<'p> {
    fn new(products: impl Iterator<Item = &'p Product>) -> Self {
        let mut lists = ProductLists::default();
        for product in products {
            match product {
                Product::Clusters(clusters) => lists.clusters.push(clusters),
                Product::OfflineClusters(clusters) => lists.offline_clusters.push(clusters),
                Product::Hits(hits) | Product::Streams(hits) => lists.hits.push(hits),
                Product::OfflineHits(hits) => lists.offline_hits.push(hits),
                _ => unreachable!("the check of the chain accepts clusters with hits only"),
            }
        }
        lists
    }

    /// A row for each item, by timeslice, module and side; those of a side in their order.
    fn table(&self) -> Table {
        macro_rules! clusters {
            ($rows:expr) => {{
                let rows = $rows;
                let table = Table::new().with("module", rows.iter().map(Row::module));
                let table = with_fields!(
                    table.with("side", rows.iter().map(Row::side)), rows,
                    "charge": charge, "size": size, "position": position,
                    "position_error": position_error, "time_ns": time, "time_error": time_error
                );
                with_timeslices(table, &rows)
            }};
        }
        macro_rules! hits {
            ($rows:expr) => {{
                let rows = $rows;
                let table = with_fields!(
                    Table::new().with("module", rows.iter().map(Row::module)), rows,
                    "x": x, "y": y, "z": z, "time_ns": time, "dx": dx, "dy": dy, "dz": dz,
                    "dxy": dxy, "time_error": time_error, "du": du, "dv": dv
                );
                with_timeslices(table, &rows)
            }};
        }
        if !self.clusters.is_empty() {
            clusters!(of_sides(&self.clusters, Cluster::order))
        } else if !self.offline_clusters.is_empty() {
            clusters!(of_sides(&self.offline_clusters, OfflineCluster::order))
        } else if !self.offline_hits.is_empty() {
            hits!(of_modules(&self.offline_hits, OfflineHit::order))
        } else {
            hits!(of_modules(&self.hits, Hit::order))
        }
    }
}

impl<T> Row<'_, T> {
    fn module(&self) -> u32 {
        self.side.module as u32
    }

    fn side(&self) -> Cow<'static, str> {
        Cow::Borrowed(if self.side.back { "back" } else { "front" })
    }
}

/// By module, the front first, although all fronts lie before all backs.
fn of_sides<'p, T, K: Ord>(
    timeslices: &[&'p Partitioned<T>],
    order: impl Fn(&T) -> K,
) -> Vec<Row<'p, T>> {
    let mut rows = Vec::new();
    for (timeslice, clusters) in (0..).zip(timeslices) {
        let modules = clusters.segments() / 2;
        for module in 0..modules {
            for side in [false, true].map(|back| ModuleSide { module, back }) {
                let items = sorted(clusters.segment(side.segment(modules)), &order);
                rows.extend(items.into_iter().map(|item| Row { timeslice, side, item }));
            }
        }
    }
    rows
}

fn of_modules<'p, T, K: Ord>(
    timeslices: &[&'p Partitioned<T>],
    order: impl Fn(&T) -> K,
) -> Vec<Row<'p, T>> {
    let mut rows = Vec::new();
    for (timeslice, hits) in (0..).zip(timeslices) {
        for module in 0..hits.segments() {
            let side = ModuleSide { module, back: false };
            let items = sorted(hits.segment(module), &order).into_iter();
            rows.extend(items.map(|item| Row { timeslice, side, item }));
        }
    }
    rows
}

fn sorted<T, K: Ord>(items: &[T], order: impl Fn(&T) -> K) -> Vec<&T> {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_by_key(|item| order(item));
    items
}

/// Adds the index of the timeslice if there are several, whose times all start at 0.
fn with_timeslices<T>(table: Table, rows: &[Row<'_, T>]) -> Table {
    match rows.last() {
        Some(last) if last.timeslice > 0 => {
            table.with("timeslice", rows.iter().map(|row| row.timeslice))
        }
        _ => table,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn hits(times: &[u32]) -> Product {
        let hits = times.iter().map(|&time| Hit { time, ..Hit::default() });
        Product::Hits(Partitioned::of_modules(&[hits.collect::<Vec<_>>()]))
    }

    fn text(products: &[Product]) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("hits.csv");
        write(products, 0, &path).expect("written");
        fs::read_to_string(path).expect("there")
    }

    #[test]
    fn no_timeslice_is_lost_and_each_is_identified() {
        let text = text(&[hits(&[7, 3]), hits(&[5])]);
        let ends: Vec<_> = text.lines().map(|line| line.rsplit(',').next().unwrap_or("")).collect();
        assert_eq!(ends, ["timeslice", "0", "0", "1"], "{text}");
    }

    #[test]
    fn hits_that_a_variant_leaves_in_order_of_time_are_hits() {
        let Product::Hits(found) = hits(&[7, 3]) else { panic!("hits") };
        assert_eq!(text(&[Product::Streams(found)]), text(&[hits(&[3, 7])]));
    }

    #[test]
    fn a_single_timeslice_has_no_further_column() {
        let text = text(&[hits(&[7])]);
        let header = "module,x,y,z,time_ns,dx,dy,dz,dxy,time_error,du,dv";
        assert_eq!(text.lines().next(), Some(header));
        assert!(text.lines().all(|line| line.split(',').count() == 12), "{text}");
    }

    #[test]
    fn clusters_are_ordered_by_module_and_side() {
        let cluster = |time| Cluster { time, ..Cluster::default() };
        let sides = [vec![cluster(4), cluster(1)], vec![], vec![cluster(2)], vec![cluster(3)]];
        let clusters = Product::Clusters(Partitioned::of_sides(&sides));
        let text = text(&[clusters]);
        let rows: Vec<_> = text.lines().skip(1).map(|line| line.rsplit(',').nth(1)).collect();
        assert_eq!(rows, ["1", "4", "2", "3"].map(Some), "{text}");
        assert!(text.starts_with("module,side,charge,size,position,position_error,time_ns,"));
    }
}
