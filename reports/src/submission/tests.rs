//! A consistent run, and what each forgery of it leads to.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::*;
use crate::charts::fixture;
use crate::record::{Effort, PlannedVariant, Point, SampleStatistics, Software, YesNo, flags};
use crate::screen::Screen;
use crate::store::RunFolder;
use crate::table::{Format, Tabular};

/// A run of two variants on two inputs, and of one that refuses its input.
struct Original {
    folder: TempDir,
    record: RunRecord,
    rows: Vec<SummaryRow>,
    samples: Vec<SampleRow>,
}

const SAMPLES: usize = 12;
const BLOCK: usize = 4;

fn point(variant: &str, n: usize) -> Point {
    fixture::row(variant, &format!("n={n}"), 1.0).point()
}

/// Samples in blocks, and the row that follows from them.
fn measured(variant: &str, n: usize) -> (SummaryRow, Vec<SampleRow>) {
    let point = point(variant, n);
    let sample = |index: usize| {
        let seconds = 1e-3 * n as f64 * (1.0 + 0.01 * ((index * 7) % 5) as f64);
        let mut sample = SampleRow::new(&point, "total", index / BLOCK, index, seconds);
        if index.is_multiple_of(BLOCK) {
            sample.flags = flags::FRESH.into();
        }
        sample
    };
    let samples: Vec<SampleRow> = (0..SAMPLES).map(sample).collect();
    let seconds: Vec<f64> = samples.iter().map(|sample| sample.seconds).collect();
    let blocks: Vec<usize> = (0..SAMPLES).step_by(BLOCK).collect();
    let row = SummaryRow {
        fingerprint: format!("code:{variant}"),
        ..fixture::row(variant, &format!("n={n}"), 1.0)
    };
    let found = SampleStatistics::new(&seconds, &blocks).expect("samples");
    (found.fill(row), samples)
}

fn planned(variant: &str, points: usize) -> PlannedVariant {
    PlannedVariant {
        algorithm: "sort".into(),
        variant: variant.into(),
        device: "cpu".into(),
        points,
        fingerprint: format!("code:{variant}"),
    }
}

impl Original {
    fn new() -> Self {
        let all = [("a", 1), ("a", 2), ("b", 1), ("b", 2)].map(|(variant, n)| measured(variant, n));
        let (mut rows, samples): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let samples = samples.concat();
        let refused = SummaryRow {
            fingerprint: "code:c".into(),
            note: "not run: not in order".into(),
            ..SummaryRow::new(&point("c", 1), "total")
        };
        rows.push(refused);
        let timed_s = samples.iter().map(|sample| sample.seconds).sum();
        let mut record = RunRecord {
            finished: Some("2026-01-01T00:01:00Z".into()),
            planned: vec![planned("a", 2), planned("b", 2), planned("c", 1)],
            software: Software {
                git_commit: Some("c0ffee".into()),
                fingerprint: "code:all".into(),
                ..fixture::run().software
            },
            effort: Some(Effort { timed_s, ..Effort::default() }),
            ..fixture::run()
        };
        record.machine_key = record.machine.key();
        Original { folder: tempfile::tempdir().expect("made"), record, rows, samples }
    }

    /// Writes it into a new folder.
    fn write(&self, name: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        let unfinished = RunRecord { finished: None, ..self.record.clone() };
        let mut folder = RunFolder::create(&path, &unfinished).expect("made");
        folder.append_samples(&self.samples).expect("written");
        folder.append_summary(&self.rows).expect("written");
        folder.describe(&self.record).expect("written");
        path
    }

    /// Findings of a run that was changed before it was written.
    fn findings(mut self, change: impl FnOnce(&mut Self)) -> Vec<Finding> {
        change(&mut self);
        let folder = self.write("run");
        SubmissionCheck::new(&folder).findings
    }
}

#[track_caller]
fn assert_found(findings: &[Finding], rule: Rule, words: &str) {
    let is_there = |it: &Finding| it.rule == rule && it.problem.contains(words);
    assert!(findings.iter().any(is_there), "{rule:?} {words}: {findings:#?}");
}

fn forged(rule: Rule, words: &str, change: impl FnOnce(&mut Original)) {
    assert_found(&Original::new().findings(change), rule, words);
}

#[test]
fn a_consistent_run_is_fit_also_of_a_single_task() {
    let folder = Original::new();
    let check = SubmissionCheck::new(&folder.write("run"));
    assert_eq!(check.findings, []);
    assert!(check.is_fit() && check.rows.len() == 5 && check.samples == 4 * SAMPLES);
}

#[test]
fn an_edited_sample_is_found() {
    forged(Rule::Statistics, "by samples.csv", |run| run.samples[3].seconds *= 0.9);
    forged(Rule::Samples, "by run.json: samples were changed", |run| run.samples[3].seconds *= 0.9);
}

#[test]
fn an_edited_median_and_rate_are_found() {
    forged(Rule::Statistics, "median_s is", |run| run.rows[0].median_s = Some(1e-4));
    forged(Rule::Statistics, "items_per_s is 1000000000", |run| {
        run.rows[1].items_per_s = Some(1e9);
    });
    forged(Rule::Statistics, "ci95_low_s is", |run| run.rows[1].ci95_low_s = run.rows[1].median_s);
    forged(Rule::Statistics, "2 rows are not those of their samples, the first: ", |run| {
        run.rows[0].mean_s = None;
        run.rows[1].p99_s = None;
    });
}

#[test]
fn swapped_fingerprints_are_found() {
    let swap = |run: &mut Original| {
        let (first, second) = run.rows.split_at_mut(2);
        std::mem::swap(&mut first[0].fingerprint, &mut second[0].fingerprint);
    };
    forged(Rule::Fingerprint, "the fingerprint is code:b instead of code:a", swap);
    forged(Rule::Fingerprint, "2 fingerprints differ, the first: ", |run| {
        swap(run);
        run.record.planned.clear();
    });
    forged(Rule::Fingerprint, "no fingerprint", |run| run.rows[0].fingerprint.clear());
}

#[test]
fn fewer_samples_than_said_are_found() {
    forged(Rule::Samples, "says 12 samples, samples.csv has 11", |run| {
        run.samples.remove(SAMPLES - 1);
    });
    forged(Rule::Samples, "sample 4 comes where 3 should be", |run| {
        run.samples.remove(3);
    });
    forged(Rule::Samples, "summary.csv has no point", |run| {
        run.rows.remove(0);
    });
    forged(Rule::Samples, "is another one in summary.csv", |run| run.samples[0].threads = 7);
    forged(Rule::Samples, "has no stage \"half\"", |run| run.samples[0].stage = "half".into());
}

#[test]
fn duplicates_are_found() {
    forged(Rule::Duplicates, "is row 2 again", |run| run.rows.push(run.rows[0].clone()));
    forged(Rule::Duplicates, "row 50 is sample 0 of row 2 again", |run| {
        run.samples.push(run.samples[0].clone());
    });
}

#[test]
fn a_failed_variant_is_found_even_if_it_is_marked_valid() {
    let fail = |run: &mut Original| run.rows[4].note = "wrong output: digi 3".into();
    forged(Rule::Validity, "its variant failed: wrong output: digi 3", fail);
    forged(Rule::Validity, "marked valid, but its variant failed: wrong output", |run| {
        fail(run);
        run.rows[4].valid = YesNo::Yes;
    });
    forged(Rule::Validity, "marked valid, but without a time", |run| {
        run.rows[4].valid = YesNo::Yes;
    });
    forged(Rule::Samples, "says 12 samples, samples.csv has 0", |run| {
        let time = run.rows[0].clone();
        run.rows[4] = SummaryRow { variant: "c".into(), fingerprint: "code:c".into(), ..time };
    });
    forged(Rule::Validity, "marked not valid, but with a time", |run| {
        run.rows[0].valid = YesNo::No
    });
    forged(Rule::Validity, "without a reason", |run| run.rows[4].note.clear());
}

#[test]
fn completeness_is_judged_by_the_plan_of_the_run() {
    let without_one = |run: &mut Original| {
        let removed = run.rows.remove(1).point().id();
        run.samples.retain(|sample| sample.point_id != removed);
        run.record.effort = None;
    };
    forged(Rule::Plan, "sort a on cpu: 1 of 2 points in the plan", without_one);
    forged(Rule::Plan, "sort c on cpu is not in the plan", |run| {
        run.record.planned.pop();
    });
    forged(Rule::Plan, "sort a on cpu: 1 of the 2 points", |run| {
        without_one(run);
        run.record.planned.clear();
    });
    forged(Rule::Plan, "stopped before its end", |run| run.record.finished = None);
    forged(Rule::Plan, "half of a paired run", |run| run.record.pair = Some("pair".into()));
    forged(Rule::Plan, "it was interrupted", |run| run.rows[0].stopped_by = "interrupt".into());
}

#[test]
fn builds_machines_and_load_have_to_be_known_and_fit() {
    let software =
        |change: fn(&mut Software)| move |run: &mut Original| change(&mut run.record.software);
    forged(Rule::Build, "check it with that version", software(|it| it.version = "99.0.0".into()));
    forged(Rule::Build, "not of the form 1.2.3", software(|it| it.version = "new".into()));
    forged(
        Rule::Build,
        "modified files",
        software(|it| it.git_commit = Some("c0ffee-dirty".into())),
    );
    forged(Rule::Build, "commit of the program is not known", software(|it| it.git_commit = None));
    forged(Rule::Build, "development build", software(|it| it.build_profile = "debug".into()));
    forged(Rule::Build, "no fingerprint", software(|it| it.fingerprint.clear()));
    forged(Rule::Machine, "is not that of its machine", |run| run.record.machine.cores = 64);
    forged(Rule::Machine, "no model of cuda:7", |run| run.samples[0].device = "cuda:7".into());
    forged(Rule::Load, "the load was 2.0 on 2 CPUs", |run| {
        run.record.environment.load_1min = Some(2.0);
    });
    forged(Rule::Load, "of the samples were disturbed", |run| {
        run.samples.iter_mut().for_each(|sample| sample.flags = "disturbed".into());
    });
}

#[test]
fn missing_and_damaged_files_are_named() {
    let original = Original::new();
    let folder = original.write("run");
    let found = |folder: &Path| SubmissionCheck::new(folder).findings;
    fs::write(folder.join("summary.csv"), "algorithm\nsort\n").expect("written");
    assert_found(&found(&folder), Rule::Schema, "no column");
    fs::remove_file(folder.join("samples.csv")).expect("removed");
    fs::remove_file(folder.join("summary.csv")).expect("removed");
    assert_found(&found(&folder), Rule::Files, "summary.csv does not exist");
    fs::write(folder.join("stream.csv"), "").expect("written");
    assert_found(&found(&folder), Rule::Files, "is a run of a stream");
    assert_found(&found(Path::new("/nowhere")), Rule::Files, "/nowhere/run.json does not exist");
}

#[test]
fn a_packed_run_is_checked_by_its_hashes() {
    let original = Original::new();
    let run = original.write("run");
    let packed = original.folder.path().join("packed");
    let manifest = pack(&run, &packed).expect("packed");
    assert_eq!(manifest.files.len(), 3);
    // The SHA-256 of nothing begins so.
    assert!(manifest.files.iter().all(|it| !it.sha256.starts_with("e3b0c442") && it.bytes > 0));
    let found = || SubmissionCheck::new(&packed).findings;
    assert_eq!(found(), []);
    let again = pack(&run, &packed).expect_err("occupied").to_string();
    assert!(again.contains("choose another folder"), "{again}");
    fs::write(packed.join("notes.txt"), "hello").expect("written");
    assert_found(&found(), Rule::Files, "notes.txt is not in the manifest");
    fs::remove_file(packed.join("notes.txt")).expect("removed");
    let text = fs::read_to_string(packed.join("run.json")).expect("readable");
    fs::write(packed.join("run.json"), text.replace("Model 9000", "Model 9001")).expect("written");
    assert_found(&found(), Rule::Files, "run.json was changed after packing");
    fs::remove_file(packed.join("samples.csv")).expect("removed");
    assert_found(&found(), Rule::Files, "samples.csv is missing, but in the manifest");
    fs::write(packed.join(MANIFEST), r#"{"schema_version": 1, "packed_by": "0", "packed": "", "files": [{"name": "../x", "bytes": 1, "sha256": ""}]}"#).expect("written");
    assert_found(&found(), Rule::Files, "\"../x\" is not a file of a run");
    assert_found(&found(), Rule::Files, "it lacks run.json");
    fs::write(packed.join(MANIFEST), r#"{"schema_version": 9}"#).expect("written");
    assert_found(&found(), Rule::Schema, "schema version 9");
}

#[test]
fn each_reason_has_a_line() {
    let original = Original::new();
    let fit = SubmissionCheck::new(&original.write("fit"));
    let mut bad = Original::new();
    bad.record.environment.load_1min = Some(9.0);
    bad.record.software.git_commit = None;
    let bad = SubmissionCheck::new(&bad.write("bad"));
    let checks = [fit, bad];
    let text = SubmissionChecks(&checks).render(Format::Table, Screen::default()).expect("a text");
    for words in ["5 rows, 48 samples", "not fit", "commit of the program", "1 of 2 runs fit"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let csv = SubmissionChecks(&checks).render(Format::Csv, Screen::default()).expect("a text");
    assert!(
        csv.starts_with("run,fit,rule,reason,rows,samples\n") && csv.lines().count() == 4,
        "{csv}"
    );
    let json = SubmissionChecks(&checks).render(Format::Json, Screen::default()).expect("a text");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["fit"], &json[1]["rule"]), (&true.into(), &"build".into()));
}
