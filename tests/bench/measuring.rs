//! `bench sort` from the command line to the run folder.

use std::collections::BTreeSet;
use std::fs;
use std::process::Child;

use reports::record::{SampleRow, YesNo};
use serde_json::Value;

use crate::common::{Folder, Run, folder, measuring, signal, variants, wait_until};

const QUICK: &str = "--samples 6..8 --max-time 2s";
/// Two sorts of a little.
const LITTLE: &str = "--segments 24 --digis 5k --variant std-*";

fn sort(folder: &Folder, flags: &str) -> Run {
    folder.bench(format!("sort {flags} --out r {QUICK}"))
}

#[test]
fn every_variant_and_point_has_a_valid_row() {
    let Some(folder) = measuring() else { return };
    let axes = "--segments 24,100 --digis 20k --threads 1,2 --no-charts";
    sort(&folder, axes).exits(0);
    let rows = folder.rows("r");
    let variants = variants(&rows);
    let expected = "block-merge segmented-radix std-stable std-unstable";
    let has_all = expected.split(' ').all(|name| variants.contains(name));
    assert!(has_all, "{variants:?}");
    assert_eq!(rows.len(), variants.len() * 2 * 2);
    let samples = folder.samples("r");
    for row in &rows {
        if row.note.starts_with("not run: ") {
            assert_eq!((row.variant.as_str(), row.valid), ("concat", YesNo::No));
            continue;
        }
        assert_eq!(row.valid, YesNo::Yes, "{row:?}");
        assert_eq!((row.items, row.bytes_min), (20_000, 320_000));
        let low = row.ci95_low_s;
        let median = row.median_s;
        let high = row.ci95_high_s;
        let is_inside = low <= median && median <= high;
        assert!(is_inside && low > Some(0.0), "{row:?}");
        let has_peak = row.peak_fraction > Some(0.0);
        assert!(has_peak && row.memory_ratio >= Some(1.0), "{row:?}");
        assert!(row.fingerprint.starts_with("code:"));
        let id = row.point().id();
        let mine = samples.iter().filter(|sample| sample.point_id == id);
        assert_eq!(mine.count(), row.samples, "{row:?}");
    }
    let record = folder.record("r");
    assert!(record.finished.is_some());
    assert!(record.ceilings.contains_key("cpu/1") && record.ceilings.contains_key("cpu/2"));
}

/// A run shows its first times as soon as there are some.
#[test]
fn samples_do_not_wait_for_bandwidths() {
    let Some(folder) = measuring() else { return };
    let run = sort(&folder, &format!("{LITTLE} --threads 1 --no-charts"));
    let line = |words: &str| {
        let at = run.stderr.lines().position(|line| line.contains(words));
        at.unwrap_or_else(|| panic!("{words}: {}", run.story()))
    };
    let [input, bandwidth] = ["[1/1]", "measuring the bandwidth of 1 thread"].map(line);
    let result = line("std-stable, 1 thread: ");
    assert!(input < bandwidth && bandwidth < result, "{}", run.story());
    // There are samples before they are measured, and after.
    let starts: Vec<f64> = folder.samples("r").iter().filter_map(|it| it.start_s).collect();
    let ceilings_s = folder.record("r").effort.map_or(0.0, |effort| effort.ceilings_s);
    let gaps = starts.windows(2).map(|pair| pair[1] - pair[0]);
    let longest = gaps.fold(0.0, f64::max);
    assert!(ceilings_s > 0.0 && longest >= ceilings_s, "{starts:?} {ceilings_s}");
    // Rows are compared with them all the same.
    assert!(folder.rows("r").iter().all(|row| row.peak_fraction > Some(0.0)));
}

#[test]
fn charts_are_drawn_unless_refused() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24,48 --digis 5k --variant std-* --samples 6..8 --out";
    folder.bench(format!("{line} with")).exits(0);
    folder.has("with/bars.svg with/bars.png");
    folder.has("with/time-over-segments.svg with/time-over-segments.png");
    folder.bench(format!("{line} without --no-charts")).exits(0);
    assert!(!folder.join("without/bars.svg").exists());
}

#[test]
fn results_go_to_a_folder_of_their_own_by_default() {
    let Some(folder) = measuring() else { return };
    for _ in 0..2 {
        let run = folder.bench(format!("sort {LITTLE} {QUICK} --no-charts"));
        run.exits(0);
    }
    let runs = fs::read_dir(folder.join("results")).expect("made");
    let names: Vec<_> = runs.map(|run| run.expect("listed").file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let mut names = names.iter().map(|name| name.to_string_lossy());
    assert!(names.all(|name| name.contains("-sort")));
}

#[test]
fn formats_are_for_other_tools() {
    let Some(folder) = measuring() else { return };
    let files = "--format csv=r.csv --format markdown=r.md --format table=r.txt";
    let run = sort(&folder, &format!("{LITTLE} --no-charts --format json {files}"));
    let json: Value = run.json();
    assert_eq!(json["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["rows"][0]["axis_segments"], 24);
    assert!(json["machine"]["cpu_model"].is_string() && json["notes"].is_array());
    let csv = folder.read("r.csv");
    assert!(csv.starts_with("algorithm,variant,stage,backend,"));
    assert_eq!(csv, folder.read("r/summary.csv"));
    assert!(folder.read("r.md").contains("| --"));
    assert!(folder.read("r.txt").contains("ratio"));
}

#[test]
fn quiet_prints_only_results_and_findings() {
    let Some(folder) = measuring() else { return };
    let run = sort(&folder, &format!("{LITTLE} --quiet"));
    // The load of the machine may be one.
    let findings = run.stderr.lines().all(|line| line.starts_with("note: "));
    assert!(findings, "{}", run.story());
    for note in &folder.record("r").notes {
        run.says(note);
    }
    run.prints("std-stable");
}

#[test]
fn variants_and_cache_modes_are_chosen() {
    let Some(folder) = measuring() else { return };
    let rows = folder.measure(format!("sort {LITTLE} --cache hot,cold --no-charts {QUICK}"));
    let found = rows.iter().map(|row| format!("{} {}", row.variant, row.cache));
    let found = Vec::from_iter(found.collect::<BTreeSet<_>>()).join(", ");
    let expected = "std-stable cold, std-stable hot, std-unstable cold, std-unstable hot";
    assert_eq!(found, expected);
}

#[test]
fn a_profile_run_has_one_variant_and_few_samples() {
    let Some(folder) = measuring() else { return };
    let line = "sort --segments 24 --digis 5k --profile";
    let rows = folder.measure(format!("{line} --variant std-stable"));
    assert_eq!((rows.len(), rows[0].samples), (1, 3));
    folder.bench(format!("{line} --out r2")).exits(2);
}

#[test]
fn physical_rates_say_how_many_digis_there_are() {
    let Some(folder) = measuring() else { return };
    let rates = "--segments 24 --rate 10MHz --timeslice 100us --noise 1kHz --skew 10";
    let few = "--variant std-* --no-charts";
    let rows = folder.measure(format!("sort {rates} {few} {QUICK}"));
    assert_eq!(rows[0].items, 60_047);
    let params = rows[0].params.to_string();
    let expected = "noise=1000;order=random;rate=10000000;segments=24";
    assert!(params.contains(expected), "{params}");
}

#[test]
fn development_builds_refuse() {
    if !cfg!(debug_assertions) {
        eprintln!("skipped: this is no development build");
        return;
    }
    let run = folder().bench("sort --segments 24 --digis 5k");
    run.exits(5).says("development build");
}

#[test]
fn small_pages_are_in_the_record() {
    let Some(folder) = measuring() else { return };
    let few = "--segments 24 --digis 20k --variant std-stable --threads 1 --no-charts";
    sort(&folder, &format!("{few} --pages small")).exits(0);
    let environment = folder.record("r").environment;
    assert_eq!(environment.transparent_huge_pages.as_deref(), Some("never"));
}

#[test]
fn counters_are_counted_or_the_reason_is_printed() {
    let Some(folder) = measuring() else { return };
    let flags = "--segments 24 --digis 20k --variant std-stable --threads 1 --counters \
                 --no-charts";
    let run = sort(&folder, flags).exits(0);
    let row = &folder.rows("r")[0];
    let samples = folder.samples("r");
    let notes = folder.record("r").notes;
    let refused = "measured without hardware counters: ";
    let notes = notes.iter().filter(|note| note.starts_with(refused));
    if notes.count() == 1 {
        run.says(refused);
        assert_eq!(row.metrics.get("instructions_per_item"), None);
        assert!(samples.iter().all(|s| s.counters == Default::default()));
        return;
    }
    let metric = |name| row.metrics.number(name).unwrap_or(0.0);
    // A comparison sort looks at each digi more than once.
    assert!(metric("instructions_per_item") > 2.0, "{row:?}");
    assert!(metric("cycles_per_item") > 0.5, "{row:?}");
    let cycles = |sample: &SampleRow| sample.counters.number("cycles");
    assert!(samples.iter().all(|sample| cycles(sample) > Some(0.0)));
}

/// A run that would take minutes, once it has written some samples.
fn long_run(folder: &Folder) -> Child {
    let line = "sort --segments 24 --digis 20k,30k --samples 100000 --max-time 10m --out r \
                --variant std-*,block-merge,segmented-radix";
    let child = folder.start(line);
    let samples = folder.join("r/samples.csv");
    let written = || fs::read_to_string(&samples).map_or(0, |text| text.lines().count());
    wait_until(|| written() >= 20);
    child
}

#[test]
fn ctrl_c_ends_the_run_and_prints_the_folder_of_the_results() {
    let Some(folder) = measuring() else { return };
    let child = long_run(&folder);
    signal(&child, "INT");
    let run = Run::end_of(child).exits(130);
    run.says("what was measured is kept in r");
    let rows = folder.rows("r");
    assert_eq!(rows.len(), 4, "a row for each variant of the first point");
    assert!(rows.iter().all(|row| row.stopped_by == "interrupt"));
    let samples: usize = rows.iter().map(|row| row.samples).sum();
    assert_eq!(folder.samples("r").len(), samples);
    assert_eq!(folder.record("r").finished, None);
    assert!(folder.join("r/bars.svg").exists());
}

#[test]
fn a_killed_run_leaves_readable_files() {
    let Some(folder) = measuring() else { return };
    let mut child = long_run(&folder);
    signal(&child, "KILL");
    child.wait().expect("ends");
    assert!(folder.samples("r").len() >= 19);
    assert_eq!(folder.rows("r").len(), 0);
    assert_eq!(folder.record("r").finished, None);
}
