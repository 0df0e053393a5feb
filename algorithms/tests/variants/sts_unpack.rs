//! Digis that the experiment's own code has unpacked.

use std::path::PathBuf;

use algorithms::algorithm::Algorithm;
use algorithms::device::{Backend, Target, Team};
use algorithms::sts_unpack::{RawTimeslices, StsUnpack, unpack};
use generators::io::{read_raw_timeslices, read_readout, read_unpacked};
use generators::sts::raw::Unpacked;

use crate::tpc_pages::root;

/// Sets of raw data; for the code of 2023 there are digis of some, of other raw data or the same.
const SETS: [&str; 5] = ["tiny", "mcbm", "dense", "fuzz", "long"];

fn folder() -> Option<PathBuf> {
    let folder = root().join("../shared/sts/unpack");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no {}", folder.display());
    None
}

/// Sees that both are the same, and tells where they are not.
fn same(name: &str, found: &Unpacked, right: &Unpacked) {
    assert_eq!(found.timeslices, right.timeslices, "{name}");
    let places = found.microslices.iter().zip(&right.microslices);
    for (number, (found, right)) in places.enumerate() {
        assert_eq!(found, right, "{name}: microslice {number}");
    }
    let first = found.digis.iter().zip(&right.digis).position(|(found, right)| found != right);
    assert_eq!(first, None, "{name}: the first digi that differs");
    assert!(found == right, "{name}");
}

/// Does something with the raw data of each set, and the digis that are right.
fn with_all(test: impl Fn(&str, RawTimeslices, &Unpacked)) {
    let Some(folder) = folder() else { return };
    for name in SETS {
        let readout = read_readout(&folder.join(format!("{name}.setup.json"))).expect("tables");
        for year in [2026, 2023] {
            let digis = folder.join(format!("{name}.digis{year}.bin.gz"));
            if !digis.exists() {
                continue;
            }
            let (right, rules) = read_unpacked(&digis).expect("digis");
            let own = folder.join(format!("{name}.ts{year}.bin.gz"));
            let of_all = folder.join(format!("{name}.ts.bin.gz"));
            let raw = read_raw_timeslices(if own.exists() { &own } else { &of_all });
            let input = RawTimeslices::new(raw.expect("raw data"), readout.clone(), rules);
            test(&format!("{name}, {year}"), input, &right);
        }
    }
}

#[test]
fn the_reference_makes_the_digis_of_the_experiment() {
    with_all(|name, input, right| {
        let found = unpack(input.data(), input.readout(), input.rules());
        same(name, &found, right);
    });
}

#[test]
fn variants_make_the_digis_of_the_experiment() {
    let team = Team::new(2).expect("threads");
    with_all(|name, input, right| {
        let variants = StsUnpack.variants().into_iter();
        for variant in variants.filter(|variant| variant.backend == Backend::Cpu) {
            let found = variant.output(&StsUnpack, &input, &Target::host(&team));
            same(&format!("{name}, {}", variant.name), &found.expect("no damage"), right);
        }
    });
}
