//! Golden clusters and hits of a synthetic data set: two modules with many tracks, strips with
//! positive and negative stereo angles, rotated sensors, no dead time, and times late in a
//! timeslice. The published ones come from a reference that agrees with the experiment's code. Any
//! change must be noticed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use algorithms_sts::sts::reference::offline;
use algorithms_sts::sts::rules::{Exact, Published, Rules};
use algorithms_sts::sts::task::Timeslices;
use algorithms_sts::sts::{Product, Timeslice, reference};
use generators_common::random::{hash, mix};
use generators_sts::io::{DigiOptions, read_digis_with, read_setup, write_digis, write_setup};
use generators_sts::setup::Setup;
use generators_sts::{Address, Digi, SegmentedDigis};
use portable_gpu::emulator::Lanes;
use tasks::algorithm::Semantics;

use crate::common::{
    assert_same, both, found_by_all, found_by_kernels, read_clusters, read_hits, write_clusters,
    write_hits,
};

fn golden(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sts/golden");
    folder.join(name)
}

fn timeslice(online: Semantics) -> Timeslice {
    let setup = read_setup(&golden("setup.json")).expect("a setup");
    let digis = read_digis_with(&golden("digis.csv.gz"), DigiOptions::for_setup(&setup));
    Timeslice::new(digis.expect("digis").digis, Arc::new(setup), online)
}

fn expected(semantics: &str) -> Product {
    let clusters = read_clusters(&golden(&format!("{semantics}.clusters.bin.gz")));
    let hits = read_hits(&golden(&format!("{semantics}.hits.bin.gz")));
    both(clusters, hits)
}

#[test]
fn every_variant_finds_the_golden_clusters_and_hits() {
    for online in [Semantics::Exact, Semantics::Published] {
        let input = Timeslices(vec![timeslice(online)]);
        let expected = expected(online.name());
        for (variant, found) in found_by_all(&input, online, 2) {
            assert_same(&input, &expected, &found, &format!("{variant}, {online}"));
        }
    }
}

#[test]
fn every_kernel_finds_the_golden_clusters_and_hits() {
    for online in [Semantics::Exact, Semantics::Published] {
        let input = Timeslices(vec![timeslice(online)]);
        let expected = expected(online.name());
        for lanes in [Lanes::L32, Lanes::L64] {
            for (variant, found) in found_by_kernels(&input, online, lanes) {
                let context = format!("{variant}, {online}, {lanes:?}");
                assert_same(&input, &expected, &found, &context);
            }
        }
    }
}

#[test]
fn semantics_differ_where_expected() {
    let size_of_clusters = |semantics: &str| {
        let clusters = read_clusters(&golden(&format!("{semantics}.clusters.bin.gz")));
        let sizes = clusters.items().iter().map(|cluster| cluster.size);
        sizes.sum::<i32>() as usize
    };
    let digis = timeslice(Semantics::Exact).stream().len();
    assert_eq!(size_of_clusters("exact"), digis, "each is in one cluster");
    assert!(size_of_clusters("published") > digis, "some are in two");
    let hits_of_second = |semantics: &str| {
        let hits = read_hits(&golden(&format!("{semantics}.hits.bin.gz")));
        hits.segment(1).len()
    };
    let exact = hits_of_second("exact");
    let published = hits_of_second("published");
    assert!(exact > published, "lines that lean to the left");
}

#[test]
fn the_offline_answer_is_golden() {
    let expected = std::fs::read_to_string(golden("offline.txt")).expect("read");
    assert_eq!(offline_summary(), expected);
}

/// Numbers of clusters and hits, and a hash of all their bits.
fn offline_summary() -> String {
    let timeslice = timeslice(Semantics::Exact);
    let clusters = offline::clusters(timeslice.digis(), timeslice.setup());
    let hits = offline::hits(&clusters, timeslice.setup());
    let fold = |sum, word: u64| mix(sum ^ word);
    let of_clusters = clusters.items().iter().flat_map(|found| found.order());
    let of_hits = hits.items().iter().flat_map(|found| found.order());
    format!(
        "{} clusters {:016x}\n{} hits {:016x}\n",
        clusters.items().len(),
        of_clusters.fold(0, fold),
        hits.items().len(),
        of_hits.fold(0, fold)
    )
}

/// Regenerates the data set, which changes the expected results: only for a new data set.
#[test]
#[ignore = "makes the golden files"]
fn make() {
    let setup = setup();
    write_setup(&golden("setup.json"), &setup).expect("written");
    write_digis(&golden("digis.csv.gz"), &digis()).expect("written");
    make_online::<Exact>("exact", &setup);
    make_online::<Published>("published", &setup);
    std::fs::write(golden("offline.txt"), offline_summary()).expect("written");
}

fn make_online<P: Rules>(name: &str, setup: &Setup) {
    let clusters = reference::clusters::<P>(&digis(), setup);
    let hits = reference::hits::<P>(&clusters, setup);
    write_clusters(&golden(&format!("{name}.clusters.bin.gz")), &clusters);
    write_hits(&golden(&format!("{name}.hits.bin.gz")), &hits);
}

fn setup() -> Setup {
    let regular = Setup::regular(3).expect("sensible");
    let mut modules = regular.modules().to_vec();
    modules[1].stereo_back = -7.5;
    modules[1].rotation = [-1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0];
    (modules[2].stereo_front, modules[2].stereo_back) = (-5.0, 10.0);
    modules[2].rotation = [0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0];
    modules[2].lorentz_front = 0.02;
    let asic = regular.asic().clone();
    let cuts = regular.cuts().clone();
    Setup::new(asic, cuts, regular.landau().clone(), modules).expect("sensible")
}

/// Digis of tracks early and late in a timeslice of 200 ms.
fn digis() -> SegmentedDigis {
    const MODULES: usize = 3;
    let mut sides = vec![Vec::new(); 2 * MODULES];
    for track in 0..1500_u64 {
        let module = (track % MODULES as u64) as usize;
        let start = if track < 900 { 1000 } else { 199_000_000 };
        // A third of them are concentrated in a few channels and microseconds, but not in the
        // second module.
        let (channels, spread) = match track % 9 {
            0 | 3 | 5 => (12, 3000),
            _ => (1018, 200_000),
        };
        let time = start + (hash(1, [track, 0]) % spread) as u32;
        for (side, draw) in [(module, 1), (MODULES + module, 2)] {
            let random = hash(1, [track, draw]);
            let channel = random % channels;
            let strips = 1 + (random >> 20) % 5;
            for strip in 0..strips {
                let random = hash(1, [track, draw, 3 + strip]);
                let time = time + (random % 15) as u32;
                let channel = (channel + strip) as u16;
                let adc = (random >> 20) as u8 % 32;
                sides[side].push(Digi::new(Address::of_module(module), channel, time, adc));
            }
        }
    }
    for digis in &mut sides {
        digis.sort_by_key(|digi| digi.time_ns());
    }
    SegmentedDigis::from_segments(&sides)
}
