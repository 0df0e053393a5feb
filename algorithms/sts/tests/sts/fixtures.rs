//! Comparison with clusters and hits of the experiment's code.

use std::path::PathBuf;
use std::sync::Arc;

use algorithms_sts::sts::reference::offline;
use algorithms_sts::sts::rules::{Exact, Published};
use algorithms_sts::sts::task::Timeslices;
use algorithms_sts::sts::{Cluster, Hit, Partitioned, Product, Timeslice, reference};
use generators_sts::SegmentedDigis;
use generators_sts::io::{DigiOptions, read_digis_with, read_setup};
use portable_gpu::emulator::Lanes;
use tasks::algorithm::Semantics;

use crate::common::{assert_same, both, found_by_all, found_by_kernels, read_clusters, read_hits};
use crate::experiments::{fixtures, full_set};

/// Digis with the results of the experiment's code.
struct DataSet {
    folder: PathBuf,
    /// Prefix of all file names.
    name: &'static str,
    clusters: usize,
    hits: usize,
}

impl DataSet {
    /// One module in twenty, including the most difficult ones.
    fn committed() -> Self {
        let folder = fixtures("sts-chain");
        DataSet { folder, name: "modules", clusters: 11_060, hits: 9858 }
    }

    fn full() -> Option<Self> {
        let folder = full_set("sts/fixtures")?;
        Some(DataSet { folder, name: "full", clusters: 171_104, hits: 137_666 })
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.name))
    }

    fn timeslice(&self) -> Timeslice {
        let setup = read_setup(&self.file("params.json")).expect("a setup");
        let digis = read_digis_with(&self.file("digis.bin.gz"), DigiOptions::for_setup(&setup));
        Timeslice::new(digis.expect("digis").digis, Arc::new(setup), Semantics::Published)
    }

    fn clusters_and_hits(&self) -> (Partitioned<Cluster>, Partitioned<Hit>) {
        let clusters = read_clusters(&self.file("clusters.bin.gz"));
        let hits = read_hits(&self.file("hits.bin.gz"));
        assert_eq!((clusters.items().len(), hits.items().len()), (self.clusters, self.hits));
        (clusters, hits)
    }

    fn expected(&self) -> Product {
        let (clusters, hits) = self.clusters_and_hits();
        both(clusters, hits)
    }
}

fn the_published_reference_finds_the_same(set: &DataSet) {
    let timeslice = set.timeslice();
    let digis = timeslice.digis();
    let setup = timeslice.setup();
    let clusters = reference::clusters::<Published>(digis, setup);
    let hits = reference::hits::<Published>(&clusters, setup);
    let input = Timeslices(vec![timeslice]);
    assert_same(&input, &set.expected(), &[both(clusters, hits)], "reference");
}

#[test]
fn the_published_reference_finds_the_same_to_the_last_bit() {
    the_published_reference_finds_the_same(&DataSet::committed());
}

#[test]
fn the_published_reference_finds_the_same_to_the_last_bit_in_full() {
    let Some(set) = DataSet::full() else { return };
    the_published_reference_finds_the_same(&set);
}

fn every_published_variant_finds_the_same(set: &DataSet) {
    let expected = set.expected();
    let input = Timeslices(vec![set.timeslice()]);
    for threads in [1, 3] {
        let found = found_by_all(&input, Semantics::Published, threads);
        assert!(found.len() >= 3, "{} variants", found.len());
        for (name, found) in found {
            assert_same(&input, &expected, &found, &format!("{name}, {threads} threads"));
        }
    }
}

#[test]
fn every_published_variant_finds_the_same_to_the_last_bit() {
    every_published_variant_finds_the_same(&DataSet::committed());
}

#[test]
fn every_published_variant_finds_the_same_to_the_last_bit_in_full() {
    let Some(set) = DataSet::full() else { return };
    every_published_variant_finds_the_same(&set);
}

/// Keeps one of `share` modules; the others are empty. Back sides follow all front sides.
fn thinned<'a, T>(
    groups: impl Iterator<Item = &'a [T]>,
    modules: usize,
    share: usize,
) -> Vec<&'a [T]> {
    let is_kept = |group: usize| (group % modules).is_multiple_of(share);
    groups.enumerate().map(|(number, group)| if is_kept(number) { group } else { &[] }).collect()
}

/// Compares the published kernels in one of `share` modules: modules are independent.
fn kernels_find_the_same(set: &DataSet, share: usize) {
    let timeslice = set.timeslice();
    let (clusters, hits) = set.clusters_and_hits();
    let modules = timeslice.modules();
    let digis = thinned(timeslice.digis().segments(), modules, share);
    let digis = SegmentedDigis::from_segments(&digis);
    let clusters = (0..2 * modules).map(|side| clusters.segment(side));
    let clusters = Partitioned::of_sides(&thinned(clusters, modules, share));
    let hits = (0..modules).map(|module| hits.segment(module));
    let expected = both(clusters, Partitioned::of_modules(&thinned(hits, modules, share)));
    let input = Timeslice::new(digis, timeslice.shared_setup(), timeslice.online());
    let input = Timeslices(vec![input]);
    for (name, found) in found_by_kernels(&input, Semantics::Published, Lanes::L32) {
        assert_same(&input, &expected, &found, name);
    }
}

#[test]
fn every_published_kernel_finds_the_same_to_the_last_bit() {
    kernels_find_the_same(&DataSet::committed(), 1);
}

#[test]
fn every_published_kernel_finds_the_same_in_some_modules_in_full() {
    let Some(set) = DataSet::full() else { return };
    kernels_find_the_same(&set, 16);
}

#[test]
#[ignore = "takes a quarter of a minute: for the night"]
fn every_published_kernel_finds_the_same_to_the_last_bit_in_full() {
    let Some(set) = DataSet::full() else { return };
    kernels_find_the_same(&set, 1);
}

#[test]
fn other_semantics_differ_by_known_amounts() {
    other_semantics_differ_by_little(&DataSet::committed());
}

#[test]
fn other_semantics_differ_by_known_amounts_in_full() {
    let Some(set) = DataSet::full() else { return };
    other_semantics_differ_by_little(&set);
}

/// With dead time and early in a timeslice, the three semantics differ little: in the times, which
/// published code truncates before hits are found, and thus at the cut.
fn other_semantics_differ_by_little(set: &DataSet) {
    let timeslice = set.timeslice();
    let digis = timeslice.digis();
    let setup = timeslice.setup();
    let exact = reference::clusters::<Exact>(digis, setup);
    let published = reference::clusters::<Published>(digis, setup);
    assert_eq!(exact.items().len(), published.items().len());
    let hits = reference::hits::<Exact>(&exact, setup).items().len();
    assert!(hits.abs_diff(set.hits) <= 3, "{hits} exact hits");
    let offline = offline::clusters(digis, setup);
    assert_eq!(offline.items().len(), published.items().len());
    let hits = offline::hits(&offline, setup).items().len();
    assert!(hits.abs_diff(set.hits) <= 10, "{hits} offline hits");
    for side in 0..exact.segments() {
        let mut times: Vec<_> = exact.segment(side).iter().map(|found| found.time).collect();
        times.sort_unstable();
        // Truncation does not change the order of times.
        let pairs = offline.segment(side).iter().zip(times);
        for (offline, time) in pairs {
            assert_eq!(offline.time as u32, time, "side {side}");
        }
    }
}
