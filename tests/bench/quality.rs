//! Quality that is judged, and `bench pareto`.

use std::path::Path;

use serde_json::Value;

use crate::common::{BENCH, Folder, edit_rows, folder, measuring};
use reports::record::QualityRow;
use reports::store::read_quality;

/// A small run of a task that knows the collisions of its digis.
const EVENTS: &str = "events --preset mcbm-2024 --scale 0.005 --variant published --device cpu \
    --threads 1 --max-time 100ms --no-charts --quiet --out";

/// A folder with the same run twice.
fn twice() -> Option<Folder> {
    let folder = measuring()?;
    for name in ["base", "new"] {
        folder.bench(format!("{EVENTS} {name}")).exits(0);
    }
    Some(folder)
}

/// Changes the counts of a metric of a run.
fn edit_quality(run: &Path, metric: &str, change: impl Fn(f64) -> f64) {
    edit_rows(&run.join("quality.csv"), |row: &mut QualityRow| {
        if row.metric == metric {
            row.parts.0.iter_mut().for_each(|part| part.sum = change(part.sum));
        }
    });
}

fn metric(run: &Path, name: &str) -> QualityRow {
    let rows = read_quality(run).expect("readable");
    rows.into_iter().find(|row| row.metric == name).expect("that metric")
}

/// Times of so short runs differ; only qualities count here.
const COMPARE: &str = "compare base new --min-effect 100% --resolution 100%";

#[test]
fn runs_keep_counts_and_the_same_code_raises_no_alarm() {
    let Some(folder) = twice() else { return };
    let efficiency = metric(&folder.join("base"), "efficiency");
    assert!(efficiency.parts.0.len() > 100 && efficiency.interval == "binomial");
    let ends = efficiency.low.zip(efficiency.high).expect("an interval");
    assert!(ends.0 < efficiency.value && efficiency.value <= ends.1 && ends.1 < ends.0 + 0.2);
    let same = folder.bench(format!("{COMPARE} --quality-drop 0 --format json")).exits(0);
    let same: Value = same.json();
    let quality = same["quality"].as_array().expect("verdicts");
    let metrics: Vec<_> = quality.iter().map(|verdict| &verdict["metric"]).collect();
    assert_eq!(metrics, ["efficiency", "fakes", "splits"]);
    assert!(quality.iter().all(|it| it["verdict"] == "UNCHANGED" && it["paired"] == true));
}

#[test]
fn a_loss_of_efficiency_is_found_with_exit_code_4() {
    let Some(folder) = twice() else { return };
    // One of two hundred collisions of each part is lost, by chance in parts with fewer.
    edit_quality(&folder.join("new"), "efficiency", |passed| passed - (0.005 * passed).max(0.05));
    let lost = folder.bench(format!("{COMPARE} --junit junit.xml --markdown m.md")).exits(4);
    lost.prints("WORSE").prints("efficiency").prints("the limit is 0.10 %");
    assert!(folder.read("m.md").starts_with("### 1 metric of quality is worse"));
    assert!(folder.read("junit.xml").contains("<failure message=\"WORSE: worse by"));
    folder.bench(format!("{COMPARE} --quality-drop 50%")).exits(0).prints("3 metrics: 0 WORSE");
}

#[test]
fn other_events_are_compared_without_pairs() {
    let Some(folder) = measuring() else { return };
    folder.bench(format!("{EVENTS} base")).exits(0);
    folder.bench(format!("{EVENTS} new --seed 7")).exits(0);
    folder.bench(COMPARE).exits(0).prints("compared without pairs");
}

#[test]
fn paired_runs_keep_the_quality_of_both_sides() {
    let Some(folder) = measuring() else { return };
    let suite = "name = \"pair\"\n[defaults]\nthreads = 1\nmax-time = \"100ms\"\n[[task]]\n\
        name = \"events\"\nvariants = [\"published\"]\n[task.axes]\npreset = \"mcbm-2024\"\n\
        scale = 0.001\n";
    folder.write("pair.toml", suite);
    let run = folder.bench(format!("run pair.toml --against {BENCH} --out r --quiet"));
    assert!(matches!(run.code, Some(0 | 4)), "{}", run.stderr);
    run.prints("0 WORSE, 0 UNDECIDED, 0 BETTER, 3 UNCHANGED");
    let sides = ["r", "r/base"].map(|run| metric(&folder.join(run), "efficiency"));
    assert_eq!(sides[0], sides[1]);
}

#[test]
fn a_sweep_draws_its_front() {
    let Some(folder) = measuring() else { return };
    let line = "pareto events --preset mcbm-2024 --scale 0.002 --variant published --device cpu \
        --threads 1 --max-time 100ms --vary min-digis=3,6 --vary window=10ns,20ns --quiet --out s";
    folder.bench(line).exits(0).prints("front");
    let table = folder.read("s/pareto.csv");
    assert!(table.starts_with("point_id,name,setting,metric,value,low,high,standing,by\n"));
    // Four settings with a speed and two qualities each.
    assert_eq!(table.lines().count(), 1 + 4 * 3, "{table}");
    assert!(table.contains(",efficiency,") && table.contains(",fakes,"));
    assert!(folder.read("s/pareto.svg").contains("Pareto front"));
    assert!(folder.join("s/pareto.png").is_file());
}

/// Parameters of tasks with a truth, on simulated data.
#[test]
fn searches_and_chains_have_parameters_to_sweep() {
    let Some(folder) = measuring() else { return };
    let common = "--device cpu --threads 1 --max-time 50ms --quiet --out";
    for (out, line, settings) in [
        ("v", "velo-tracks --events 40 --variant tables --vary max-scatter=0.01,0.08", 2),
        (
            "s",
            "sts --scale 0.001 --variant time-sweep --vary digi-window=1,3 --vary cluster-window=1,4",
            4,
        ),
    ] {
        folder.bench(format!("pareto {line} {common} {out}")).exits(0).prints("front");
        let table = folder.read(format!("{out}/pareto.csv"));
        assert_eq!(table.matches(",efficiency,").count(), settings, "{table}");
    }
}

#[test]
fn a_dry_run_of_a_sweep_says_what_it_would_measure() {
    let folder = folder();
    let line = "pareto events --vary min-digis=3,6 --variant published --device cpu --threads 1 --dry-run --out s";
    folder.bench(line).exits(0).prints("events: 2 inputs, 2 candidates");
    assert!(!folder.join("s").exists());
}

#[test]
fn sweeps_name_what_is_wrong_and_what_there_is() {
    let Some(folder) = measuring() else { return };
    for (line, problem) in [
        (
            "events --vary min-digit=3",
            "not a parameter of the algorithm: use --window, --min-digis",
        ),
        ("events --vary rate=1kHz", "describes the data, not the algorithm: use --window"),
        ("events --vary min-digis=few", "min-digis=few"),
        ("events --vary min-digis", "use FLAG=A,B,C"),
        ("events --min-digis 3 --vary min-digis=4", "give them with one --vary only"),
        ("events --vary min-digis=3 --quality purity", "use efficiency, fakes, splits"),
        ("events --vary min-digis=3 --speed fakes", "use items_per_s, median_s, "),
        ("events --vary min-digis=3 --speed fakes", ", ns_per_digi, "),
        ("sort --vary digis=1k", "sort has none"),
        (
            "velo --vary phi-tolerance=45,2000",
            "--phi-tolerance 2000 is out of range; use 0 to 1570",
        ),
        ("no-such-task --vary a=1", "no-such-task"),
    ] {
        folder.bench(format!("pareto {line}")).exits(2).says(problem);
    }
    folder.bench("generate sts-physics --preset mcbm-2024 --scale 0.0005 --out d.csv").exits(0);
    let line = "pareto events --input d.csv --vary min-digis=3,5 --variant published --device cpu \
        --threads 1 --max-time 50ms --quiet --out f";
    folder.bench(line).exits(5).says("both a time and a known quality");
}
