//! `bench sts`: measured, and as a reader of files.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use reports::record::SummaryRow;
use serde_json::{Value, json};

use crate::common::{Folder, Run, cells, folder, measuring, stages, variants};
use crate::experiments::{fixtures, full_set};

const SMALL: &str = "--preset mcbm-2024 --scale 0.0005";
const HEADER: &str = "module,side,channel,time_ns,adc\n";

/// A folder with a timeslice and its setup, in `d.csv` and `d.setup.json`.
fn with_digis() -> Folder {
    let folder = folder();
    let line = format!("generate sts-physics {SMALL} --out d.csv");
    folder.bench(line).exits(0);
    folder
}

fn reconstruct(folder: &Folder, flags: &str) -> Run {
    let line = "sts --input d.csv --clusters c.csv --hits h.csv";
    folder.bench(format!("{line} {flags}"))
}

fn numbers(text: &str) -> Vec<Vec<f64>> {
    let number = |field: &str| match field {
        "front" => 0.0,
        "back" => 1.0,
        _ => field.parse().expect("a number"),
    };
    let row = |line: &str| line.split(',').map(number).collect();
    text.lines().skip(1).map(row).collect()
}

/// The tasks with the number of their points.
const TASKS: [(&str, usize); 6] = [
    ("presort", 5),
    ("cluster", 4),
    ("cluster-sort", 3),
    ("hits", 5),
    ("collect", 5),
    ("sts", 2 * 2 * 5),
];

/// All tasks on a small input, the chain in more ways.
fn suite() -> String {
    let head = "name = \"chain\"\n[defaults]\nsamples = 3\nmax-time = \"50ms\"\n";
    let tasks = TASKS.iter().map(|(task, _)| {
        let (threads, compat) = match *task {
            "sts" => ("[1, 2]", "[\"no\", \"yes\"]"),
            _ => ("2", "\"no\""),
        };
        format!(
            "[[task]]\nname = \"{task}\"\nthreads = {threads}\n[task.axes]\n\
             preset = \"mcbm-2024\"\nscale = 0.0005\ncompat = {compat}\n"
        )
    });
    std::iter::once(head.to_owned()).chain(tasks).collect()
}

#[test]
fn chain_and_stages_are_right_and_compared_by_time_and_quality() {
    let Some(folder) = measuring() else { return };
    folder.write("chain.toml", suite());
    let line = "run chain.toml --no-ceilings --quiet --stages --format markdown=r.md";
    let rows = folder.measure(line);
    for (task, points) in TASKS {
        let totals = rows.iter().filter(|row| row.algorithm == task);
        let totals = totals.filter(|row| row.stage == "total");
        assert_eq!(totals.count(), points, "{task}");
    }
    let of_chain = |row: &&SummaryRow| row.algorithm == "sts";
    let of_ours = rows.iter().filter(of_chain);
    let of_ours = of_ours.filter(|row| row.variant == "time-sweep");
    assert_eq!(of_ours.count(), 4 * (1 + 6), "presort to collect");
    check_quality(rows.iter().filter(of_chain));
    let header = "| stage | offline (1) | offline (2) | online (1) | online (2) |";
    let tables = folder.read("r.md");
    assert_eq!(tables.matches(header).count(), 2, "{tables}");
    assert!(tables.contains("| variant | efficiency | ghosts |"));
    folder.has("r/sts-stages.png r/sts-quality.png r/sts-speedup-over-threads.png");
}

fn check_quality<'a>(rows: impl Iterator<Item = &'a SummaryRow>) {
    let totals: Vec<_> = rows.filter(|row| row.stage == "total").collect();
    for row in &totals {
        let figure = |name| row.metrics.number(name).expect("a figure");
        let efficiency = figure("efficiency");
        let ghosts = figure("ghosts");
        let variant = &row.variant;
        assert!((0.7..=1.0).contains(&efficiency), "{variant}: {efficiency}");
        assert!((0.0..0.7).contains(&ghosts), "{variant}: {ghosts}");
        assert!((0.3..3.0).contains(&figure("x_pull")), "{variant}");
        assert!(figure("ns_per_digi") > 0.0, "{variant}");
    }
    let offline = totals.iter().filter(|row| row.variant == "offline");
    let named = offline.filter(|row| row.note.contains("reference \"offline\""));
    assert_eq!(named.count(), 4);
}

#[test]
fn output_is_written_in_order() {
    let folder = with_digis();
    let run = reconstruct(&folder, "").exits(0);
    let text = folder.read("c.csv");
    let header = "module,side,charge,size,position,position_error,time_ns,time_error";
    assert_eq!(text.lines().next(), Some(header));
    let clusters = numbers(&text);
    let hits = numbers(&folder.read("h.csv"));
    assert!(clusters.len() > 100 && hits.len() > 10, "{}", run.stderr);
    let key = |row: &Vec<f64>| [row[0], row[1], row[6], row[4], row[2]];
    assert!(clusters.is_sorted_by(|a, b| key(a) <= key(b)));
    let key = |row: &Vec<f64>| [row[0], row[4], row[1], row[2]];
    assert!(hits.is_sorted_by(|a, b| key(a) <= key(b)));
    assert!(hits.iter().all(|row| row.len() == 12));
    let charge = text.lines().nth(1).and_then(|row| row.split(',').nth(2));
    let charge = charge.expect("a charge");
    let digits = charge.chars().filter(char::is_ascii_digit);
    assert_eq!(digits.count(), 9, "{charge}");
}

#[test]
fn all_variants_of_one_answer_write_the_same() {
    let folder = with_digis();
    let mut found = BTreeSet::new();
    for flags in ["", "--variant time-sweep --threads 2", "--variant per-side"] {
        reconstruct(&folder, flags).exits(0);
        found.insert((folder.read("c.csv"), folder.read("h.csv")));
    }
    assert_eq!(found.len(), 1);
    for flags in ["--compat", "--variant offline --setup d.setup.json"] {
        reconstruct(&folder, flags).exits(0);
    }
}

#[test]
fn damaged_digis_are_refused_with_file_line_and_field() {
    let folder = with_digis();
    let refusal = |content: &str| {
        folder.write("bad.csv", content);
        let run = folder.bench("sts --input bad.csv --setup d.setup.json");
        run.exits(1)
    };
    for case in [
        "12,front,5,100,9 | module 12 is above 11",
        "0,front,1024,100,9 | channel 1024 is above 1023",
        "0,front,5,2147483653,9 | more than 2147483647 ns after 5, the earliest time",
        "0,front,5,100,32 | adc 32 is above 31",
        "0,top,5,100,3 | side \"top\"",
        "0,front,5,100 | 4 fields instead of 5",
    ] {
        let [line, problem] = cells(case);
        let run = refusal(&format!("{HEADER}0,front,3,5,1\n{line}\n"));
        run.says("bad.csv, line 3").says(problem);
    }
    refusal("").says("bad.csv");
}

fn assert_refused(folder: &Folder, setup: &str, problem: &str) {
    folder.write("bad.json", setup);
    let run = folder.bench("sts --input d.csv --setup bad.json");
    run.exits(1).says("bad.json, line ").says(problem);
}

#[test]
fn damaged_setups_are_refused_with_file_line_and_field() {
    let folder = with_digis();
    let whole = folder.read("d.setup.json");
    for case in [
        r#""nAdc" | "n" | missing field `nAdc`"#,
        r#""timeCutDigiSig" | "t" | missing field `timeCutDigiSig`"#,
        r#""nAdc": 32 | "nAdc": 33 | asic: nAdc is 33"#,
        r#""pitch": 0.0058 | "pitch": -1 | modules[0]: pitch is -1"#,
    ] {
        let [from, to, problem] = cells(case);
        let text = whole.replacen(from, to, 1);
        assert_ne!(text, whole, "{from}");
        assert_refused(&folder, &text, problem);
    }
    for (key, value, problem) in [
        ("/landau/values", json!([1.0]), "values has 1 entries"),
        ("/modules/2/rotation/0", json!(2.0), "is not a rotation"),
        ("/modules/2/rotation", json!([1.0]), "invalid length 1"),
        ("/modules", json!([]), "modules has 0 modules"),
    ] {
        let mut setup: Value = serde_json::from_str(&whole).expect("JSON");
        *setup.pointer_mut(key).expect("a key") = value;
        let text = serde_json::to_string_pretty(&setup).expect("JSON");
        assert_refused(&folder, &text, problem);
    }
    let missing = folder.bench("sts --input d.csv --setup none.json");
    missing.exits(1).says("none.json");
}

#[test]
fn files_are_written_by_one_variant() {
    let folder = with_digis();
    let several = reconstruct(&folder, "--variant o*");
    several.exits(2).says("by one variant");
    reconstruct(&folder, "--variant onlin").says("online");
}

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
