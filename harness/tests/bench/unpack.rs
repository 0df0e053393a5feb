//! `bench unpack` and `bench generate sts-raw`: raw data of the STS, generated and from files.

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
