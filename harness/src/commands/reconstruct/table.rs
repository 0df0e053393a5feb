//! Clusters and hits as text.

use std::io::{self, Write};

use algorithms::sts::Product;
use algorithms::sts::{Cluster, Hit, OfflineCluster, OfflineHit, Partitioned};
use generators::sts::ModuleSide;
use reports::units::significant;

/// Significant digits that distinguish all single-precision numbers; times keep all nanoseconds.
const DIGITS: usize = 9;
const CLUSTERS: &str = "module,side,charge,size,position,position_error,time_ns,time_error";
const HITS: &str = "module,x,y,z,time_ns,dx,dy,dz,dxy,time_error,du,dv";

/// Additional column if there are several timeslices, whose times all start at 0.
const TIMESLICE: &str = "timeslice";

/// Clusters or hits of timeslices.
pub(super) struct Table {
    timeslices: Vec<Rows>,
}

/// A header, and rows by module, side, time and so on.
struct Rows {
    header: &'static str,
    rows: Vec<String>,
}

impl Table {
    /// Clusters or hits, timeslice by timeslice.
    pub(super) fn from_timeslices(products: &[&Product]) -> Self {
        Table { timeslices: products.iter().map(|product| Rows::from_product(product)).collect() }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.timeslices.iter().map(|timeslice| timeslice.rows.len()).sum()
    }

    pub(super) fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        match self.timeslices.as_slice() {
            [only] => {
                writeln!(file, "{}", only.header)?;
                only.rows.iter().try_for_each(|row| writeln!(file, "{row}"))
            }
            several => write_several(file, several),
        }
    }
}

fn write_several(file: &mut dyn Write, timeslices: &[Rows]) -> io::Result<()> {
    let header = timeslices.first().map_or("", |timeslice| timeslice.header);
    writeln!(file, "{header},{TIMESLICE}")?;
    for (index, timeslice) in timeslices.iter().enumerate() {
        timeslice.rows.iter().try_for_each(|row| writeln!(file, "{row},{index}"))?;
    }
    Ok(())
}

impl Rows {
    fn from_product(product: &Product) -> Self {
        match product {
            Product::Clusters(clusters) => clusters_of(clusters, Cluster::order, cluster),
            Product::OfflineClusters(clusters) => {
                clusters_of(clusters, OfflineCluster::order, offline_cluster)
            }
            Product::Hits(hits) | Product::Streams(hits) => hits_of(hits, Hit::order, hit),
            Product::OfflineHits(hits) => hits_of(hits, OfflineHit::order, offline_hit),
            _ => unreachable!("the chain leaves clusters and hits"),
        }
    }
}

/// By module, the front first, although all fronts lie before all backs.
fn clusters_of<T: Clone, K: Ord>(
    clusters: &Partitioned<T>,
    order: impl Fn(&T) -> K,
    row: impl Fn(&T) -> String,
) -> Rows {
    let modules = clusters.segments() / 2;
    let sides =
        (0..modules).flat_map(|module| [false, true].map(|back| ModuleSide { module, back }));
    let of_side = |side: ModuleSide| {
        let name = if side.back { "back" } else { "front" };
        let things = sorted(clusters.segment(side.segment(modules)), &order);
        let rows = things.iter().map(|thing| format!("{},{name},{}", side.module, row(thing)));
        rows.collect::<Vec<_>>()
    };
    Rows { header: CLUSTERS, rows: sides.flat_map(of_side).collect() }
}

fn hits_of<T: Clone, K: Ord>(
    hits: &Partitioned<T>,
    order: impl Fn(&T) -> K,
    row: impl Fn(&T) -> String,
) -> Rows {
    let of_module = |module: usize| {
        let things = sorted(hits.segment(module), &order);
        let rows = things.iter().map(|thing| format!("{module},{}", row(thing)));
        rows.collect::<Vec<_>>()
    };
    Rows { header: HITS, rows: (0..hits.segments()).flat_map(of_module).collect() }
}

fn sorted<T: Clone, K: Ord>(things: &[T], order: impl Fn(&T) -> K) -> Vec<T> {
    let mut things = things.to_vec();
    things.sort_by_key(order);
    things
}

fn cluster(cluster: &Cluster) -> String {
    let [charge, position, position_error, time_error] =
        single([cluster.charge, cluster.position, cluster.position_error, cluster.time_error]);
    let size = cluster.size;
    let time = cluster.time;
    format!("{charge},{size},{position},{position_error},{time},{time_error}")
}

fn offline_cluster(cluster: &OfflineCluster) -> String {
    let [charge, position, position_error] =
        double([cluster.charge, cluster.position, cluster.position_error]);
    let [time, time_error] = double([cluster.time, cluster.time_error]);
    let size = cluster.size;
    format!("{charge},{size},{position},{position_error},{time},{time_error}")
}

fn hit(hit: &Hit) -> String {
    let [x, y, z] = single([hit.x, hit.y, hit.z]);
    let [dx, dy, dz, dxy] = single([hit.dx, hit.dy, hit.dz, hit.dxy]);
    let [time_error, du, dv] = single([hit.time_error, hit.du, hit.dv]);
    let time = hit.time;
    format!("{x},{y},{z},{time},{dx},{dy},{dz},{dxy},{time_error},{du},{dv}")
}

fn offline_hit(hit: &OfflineHit) -> String {
    let [x, y, z] = double([hit.x, hit.y, hit.z]);
    let [dx, dy, dz, dxy] = double([hit.dx, hit.dy, hit.dz, hit.dxy]);
    let [time, time_error] = double([hit.time, hit.time_error]);
    let [du, dv] = double([hit.du, hit.dv]);
    format!("{x},{y},{z},{time},{dx},{dy},{dz},{dxy},{time_error},{du},{dv}")
}

fn single<const N: usize>(values: [f32; N]) -> [String; N] {
    double(values.map(f64::from))
}

fn double<const N: usize>(values: [f64; N]) -> [String; N] {
    values.map(|value| significant(value, DIGITS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hits(times: &[u32]) -> Product {
        let hits = times.iter().map(|&time| Hit { time, ..Hit::default() });
        Product::Hits(Partitioned::of_modules(&[hits.collect::<Vec<_>>()]))
    }

    fn text(products: &[&Product]) -> String {
        let mut text = Vec::new();
        Table::from_timeslices(products).write(&mut text).expect("memory takes all");
        String::from_utf8(text).expect("ASCII")
    }

    #[test]
    fn no_timeslice_is_lost_and_each_is_identified() {
        let first = hits(&[7, 3]);
        let second = hits(&[5]);
        assert_eq!(Table::from_timeslices(&[&first, &second]).len(), 3);
        let text = text(&[&first, &second]);
        let ends: Vec<_> = text.lines().map(|line| line.rsplit(',').next().unwrap_or("")).collect();
        assert_eq!(ends, ["timeslice", "0", "0", "1"], "{text}");
    }

    #[test]
    fn hits_that_a_variant_leaves_in_order_of_time_are_hits() {
        let Product::Hits(found) = hits(&[7, 3]) else { panic!("hits") };
        assert_eq!(text(&[&Product::Streams(found)]), text(&[&hits(&[3, 7])]));
    }

    #[test]
    fn a_single_timeslice_has_no_further_column() {
        let text = text(&[&hits(&[7])]);
        assert_eq!(text.lines().next(), Some(HITS));
        assert!(text.lines().all(|line| line.split(',').count() == 12), "{text}");
    }
}
