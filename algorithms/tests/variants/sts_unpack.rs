//! Digis that the experiment's own code has unpacked.

use std::path::PathBuf;

use algorithms::sts_unpack::unpack;
use generators::io::{read_raw_timeslices, read_readout, read_unpacked};
use generators::sts::raw::Unpacked;

use crate::tpc_pages::root;

/// Sets of raw data, and whether there are others for the code of 2023.
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

#[test]
fn the_reference_makes_the_digis_of_the_experiment() {
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
            let found = unpack(&raw.expect("raw data"), &readout, rules);
            same(&format!("{name}, {year}"), &found, &right);
        }
    }
}
