//! `bench sort` from the command line to the run folder.

use std::collections::BTreeSet;
use std::fs;

use crate::common::{bench_in, can_measure, folder};
use reports::record::YesNo;
use reports::store::{read_run, read_samples, read_summary};

const QUICK: &str = "--samples 6..8 --max-time 2s";

#[test]
fn every_variant_and_point_has_a_valid_row() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!(
        "sort --segments 24,100 --digis 20k --order random,time --threads 1,2 --out r {QUICK}"
    );
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let path = folder.path().join("r");
    let rows = read_summary(&path).expect("readable");
    let variants: BTreeSet<_> = rows.iter().map(|row| row.variant.clone()).collect();
    let expected = [
        "block-merge",
        "segmented-radix",
        "std-stable",
        "std-unstable",
    ];
    assert!(
        expected.iter().all(|name| variants.contains(*name)),
        "{variants:?}"
    );
    assert_eq!(rows.len(), variants.len() * 2 * 2 * 2);
    let samples = read_samples(&path).expect("readable");
    for row in &rows {
        if row.note.starts_with("not run: ") {
            assert_eq!((row.variant.as_str(), row.valid), ("concat", YesNo::No));
            continue;
        }
        assert_eq!(row.valid, YesNo::Yes, "{row:?}");
        assert_eq!((row.items, row.bytes_min), (20_000, 320_000));
        let (low, median, high) = (row.ci95_low_s, row.median_s, row.ci95_high_s);
        assert!(
            low <= median && median <= high && low > Some(0.0),
            "{row:?}"
        );
        assert!(
            row.peak_fraction > Some(0.0) && row.memory_ratio >= Some(1.0),
            "{row:?}"
        );
        assert!(row.fingerprint.starts_with("code:"));
        let id = row.point().id();
        let mine = samples.iter().filter(|sample| sample.point_id == id);
        assert_eq!(mine.count(), row.samples, "{row:?}");
    }
    let record = read_run(&path).expect("readable");
    assert!(record.finished.is_some());
    assert!(record.ceilings.contains_key("cpu/1") && record.ceilings.contains_key("cpu/2"));
}

#[test]
fn charts_are_drawn_unless_refused() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!("sort --segments 24,48 --digis 5k --out with {QUICK}");
    assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    for name in [
        "bars.svg",
        "bars.png",
        "time-over-segments.svg",
        "time-over-segments.png",
    ] {
        assert!(folder.path().join("with").join(name).exists(), "{name}");
    }
    let line = format!("sort --segments 24 --digis 5k --no-charts --out without {QUICK}");
    assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    assert!(!folder.path().join("without/bars.svg").exists());
}

#[test]
fn results_go_to_a_folder_of_their_own_by_default() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!("sort --segments 24 --digis 5k {QUICK}");
    for _ in 0..2 {
        assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    }
    let runs = fs::read_dir(folder.path().join("results")).expect("made");
    let names: Vec<_> = runs.map(|run| run.expect("listed").file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names
            .iter()
            .all(|name| name.to_string_lossy().contains("-sort"))
    );
}

#[test]
fn formats_are_for_other_tools() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let print = |format: &str| {
        let line = format!(
            "sort --segments 24 --digis 5k --variant std-* --no-charts --format {format} \
             --out {format} {QUICK}"
        );
        bench_in(folder.path(), &line).stdout
    };
    let json: serde_json::Value = serde_json::from_str(&print("json")).expect("JSON");
    assert_eq!(json.as_array().map(Vec::len), Some(2));
    assert!(print("csv").starts_with("algorithm,variant,stage,backend,"));
    assert!(print("markdown").contains("| --"));
    assert!(print("table").contains("ratio"));
}

#[test]
fn quiet_says_nothing_but_the_results() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!("sort --segments 24 --digis 5k --quiet --out r {QUICK}");
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains("std-stable"));
}

#[test]
fn variants_and_cache_modes_are_chosen() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line =
        format!("sort --segments 24 --digis 5k --variant std-* --cache hot,cold --out r {QUICK}");
    assert_eq!(bench_in(folder.path(), &line).code, Some(0));
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    let found: BTreeSet<_> = rows
        .iter()
        .map(|row| (row.variant.as_str(), row.cache.as_str()))
        .collect();
    let expected = [
        ("std-stable", "cold"),
        ("std-stable", "hot"),
        ("std-unstable", "cold"),
        ("std-unstable", "hot"),
    ];
    assert!(found.into_iter().eq(expected));
}

#[test]
fn a_profile_run_has_one_variant_and_few_samples() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = "sort --segments 24 --digis 5k --profile --variant std-stable --out r";
    assert_eq!(bench_in(folder.path(), line).code, Some(0));
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    assert_eq!((rows.len(), rows[0].samples), (1, 3));
    let line = "sort --segments 24 --digis 5k --profile --out r2";
    assert_eq!(bench_in(folder.path(), line).code, Some(2));
}

#[test]
fn physical_rates_say_how_many_digis_there_are() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!(
        "sort --segments 24 --rate 10MHz --timeslice 100us --noise 1kHz --skew 10 --out r {QUICK}"
    );
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let rows = read_summary(&folder.path().join("r")).expect("readable");
    assert_eq!(rows[0].items, 60_047);
    let params = rows[0].params.to_string();
    assert!(
        params.contains("noise=1000;order=random;rate=10000000;segments=24"),
        "{params}"
    );
}

#[test]
fn development_builds_refuse() {
    if !cfg!(debug_assertions) {
        eprintln!("skipped: this is no development build");
        return;
    }
    let folder = folder();
    let run = bench_in(folder.path(), "sort --segments 24 --digis 5k");
    assert_eq!(run.code, Some(5));
    assert!(run.stderr.contains("development build"), "{}", run.stderr);
}

#[test]
fn counters_are_counted_or_it_is_said_why_not() {
    if !can_measure() {
        return;
    }
    let folder = folder();
    let line = format!(
        "sort --segments 24 --digis 20k --variant std-stable --threads 1 --counters --no-charts \
         --out r {QUICK}"
    );
    let run = bench_in(folder.path(), &line);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let path = folder.path().join("r");
    let row = &read_summary(&path).expect("readable")[0];
    let samples = read_samples(&path).expect("readable");
    let record = read_run(&path).expect("readable");
    let refused = "measured without hardware counters: ";
    let notes = record.notes.iter().filter(|note| note.starts_with(refused));
    if notes.count() == 1 {
        assert!(run.stderr.contains(refused), "{}", run.stderr);
        assert_eq!(row.metrics.get("instructions_per_item"), None);
        assert!(samples.iter().all(|s| s.counters == Default::default()));
        return;
    }
    let metric = |name| row.metrics.number(name).unwrap_or(0.0);
    // A comparison sort looks at each digi more than once.
    assert!(metric("instructions_per_item") > 2.0, "{row:?}");
    assert!(metric("cycles_per_item") > 0.5, "{row:?}");
    assert!(
        samples
            .iter()
            .all(|s| s.counters.number("cycles") > Some(0.0))
    );
}
