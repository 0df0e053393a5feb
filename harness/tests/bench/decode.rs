//! `bench decode`: measured, and as a reader of files.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{Folder, Run, folder, measuring, stages, variants};

const QUICK: &str = "--samples 3..4 --max-time 200ms";
const SMALL: &str = "--orbits 1 --sectors 2 --occupancy 0.01";
const PAGE: usize = 8192;

/// A folder with a file of two sectors.
fn with_pages() -> Folder {
    let folder = folder();
    let line = format!("generate tpc {SMALL} --zs dense-link --out f.pages");
    folder.bench(line).exits(0);
    folder
}

/// Changes a byte of a page of sector 1: the version in its header at the end.
fn damage(folder: &Folder) {
    let path = folder.join("f.pages");
    let mut bytes = fs::read(&path).expect("pages");
    let last = bytes.len() - 3 * PAGE;
    let page = &mut bytes[last..last + PAGE];
    let used = usize::from(u16::from_le_bytes([page[10], page[11]]));
    page[used - 16] = 9;
    fs::write(&path, bytes).expect("written");
}

fn decode(folder: &Folder, flags: &str) -> Run {
    folder.bench(format!("decode --input f.pages {flags}"))
}

#[test]
fn every_variant_and_format_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let line = format!("decode --zs row12,link,dense-link {SMALL} --threads 1,2 {QUICK}");
    let rows = folder.measure(line);
    let expected = ["reference", "scalar", "simd"];
    assert_eq!(variants(&rows), BTreeSet::from(expected));
    assert_eq!(rows.len(), 3 * 3 * 2);
    for row in &rows {
        let metric = |name| row.metrics.number(name).expect("known");
        let seconds = row.median_s.expect("measured");
        let ns = metric("ns_per_sample") * row.items as f64;
        assert!((ns * 1e-9 / seconds - 1.0).abs() < 1e-3, "{row:?}");
        let bytes = metric("bytes_per_sample") * row.items as f64;
        let gb_per_s = bytes * 1e-9 / seconds;
        assert!((gb_per_s / metric("page_gb_per_s") - 1.0).abs() < 1e-3);
        assert!(metric("us_per_page") > 0.0);
    }
    folder.has("r/time-and-page.svg r/speedup-over-threads.png");
}

#[test]
fn charge_maps_have_clearing_as_a_stage_of_its_own() {
    let Some(folder) = measuring() else { return };
    let maps = "--output charge-map --fragment 100 --parallel pages --no-charts";
    let rows = folder.measure(format!("decode {maps} {SMALL} {QUICK}"));
    let expected = ["total", "clear", "decode"];
    assert_eq!(stages(&rows, "scalar"), BTreeSet::from(expected));
    // Variants that write complete tiles have no clearing stage.
    assert_eq!(stages(&rows, "simd"), BTreeSet::from(["total"]));
}

#[test]
fn digits_are_written_by_row_pad_and_time_bin() {
    let folder = with_pages();
    decode(&folder, "--sector 1 --digits d.csv").exits(0);
    let text = folder.read("d.csv");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row,pad,time_bin,adc"));
    let number = |field: &str| field.parse::<u32>().expect("a number");
    let rows = lines.map(|line| line.split(',').map(number).collect());
    let rows: Vec<Vec<u32>> = rows.collect();
    assert!(rows.len() > 10_000, "{}", rows.len());
    assert!(rows.windows(2).all(|pair| pair[0][..3] < pair[1][..3]));
}

#[test]
fn damaged_pages_are_counted_or_refused() {
    let folder = with_pages();
    decode(&folder, "--sector 1 --digits whole.csv");
    damage(&folder);
    let run = decode(&folder, "--sector 1 --digits rest.csv").exits(0);
    run.says("version 9 instead of 4");
    // The page before loses what of its last block is in this one.
    run.says("2 of 30 pages are damaged and left out (version 1, continuation 1)");
    let lines = |name: &str| -> BTreeSet<String> {
        let text = folder.read(name);
        text.lines().map(str::to_owned).collect()
    };
    let whole = lines("whole.csv");
    let rest = lines("rest.csv");
    assert!(rest.is_subset(&whole) && rest.len() < whole.len() && rest.len() > whole.len() / 2);
    let strict = decode(&folder, "--sector 1 --strict --digits none.csv");
    strict.exits(1).says("f.pages, byte ");
    assert!(!folder.join("none.csv").exists());
}

#[test]
fn invalid_input_is_refused() {
    let folder = with_pages();
    folder.check(
        "
            2 | decode --input f.pages --digits d.csv | --sector
            2 | decode --input f.pages --sector 36 --digits d.csv | 0 to 35
            1 | decode --input f.pages --sector 7 --digits d.csv | f.index.csv
            2 | decode --input f.pages --zs link --digits d.csv | --zs
            1 | decode --input f.pages --index none.csv --sector 0 --digits d.csv | none.csv
            1 | decode --input f.pages --mapping none --sector 0 --digits d.csv | none
            2 | decode --input f.pages --fragment 16 | 17 to 32000
            2 | decode --strict | --strict
        ",
    );
}
