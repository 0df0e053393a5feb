//! `bench decode`: measured, and as a reader of files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{Run, bench_in, can_measure, folder};
use reports::record::YesNo;
use reports::store::read_summary;

const QUICK: &str = "--samples 3..4 --max-time 200ms";
const SMALL: &str = "--orbits 1 --sectors 2 --occupancy 0.01";
const PAGE: usize = 8192;

/// A file of two sectors in a folder.
fn write_pages(folder: &Path) {
    let line = format!("generate tpc {SMALL} --zs dense-link --out f.pages");
    let run = bench_in(folder, &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
}

/// Changes a byte of a page of sector 1: the version in its header at the end.
fn damage(folder: &Path) {
    let path = folder.join("f.pages");
    let mut bytes = fs::read(&path).expect("pages");
    let last = bytes.len() - 3 * PAGE;
    let page = &mut bytes[last..last + PAGE];
    let used = usize::from(u16::from_le_bytes([page[10], page[11]]));
    page[used - 16] = 9;
    fs::write(&path, bytes).expect("written");
}

fn decode(folder: &Path, flags: &str) -> Run {
    bench_in(folder, &format!("decode --input f.pages {flags}"))
}

#[test]
fn every_variant_and_format_has_a_valid_row_with_metrics() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!("decode --zs row12,link,dense-link {SMALL} --threads 1,2 --out r {QUICK}");
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    let variants: BTreeSet<_> = rows.iter().map(|row| row.variant.as_str()).collect();
    assert_eq!(variants, BTreeSet::from(["reference", "scalar", "simd"]));
    assert_eq!(rows.len(), 3 * 3 * 2);
    for row in &rows {
        assert_eq!(row.valid, YesNo::Yes, "{row:?}");
        let metric = |name: &str| -> f64 {
            let text = row.metrics.get(name).expect("known");
            text.parse().expect("a number")
        };
        let seconds = row.median_s.expect("measured");
        let ns = metric("ns_per_sample") * row.items as f64;
        assert!((ns * 1e-9 / seconds - 1.0).abs() < 1e-3, "{row:?}");
        let bytes = metric("bytes_per_sample") * row.items as f64;
        let gb_per_s = bytes * 1e-9 / seconds;
        assert!(
            (gb_per_s / metric("page_gb_per_s") - 1.0).abs() < 1e-3,
            "{row:?}"
        );
        assert!(metric("us_per_page") > 0.0);
    }
    for chart in ["time-and-page.svg", "speedup-over-threads.png"] {
        assert!(folder.path().join("r").join(chart).is_file(), "{chart}");
    }
}

#[test]
fn charge_maps_have_clearing_as_a_stage_of_its_own() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!(
        "decode --output charge-map --fragment 100 --parallel pages {SMALL} --out r {QUICK}"
    );
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    let of_simd = rows.iter().filter(|row| row.variant == "simd");
    let stages: BTreeSet<_> = of_simd.map(|row| row.stage.as_str()).collect();
    assert_eq!(stages, BTreeSet::from(["total", "clear", "decode"]));
    assert!(rows.iter().all(|row| row.valid == YesNo::Yes));
}

#[test]
fn digits_are_written_by_row_pad_and_time_bin() {
    let folder = folder();
    write_pages(folder.path());
    let run = decode(folder.path(), "--sector 1 --digits d.csv");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let text = fs::read_to_string(folder.path().join("d.csv")).expect("written");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("row,pad,time_bin,adc"));
    let number = |field: &str| field.parse::<u32>().expect("a number");
    let rows: Vec<Vec<u32>> = lines
        .map(|line| line.split(',').map(number).collect())
        .collect();
    assert!(rows.len() > 10_000, "{}", rows.len());
    assert!(rows.windows(2).all(|pair| pair[0][..3] < pair[1][..3]));
}

#[test]
fn damaged_pages_are_counted_or_refused() {
    let folder = folder();
    write_pages(folder.path());
    decode(folder.path(), "--sector 1 --digits whole.csv");
    damage(folder.path());
    let run = decode(folder.path(), "--sector 1 --digits rest.csv");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stderr.contains("version 9 instead of 4"),
        "{}",
        run.stderr
    );
    // The page before loses what of its last block is in this one.
    let counted = "2 of 30 pages are damaged and left out (version 1, continuation 1)";
    assert!(run.stderr.contains(counted), "{}", run.stderr);
    let lines = |name: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(folder.path().join(name)).expect("written");
        text.lines().map(str::to_owned).collect()
    };
    let (whole, rest) = (lines("whole.csv"), lines("rest.csv"));
    assert!(rest.is_subset(&whole) && rest.len() < whole.len() && rest.len() > whole.len() / 2);
    let strict = decode(folder.path(), "--sector 1 --strict --digits none.csv");
    assert_eq!(strict.code, Some(1), "{}", strict.stderr);
    assert!(
        strict.stderr.contains("f.pages, byte "),
        "{}",
        strict.stderr
    );
    assert!(!folder.path().join("none.csv").exists());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder();
    write_pages(folder.path());
    for (flags, code, word) in [
        ("--digits d.csv", 2, "--sector"),
        ("--sector 36 --digits d.csv", 2, "0 to 35"),
        ("--sector 7 --digits d.csv", 1, "f.index.csv"),
        ("--zs link --digits d.csv", 2, "--zs"),
        ("--index none.csv --sector 0 --digits d.csv", 1, "none.csv"),
        ("--mapping none --sector 0 --digits d.csv", 1, "none"),
        ("--fragment 16", 2, "17 to 32000"),
    ] {
        let run = decode(folder.path(), flags);
        assert_eq!(run.code, Some(code), "{flags}: {}", run.stderr);
        assert!(run.stderr.contains(word), "{flags}: {}", run.stderr);
    }
    let strict = bench_in(folder.path(), "decode --strict");
    assert_eq!(strict.code, Some(2), "{}", strict.stderr);
}
