//! `bench sts` from raw data: generated and from files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{Folder, folder, measuring, stages, variants};
use crate::experiments::{fixtures, full_set};

const SMALL: &str = "--preset mcbm-2024 --scale 0.0005";
const QUICK: &str = "--samples 3..4 --max-time 1s --no-charts --device cpu";

#[test]
fn stages_from_raw_data_to_hits_are_measured() {
    let Some(folder) = measuring() else { return };
    let line = format!("sts --from raw {SMALL} --damage 0.001 --threads 1,2 {QUICK}");
    let rows = folder.measure(line);
    let all = ["offline", "online", "per-side", "time-sweep"];
    assert!(variants(&rows).is_superset(&BTreeSet::from(all)));
    let of_all = |name| stages(&rows, name);
    let offline = ["unpack", "presort", "sort", "cluster", "hits", "collect", "total"];
    assert!(of_all("offline").is_superset(&BTreeSet::from(offline)), "{:?}", of_all("offline"));
    // Ours unpacks within presort.
    let ours = of_all("time-sweep");
    assert!(ours.contains("presort") && !ours.contains("unpack"), "{ours:?}");
}

/// A folder with raw data in `d.ts.bin.gz`, their tables, and the detector in `of.setup.json`.
fn with_raw_data() -> Folder {
    let folder = folder();
    folder.bench(format!("generate sts-raw {SMALL} --out d.ts.bin.gz")).exits(0);
    folder.bench(format!("generate sts-physics {SMALL} --out of.csv")).exits(0);
    folder
}

fn found(folder: &Folder, flags: &str) -> (String, String) {
    let line = "sts --input d.ts.bin.gz --clusters c.csv --hits h.csv";
    folder.bench(format!("{line} {flags}")).exits(0);
    (folder.read("c.csv"), folder.read("h.csv"))
}

#[test]
fn all_variants_of_one_answer_find_the_same_in_raw_data() {
    let folder = with_raw_data();
    let ways = ["", "--variant time-sweep --threads 2", "--variant per-side --from raw"];
    let by_ways = ways.map(|flags| found(&folder, flags));
    assert!(by_ways[0].0.lines().count() > 100);
    assert!(by_ways.iter().all(|found| *found == by_ways[0]));
}

#[test]
fn hits_are_those_of_the_detector_next_to_the_data() {
    let folder = with_raw_data();
    let (clusters, of_regular) = found(&folder, "");
    fs::copy(folder.join("of.setup.json"), folder.join("d.detector.json")).expect("writable");
    let (same_clusters, of_detector) = found(&folder, "");
    assert!(of_detector.lines().count() > 10, "{of_detector}");
    assert_ne!(of_detector, of_regular);
    assert_eq!(same_clusters.lines().count(), clusters.lines().count());
}

#[test]
fn raw_data_that_fit_to_no_chain_are_refused() {
    let folder = with_raw_data();
    folder.bench(format!("generate sts-raw {SMALL} --out e.ts.bin.gz")).exits(0);
    // A detector of fewer modules than the boards read.
    let mut small: serde_json::Value =
        serde_json::from_str(&folder.read("of.setup.json")).expect("JSON");
    small["modules"].as_array_mut().expect("modules").truncate(1);
    folder.write("e.detector.json", small.to_string());
    folder.write("cut.ts.bin", b"STSTSLC1\x01\0\0\0");
    folder.check(
        "
            2 | sts --input d.ts.bin.gz --from digis | leave out --from digis
            2 | sts --input of.csv --from raw | leave out --from raw
            1 | sts --input d.ts.bin.gz --setup none.json | none.json
            2 | sts --input e.ts.bin.gz --setup d.setup.json | modules, but boards read
            1 | sts --input cut.ts.bin --setup d.setup.json | cut.ts.bin
            2 | sts --from raw --order time | --epoch-order
            2 | sts --damage 0.1 | add --from raw
            2 | sts --from messages | digis, raw
        ",
    );
}

#[test]
fn raw_data_of_the_experiment_go_through_the_chain() {
    go_through_the_chain(&fixtures("sts-unpack"), &["tiny", "long"]);
}

#[test]
fn raw_data_of_the_experiment_go_through_the_chain_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    go_through_the_chain(&folder, &["mcbm", "dense", "fuzz"]);
}

fn go_through_the_chain(origin: &Path, names: &[&str]) {
    let folder = folder();
    for name in names {
        let input = origin.join(format!("{name}.ts.bin.gz"));
        let line = format!("sts --input {} --clusters c.csv --hits h.csv", input.display());
        let by_ways = ["per-side", "time-sweep --threads 2"].map(|variant| {
            folder.bench(format!("{line} --variant {variant}")).exits(0);
            (folder.read("c.csv"), folder.read("h.csv"))
        });
        assert!(by_ways[0].0.lines().count() > 10, "{name}");
        assert!(by_ways[0] == by_ways[1], "{name}");
    }
}
