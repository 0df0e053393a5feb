//! `bench noisy-pads`: measured on generated maps, and on those of a file.

use std::collections::BTreeSet;

use crate::common::{measuring, variants};

const QUICK: &str = "--samples 3..4 --max-time 1s";
/// Notes are wanted, and no times.
const ONCE: &str = "--variant simd --device cpu --profile";
const SMALL: &str = "--orbits 1 --sectors 1 --rate 1kHz";

#[test]
fn every_variant_has_a_valid_row_with_metrics() {
    let Some(folder) = measuring() else { return };
    let line = format!("noisy-pads {SMALL} --device cpu --threads 2 --no-charts {QUICK}");
    let rows = folder.measure(line);
    assert_eq!(variants(&rows), BTreeSet::from(["scalar", "simd"]));
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((row.items, row.item_unit.as_str()), (14_560 * 446, "cell"));
        let seconds = 14_560e-9 * row.metrics.number("ns_per_pad").expect("known");
        let median = row.median_s.expect("measured");
        assert!((seconds / median - 1.0).abs() < 1e-3, "{row:?}");
    }
}

#[test]
fn pages_of_a_file_have_the_noisy_pads_that_were_made() {
    let Some(folder) = measuring() else { return };
    let noisy = "--noisy-pads 0.02 --hot-pads 0.01";
    let line = format!("generate tpc {SMALL} {noisy} --out f.pages");
    folder.bench(line).exits(0);
    let found = |flags: &str| -> u32 {
        let line = format!("noisy-pads --input f.pages --sector 0 {ONCE} {flags}");
        let run = folder.bench(line).exits(0);
        let text = run.stdout + &run.stderr;
        let (before, _) = text.split_once(" of 14560 pads are noisy").expect("a note");
        let number = before.rsplit(char::is_whitespace).next().expect("a number");
        number.parse().expect("a number")
    };
    assert!((240..345).contains(&found("")), "2 %");
    assert_eq!(found("--max-occupancy 1 --max-run 446"), 0);
}
