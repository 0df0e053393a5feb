//! `bench unpack`, `events` and `generate sts-raw`: raw data and digis of the STS, generated and from
//! files.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use flate2::read::GzDecoder;

use crate::common::{Folder, folder, measuring, row, stages, variants};
use crate::experiments::{fixtures, full_set};

const QUICK: &str = "--samples 3..4 --max-time 1s --no-charts --device cpu";
const SMALL: &str = "--preset mcbm-2024 --scale 0.0005";

#[test]
fn every_variant_has_a_valid_row_for_both_rules() {
    let Some(folder) = measuring() else { return };
    let line = format!("unpack {SMALL} --semantics current,2023 --damage 0.01 --threads 2 {QUICK}");
    let rows = folder.measure(line);
    assert_eq!(variants(&rows), BTreeSet::from(["published", "simd"]));
    let totals = rows.iter().filter(|row| row.stage == "total");
    assert_eq!(totals.count(), 2 * 2);
    assert_eq!(stages(&rows, "simd"), BTreeSet::from(["survey", "unpack", "total"]));
    assert_eq!(stages(&rows, "published"), BTreeSet::from(["survey", "unpack", "copy", "total"]));
    let total = row(&rows, "simd");
    assert!(total.items > 10_000 && total.metrics.number("ns_per_message").is_some(), "{total:?}");
}

fn folder_of_raw_data() -> Folder {
    let folder = folder();
    folder.bench(format!("generate sts-raw {SMALL} --out d.ts.bin.gz")).exits(0).says("digis");
    folder.has("d.ts.bin.gz d.setup.json");
    folder
}

#[test]
fn generated_raw_data_come_back_from_a_file_with_their_tables() {
    let folder = folder_of_raw_data();
    let unpack = |flags: &str| {
        folder.bench(format!("unpack --input d.ts.bin.gz --digis digis.bin {flags}")).exits(0);
        fs::read(folder.join("digis.bin")).expect("written")
    };
    let published = unpack("--setup d.setup.json");
    assert!(published.starts_with(b"STSDIGX1") && published.len() > 100_000);
    assert!(unpack("--variant simd --threads 1") == published);
    assert!(unpack("--semantics 2023") != published);
}

#[test]
fn digis_are_sorted_by_time_as_a_stage_if_that_is_asked_for() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("unpack {SMALL} --order arrival,time --threads 2 {QUICK}"));
    for variant in ["published", "simd"] {
        let sorts = rows.iter().filter(|row| row.variant == variant && row.stage == "sort");
        assert_eq!(sorts.count(), 1, "{variant}");
    }
    let folder = folder_of_raw_data();
    let unpack = |flags: &str| {
        folder.bench(format!("unpack --input d.ts.bin.gz --digis digis.bin {flags}")).exits(0);
        fs::read(folder.join("digis.bin")).expect("written")
    };
    let arrived = unpack("--variant simd");
    assert_eq!(unpack("--variant simd --order arrival"), arrived);
    // Equal digis in another order.
    let sorted = unpack("--variant simd --order time");
    assert!(sorted.len() == arrived.len() && sorted != arrived);
    assert_eq!(unpack("--variant simd --order time --threads 1"), sorted);
}

#[test]
fn data_that_can_not_be_unpacked_are_refused_with_the_offset() {
    let folder = folder();
    folder.bench(format!("generate sts-raw {SMALL} --out d.ts.bin")).exits(0);
    let whole = fs::read(folder.join("d.ts.bin")).expect("written");
    folder.write("cut.ts.bin", &whole[..whole.len() - 1]);
    let mut outside = whole.clone();
    // The size of the first content.
    outside[16 + 24 + 16 + 20 + 3] = 0xff;
    folder.write("outside.ts.bin", &outside);
    folder.write("old.json", "{\"walk_tables\":[],\"elinks\":{}}");
    folder.check(
        "
            1 | unpack --input cut.ts.bin --setup d.setup.json --digis o.bin | within its component
            1 | unpack --input outside.ts.bin --setup d.setup.json --digis o.bin | points outside
            1 | unpack --input cut.ts.bin --digis o.bin | cut.setup.json
            2 | unpack --input d.setup.json --digis o.bin | unknown file type; use .bin or .bin.gz
            1 | unpack --input d.ts.bin --setup d.ts.bin --digis o.bin | d.ts.bin
            2 | unpack --input d.ts.bin --setup old.json --semantics 2023 --digis o.bin | elinks2023
            2 | unpack --input d.ts.bin --digis o.csv | can't be written as text
            2 | unpack --input d.ts.bin --digis o.bin --variant simd,published | one variant
            2 | unpack --input d.ts.bin --digis o.bin --semantics current,2023 | of one input
            2 | unpack --microslice 0s | too short
            2 | unpack --overlap 1M | microslices of overlap
            2 | unpack --damage 2 | use 0 to 1
            2 | generate sts-raw --out raw.csv | use .bin
        ",
    );
    assert!(!folder.join("o.bin").exists());
}

fn unzipped(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut file = GzDecoder::new(fs::File::open(path).expect("a fixture"));
    file.read_to_end(&mut bytes).expect("compressed");
    bytes
}

#[test]
fn raw_data_of_the_experiment_have_its_digis() {
    let sets = [("tiny", "ts", 2026), ("tiny", "ts2023", 2023), ("long", "ts", 2026)];
    raw_data_have_digis(&fixtures("sts-unpack"), &sets);
}

#[test]
fn raw_data_of_the_experiment_have_its_digis_in_full() {
    let Some(folder) = full_set("sts/unpack") else { return };
    let sets = [
        ("tiny", "ts", 2026),
        ("tiny", "ts2023", 2023),
        ("mcbm", "ts", 2026),
        ("mcbm", "ts", 2023),
        ("dense", "ts", 2026),
        ("fuzz", "ts", 2026),
        ("long", "ts", 2026),
    ];
    raw_data_have_digis(&folder, &sets);
}

/// Unpacks sets, each with the ending of its raw data and the year of the rules.
fn raw_data_have_digis(origin: &Path, sets: &[(&str, &str, u32)]) {
    let folder = folder();
    for (name, raw, year) in sets {
        let file = |ending: &str| origin.join(format!("{name}.{ending}")).display().to_string();
        let input = file(&format!("{raw}.bin.gz"));
        let setup = file("setup.json");
        let semantics = if *year == 2023 { "2023" } else { "current" };
        let line = format!("unpack --input {input} --setup {setup} --digis d.bin");
        folder.bench(format!("{line} --semantics {semantics}")).exits(0);
        let expected = unzipped(Path::new(&file(&format!("digis{year}.bin.gz"))));
        assert!(fs::read(folder.join("d.bin")).expect("written") == expected, "{name}, {year}");
    }
}

const EVENTS_QUICK: &str = "--samples 3..4 --max-time 1s --no-charts --device cpu --threads 2";
const EVENTS: &str = "--preset mcbm-2024 --scale 0.002";

#[test]
fn every_variant_has_a_valid_row_and_a_higher_threshold_has_fewer_events() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("events {EVENTS} --min-digis 3,10 {EVENTS_QUICK}"));
    assert_eq!(variants(&rows), BTreeSet::from(["at-distance", "chunks", "published"]));
    let events = |threshold: &str| {
        let rows = rows.iter().filter(|row| row.params.get("min-digis") == Some(threshold));
        let events = rows.map(|row| row.metrics.number("events").expect("known"));
        events.collect::<Vec<_>>()
    };
    let [low, high] = ["3", "10"].map(events);
    assert_eq!([low.len(), high.len()], [3, 3]);
    for (low, high) in low.into_iter().zip(high) {
        assert!(low > high && high > 0.0, "{low} and {high} events");
    }
    assert!(rows.iter().all(|row| row.item_unit == "digi" && row.items > 1000));
}

#[test]
fn events_are_built_of_the_digis_of_a_file() {
    let Some(folder) = measuring() else { return };
    folder.bench(format!("generate sts-physics {EVENTS} --out d.csv")).exits(0);
    let rows = folder.measure(format!("events --input d.csv --min-digis 5 {EVENTS_QUICK}"));
    assert_eq!(variants(&rows).len(), 3);
}

#[test]
fn events_are_built_of_the_digis_of_raw_data() {
    let Some(folder) = measuring() else { return };
    folder.bench("generate sts-raw --preset mcbm-2024 --scale 0.0005 --out d.tsa").exits(0);
    let rows = folder.measure(format!("events --input d.tsa --min-digis 5 {EVENTS_QUICK}"));
    assert_eq!(variants(&rows).len(), 3);
    let digis = rows[0].items;
    let unpacked = folder.bench("unpack --input d.tsa --digis d.bin").exits(0);
    unpacked.says(format!("{digis} digis"));
    folder.check(
        "
            2 | events --input d.tsa --input d.tsa --dry-run | 2 timeslices; events are built of one: select it with --take 1
            0 | events --input d.tsa --input d.tsa --skip 1 --dry-run | digis in
            2 | events --input d.tsa --timeslices 5..7 --dry-run | no timeslice to read
            1 | events --input d.tsa --setup none.json | none.json
        ",
    );
}

#[test]
fn what_makes_no_events_is_refused() {
    let folder = folder();
    folder.bench("generate sts --digis 2k --segments 24 --out d.csv").exits(0);
    folder.check(
        "
            2 | events --scale 2 | more than a timeslice
            2 | events --min-digis 5G | --min-digis 5000000000
            2 | events --dead-time 0 --before 2s --after 2s | longer --dead-time
            1 | events --input none.csv | none.csv
            2 | events --input d.csv --take 1 | leave out --take
        ",
    );
}
