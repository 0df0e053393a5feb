//! Comparison with digis that the experiment's code has unpacked.

use std::path::Path;

use algorithms_sts::sts_unpack::{RawTimeslices, StsUnpack, unpack};
use generators_sts::io::{read_raw_timeslices, read_readout, read_unpacked};
use generators_sts::raw::Unpacked;
use tasks::algorithm::Algorithm;
use tasks::device::{Backend, Target, Team};

use crate::experiments::{fixtures, full_set};

/// Name of a set of raw data, and the years of the code that unpacked it, from the same or other
/// raw data.
type Set = (&'static str, &'static [u32]);

const SETS: [Set; 2] = [("tiny", &[2026, 2023]), ("long", &[2026])];
const SETS_IN_FULL: [Set; 5] = [
    ("tiny", &[2026, 2023]),
    ("mcbm", &[2026, 2023]),
    ("dense", &[2026]),
    ("fuzz", &[2026]),
    ("long", &[2026]),
];

/// Asserts that both are equal, and reports the first difference.
fn same(name: &str, found: &Unpacked, right: &Unpacked) {
    assert_eq!(found.timeslices, right.timeslices, "{name}");
    let pairs = found.microslices.iter().zip(&right.microslices);
    for (index, (found, right)) in pairs.enumerate() {
        assert_eq!(found, right, "{name}: microslice {index}");
    }
    let first = found.digis.iter().zip(&right.digis).position(|(found, right)| found != right);
    assert_eq!(first, None, "{name}: the first digi that differs");
    assert!(found == right, "{name}");
}

/// Calls `test` with the raw data of each set and the digis of the experiment.
fn with_all(folder: &Path, sets: &[Set], test: impl Fn(&str, RawTimeslices, &Unpacked)) {
    for (name, years) in sets {
        let readout = read_readout(&folder.join(format!("{name}.setup.json"))).expect("tables");
        for year in *years {
            let digis = folder.join(format!("{name}.digis{year}.bin.gz"));
            let (right, rules) = read_unpacked(&digis).expect("digis");
            let own = folder.join(format!("{name}.ts{year}.bin.gz"));
            let of_all = folder.join(format!("{name}.ts.bin.gz"));
            let raw = read_raw_timeslices(if own.exists() { &own } else { &of_all });
            let input = RawTimeslices::new(raw.expect("raw data"), readout.clone(), rules);
            test(&format!("{name}, {year}"), input, &right);
        }
    }
}

fn the_reference_makes_the_digis(folder: &Path, sets: &[Set]) {
    with_all(folder, sets, |name, input, right| {
        let found = unpack(input.data(), input.readout(), input.rules());
        same(name, &found, right);
    });
}

#[test]
fn the_reference_makes_the_digis_of_the_experiment() {
    the_reference_makes_the_digis(&fixtures("sts-unpack"), &SETS);
}

#[test]
fn the_reference_makes_the_digis_of_the_experiment_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    the_reference_makes_the_digis(&folder, &SETS_IN_FULL);
}

fn variants_make_the_digis(folder: &Path, sets: &[Set]) {
    let team = Team::new(2).expect("threads");
    with_all(folder, sets, |name, input, right| {
        let variants = StsUnpack.variants().into_iter();
        for variant in variants.filter(|variant| variant.backend == Backend::Cpu) {
            let found = variant.output(&StsUnpack, &input, &Target::host(&team));
            same(&format!("{name}, {}", variant.name), &found.expect("no damage"), right);
        }
    });
}

#[test]
fn variants_make_the_digis_of_the_experiment() {
    variants_make_the_digis(&fixtures("sts-unpack"), &SETS);
}

#[test]
fn variants_make_the_digis_of_the_experiment_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    variants_make_the_digis(&folder, &SETS_IN_FULL);
}
