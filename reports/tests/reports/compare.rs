//! Comparisons of two run folders.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{copy_folder, folder, record, row};
use reports::compare::render::{Listing, render};
use reports::compare::{
    Code, CompareError, CompareOptions, Comparison, Measured, RunScatter, Verdict, compare,
    scatter_of,
};
use reports::record::{PointScatter, RunRecord, SampleRow, SummaryRow, YesNo, flags};
use reports::screen::Screen;
use reports::store::RunFolder;
use reports::table::Format;

/// Number of samples of a block; blocks differ a little, as in real runs.
pub const BLOCK: usize = 10;

/// A point of a variant with this median.
pub fn point(variant: &str, fingerprint: &str) -> SummaryRow {
    SummaryRow { variant: variant.into(), fingerprint: fingerprint.into(), ..row("") }
}

/// A run folder in which each row has samples around its number of seconds.
fn run(folder: &Path, name: &str, record: &RunRecord, points: &[(SummaryRow, f64)]) -> PathBuf {
    let path = folder.join(name);
    let mut run = RunFolder::create(&path, record).expect("created");
    for (salt, (row, middle)) in points.iter().enumerate() {
        run.append_samples(&samples(row, *middle, salt + name.len())).expect("written");
        run.append_summary(std::slice::from_ref(row)).expect("written");
    }
    path
}

/// Writes a run, and reads it.
pub fn measured(
    folder: &Path,
    name: &str,
    record: &RunRecord,
    points: &[(SummaryRow, f64)],
) -> Measured {
    read(&run(folder, name, record, points))
}

pub fn read(path: &Path) -> Measured {
    Measured::read(path).expect("read")
}

/// Four blocks of samples of a point, with a spread of one per cent.
pub fn samples(row: &SummaryRow, middle: f64, salt: usize) -> Vec<SampleRow> {
    let noise = |i: usize| ((i * 7919 + salt * 104_729) % 101) as f64 / 101.0 - 0.5;
    let sample = |i: usize| SampleRow {
        flags: if i.is_multiple_of(BLOCK) { flags::FRESH.into() } else { String::new() },
        ..SampleRow::new(&row.point(), &row.stage, i, i, middle * (1.0 + 0.01 * noise(i)))
    };
    (0..4 * BLOCK).map(sample).collect()
}

pub fn compared(base: &Measured, new: &Measured) -> Comparison {
    compare(base, new, &CompareOptions::default()).expect("comparable")
}

/// The comparison of two runs of these points.
fn compared_points(base: &[(SummaryRow, f64)], new: &[(SummaryRow, f64)]) -> Comparison {
    let folder = folder();
    let base = measured(folder.path(), "base", &record(), base);
    compared(&base, &measured(folder.path(), "newer", &record(), new))
}

pub fn verdicts(comparison: &Comparison) -> Vec<(&str, Verdict)> {
    let points = comparison.points.iter();
    points.map(|point| (point.key.point.variant.as_str(), point.verdict)).collect()
}

#[test]
fn each_point_gets_the_verdict_that_its_samples_deserve() {
    let at = |times: [f64; 3]| {
        let names = ["slower", "same", "faster"];
        let row = |(name, time)| (point(name, "code:1"), time);
        names.into_iter().zip(times).map(row).collect::<Vec<_>>()
    };
    let comparison = compared_points(&at([1.0, 1.0, 1.0]), &at([1.10, 1.0, 0.8]));
    let expected =
        [("slower", Verdict::Slower), ("same", Verdict::Same), ("faster", Verdict::Faster)];
    assert_eq!(verdicts(&comparison), expected);
    let slower = &comparison.points[0];
    assert!((slower.ratio - 1.1).abs() < 0.01 && slower.code == Code::Same);
    assert!(slower.reason.contains("the environment has changed"), "{}", slower.reason);
    assert!(slower.next.as_ref().is_some_and(|next| next.contains("--confirm")));
}

#[test]
fn points_are_joined_by_all_that_identifies_them() {
    let hot = point("a", "code:1");
    let cold = SummaryRow { cache: "cold".into(), ..hot.clone() };
    let stage = SummaryRow { stage: "scatter".into(), ..hot.clone() };
    let base = [(hot.clone(), 1.0), (cold.clone(), 2.0)];
    let comparison = compared_points(&base, &[(cold, 2.0), (stage, 0.5), (hot, 1.0)]);
    assert_eq!(comparison.count(Verdict::Same), 2);
    assert_eq!(comparison.only_new.len(), 1);
    assert_eq!(comparison.only_new[0].key.stage, "scatter");
    assert_eq!(comparison.only_new[0].reason, "new");
}

#[test]
fn ids_of_other_tools_do_not_matter() {
    let folder = folder();
    let points = [(point("a", "code:1"), 1.0), (point("b", "code:1"), 2.0)];
    let base = run(folder.path(), "base", &record(), &points);
    let new = run(folder.path(), "newer", &record(), &points);
    let mut foreign = fs::read_to_string(new.join("samples.csv")).expect("read");
    for (row, _) in &points {
        foreign = foreign.replace(&row.point().id(), &format!("mine-{}", row.variant));
    }
    fs::write(new.join("samples.csv"), foreign).expect("written");
    assert_eq!(compared(&read(&base), &read(&new)).count(Verdict::Same), 2);
}

#[test]
fn parameters_may_be_in_any_order() {
    let folder = folder();
    let points = [(point("a", "code:1"), 1.0)];
    let base = run(folder.path(), "base", &record(), &points);
    let new = run(folder.path(), "newer", &record(), &points);
    for file in ["samples.csv", "summary.csv"] {
        let text = fs::read_to_string(new.join(file)).expect("read");
        let text = text.replace(&points[0].0.point().id(), "mine");
        let text = text.replace("digis=1000;segments=24", "segments=24;digis=1000");
        fs::write(new.join(file), text).expect("written");
    }
    assert_eq!(compared(&read(&base), &read(&new)).count(Verdict::Same), 1);
}

#[test]
fn advice_can_be_copied() {
    let folder = folder();
    let other = RunRecord { seed: 7, ..record() };
    let base = measured(folder.path(), "base", &record(), &[(point("a", "x"), 1.0)]);
    let new = measured(folder.path(), "newer", &other, &[(point("a", "y"), 1.2)]);
    let options = CompareOptions {
        flags: vec!["--store".into(), "my store".into()],
        ..CompareOptions::default()
    };
    let comparison = compare(&base, &new, &options).expect("comparable");
    let [next, then]: [&str; 2] =
        comparison.points[0].commands().collect::<Vec<_>>().try_into().expect("two commands");
    assert!(next.ends_with(" --confirm --store 'my store'"), "{next}");
    assert!(then.contains(" --seed 7 ") && then.ends_with(" --profile"), "{then}");
    assert!(comparison.points[0].hint.is_some());
}

#[test]
fn wrong_variants_are_reported_without_verdict() {
    let wrong =
        SummaryRow { valid: YesNo::No, note: "wrong output: row 3".into(), ..point("a", "code:1") };
    let both = [(point("a", "code:1"), 1.0), (point("b", "code:1"), 1.0)];
    let comparison = compared_points(&both, &[(wrong, 1.0), both[1].clone()]);
    assert_eq!(verdicts(&comparison), [("b", Verdict::Same)]);
    assert_eq!(comparison.only_base[0].reason, "wrong output: row 3");
}

#[test]
fn other_machines_are_refused_unless_asked_for() {
    let folder = folder();
    let mut other = record();
    other.machine.cores = 64;
    other.machine_key = other.machine.key();
    let points = [(point("a", "code:1"), 1.0)];
    let base = measured(folder.path(), "base", &record(), &points);
    let new = measured(folder.path(), "newer", &other, &points);
    let refused = compare(&base, &new, &CompareOptions::default()).expect_err("another machine");
    assert!(refused.to_string().contains("--across-machines"), "{refused}");
    let options = CompareOptions { across_machines: true, ..CompareOptions::default() };
    assert!(compare(&base, &new, &options).is_ok());
}

/// A run is identified by its samples, wherever it is stored: a job that failed to store its run
/// must not pass.
#[test]
fn a_run_is_not_compared_with_itself() {
    let folder = folder();
    let points = [(point("a", "x"), 1.0), (point("b", "x"), 2.0)];
    let base = run(folder.path(), "base", &record(), &points);
    let copy = folder.path().join("copy");
    copy_folder(&base, &copy);
    let dotted = folder.path().join("copy/../base");
    for same in [&base, &dotted, &copy] {
        let error =
            compare(&read(&base), &read(same), &CompareOptions::default()).expect_err("the same");
        assert!(matches!(error, CompareError::SameRun { .. }), "{error}");
        assert!(error.to_string().contains("the same run, started 2026"), "{error}");
    }
    // Two runs that start in the same second are different runs.
    let other = measured(folder.path(), "newer", &record(), &points);
    assert!(compare(&read(&base), &other, &CompareOptions::default()).is_ok());
}

#[test]
fn on_a_busy_machine_nothing_is_clear_unless_its_scatter_is_known() {
    let folder = folder();
    let mut loaded = record();
    loaded.environment.load_1min = Some(1.5);
    let at = |name: &str, record: &RunRecord, time: f64| {
        measured(folder.path(), name, record, &[(point("a", "code:1"), time)])
    };
    let base = at("base", &record(), 1.0);
    let judged = |new: &Measured, options: &CompareOptions| {
        compare(&base, new, options).expect("comparable").points.remove(0)
    };
    let slower = at("newer", &record(), 1.5);
    assert_eq!(judged(&slower, &CompareOptions::default()).verdict, Verdict::Slower);
    let slower = at("busier", &loaded, 1.5);
    let busy = judged(&slower, &CompareOptions::default());
    assert_eq!(busy.verdict, Verdict::Inconclusive);
    assert!(busy.reason.contains("the machine was busy"), "{}", busy.reason);
    let scatter = PointScatter {
        point: busy.key.point.clone(),
        stage: busy.key.stage.clone(),
        between: 0.01,
        runs: 9,
    };
    let known = CompareOptions {
        scatter: RunScatter::from_points(&[scatter]),
        ..CompareOptions::default()
    };
    assert_eq!(judged(&slower, &known).verdict, Verdict::Slower);
}

#[test]
fn same_has_the_resolution() {
    let comparison = compared_points(&[(point("a", "x"), 1.0)], &[(point("a", "x"), 1.0)]);
    let same = &comparison.points[0];
    let resolution = same.resolution.expect("an interval");
    assert!((0.0005..0.01).contains(&resolution), "{resolution}");
    assert!(same.label().starts_with("SAME (± 0."), "{}", same.label());
    assert!(same.detectable.is_some_and(|smallest| smallest > 0.01));
    for format in [Format::Table, Format::Markdown, Format::Junit] {
        let text = render(format, &comparison, Listing::All, Screen::default()).expect("rendered");
        assert!(text.contains(&same.label()), "{text}");
    }
    let json =
        render(Format::Json, &comparison, Listing::All, Screen::default()).expect("rendered");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["points"][0]["verdict"], "SAME");
    assert_eq!(json["points"][0]["resolution"].as_f64(), Some(resolution));
}

#[test]
fn counters_distinguish_more_work_from_waiting() {
    let counted = |metrics: &str| SummaryRow {
        metrics: metrics.parse().expect("well formed"),
        ..point("a", "x")
    };
    let base = counted("instructions_per_item=20;llc_misses_per_item=0.1");
    let new = counted("instructions_per_item=20.01;llc_misses_per_item=0.112");
    let reason = &compared_points(&[(base, 1.0)], &[(new, 1.2)]).points[0].reason;
    assert!(reason.ends_with("; same instructions, 12 % more last-level cache misses"), "{reason}");
}

#[test]
fn nothing_in_common_is_an_error() {
    let folder = folder();
    let at = |name: &str, points: &[_]| measured(folder.path(), name, &record(), points);
    let base = at("base", &[(point("a", "x"), 1.0)]);
    for other in [at("newer", &[(point("b", "x"), 1.0)]), at("empty", &[])] {
        let error = compare(&base, &other, &CompareOptions::default()).expect_err("nothing");
        assert!(error.to_string().starts_with("nothing can be compared"), "{error}");
    }
}

#[test]
fn damaged_files_are_named_with_the_line() {
    let folder = folder();
    let path = run(folder.path(), "base", &record(), &[(point("a", "x"), 1.0)]);
    let files = ["samples.csv", "summary.csv", "run.json"];
    let originals = files.map(|file| fs::read_to_string(path.join(file)).expect("read"));
    let [samples, summary, json] = &originals;
    let twice = format!("{summary}{}\n", summary.lines().nth(1).expect("a row"));
    let cases = [
        ("samples.csv", samples[..samples.len() - 9].to_owned(), "line 41: the last row"),
        (
            "samples.csv",
            samples.replacen("digis=1000;", "digis;", 1),
            "line 2: \"digis;segments=24\" is not of the form",
        ),
        ("samples.csv", samples.replacen(",0,0,", ",0,0,x", 1), "line 2: field 9: invalid float"),
        ("samples.csv", samples.replacen(",0,0,", ",0,0,-", 1), "is not a duration"),
        (
            "samples.csv",
            "a,b\n1,2\n".to_owned(),
            "no column \"point_id\"; is it a samples.csv of recobench?",
        ),
        ("samples.csv", String::new(), "the last row is incomplete"),
        ("samples.csv", samples.replacen(",0,0,", ",0,", 1), "line 2: 16 fields"),
        ("summary.csv", twice, "lines 2 and 3 are the same point: sort a"),
        ("summary.csv", format!("{summary}{}\n", "1".repeat(1 << 21)), "line 3 is longer than"),
        ("run.json", " ".repeat((64 << 20) + 1), "it is larger than the 67108864 bytes"),
        ("summary.csv", "x\n1\n".to_owned(), "line 1: no column"),
        ("run.json", json[..100].to_owned(), "run.json: EOF"),
        ("run.json", json.replace("\"schema_version\": 1", "\"schema_version\": 99"), "version 99"),
        ("run.json", "[]".to_owned(), "run.json"),
    ];
    for (file, text, expected) in cases {
        fs::write(path.join(file), &text).expect("written");
        let error = Measured::read(&path).expect_err(expected).to_string();
        assert!(error.contains(expected) && error.contains(file), "{expected}: {error}");
        for (file, text) in files.iter().zip(&originals) {
            fs::write(path.join(file), text).expect("written");
        }
    }
    let error = Measured::read(&folder.path().join("none")).expect_err("no run").to_string();
    assert!(error.contains("does not exist"), "{error}");
}

#[test]
fn every_format_reports_slower_points() {
    let odd = "a <b> & \"c\" | d";
    let comparison = compared_points(&[(point(odd, "x"), 1.0)], &[(point(odd, "y"), 1.2)]);
    let text = |format| {
        render(format, &comparison, Listing::Changes, Screen::default()).expect("rendered")
    };
    let table = text(Format::Table);
    assert!(table.contains("SLOWER") && table.contains("1 point: 1 SLOWER"), "{table}");
    assert!(table.contains("bench selftest"), "{table}");
    let markdown = text(Format::Markdown);
    assert!(markdown.contains("### 1 point is slower"), "{markdown}");
    assert!(markdown.contains("a &lt;b&gt; &amp;") && markdown.contains("\\| d"), "{markdown}");
    let json: serde_json::Value = serde_json::from_str(&text(Format::Json)).expect("JSON");
    assert_eq!(json["points"][0]["verdict"], "SLOWER");
    assert_eq!(json["points"][0]["code"], "changed");
    let junit = text(Format::Junit);
    let document = roxmltree::Document::parse(&junit).expect("XML");
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite"));
    let suite = suite.expect("a suite");
    assert_eq!((suite.attribute("tests"), suite.attribute("failures")), (Some("1"), Some("1")));
    assert!(junit.contains("a &lt;b&gt; &amp;"), "{junit}");
}

#[test]
fn scatter_between_runs_is_no_change() {
    let folder = folder();
    let at = |name: &str, time: f64| {
        measured(folder.path(), name, &record(), &[(point("a", "code:1"), time)])
    };
    // The first was slowed down by a tenth on purpose.
    let times = [("a", 1.1, 0.1), ("bb", 1.03, 0.0), ("ccc", 0.97, 0.0), ("dddd", 1.04, 0.0)];
    let runs = times.map(|(name, time, slowdown)| (at(name, time), slowdown));
    let scatter = scatter_of(&runs.each_ref().map(|(run, slowdown)| (run, *slowdown)));
    let [PointScatter { between, runs, .. }] = &scatter[..] else {
        panic!("a point: {scatter:?}");
    };
    assert!((0.025..0.04).contains(between) && *runs == 4, "{scatter:?}");
    let base = at("base", 1.0);
    let new = at("newer", 1.05);
    let options =
        CompareOptions { scatter: RunScatter::from_points(&scatter), ..CompareOptions::default() };
    let unknown = compared(&base, &new);
    assert_eq!(unknown.points[0].verdict, Verdict::Slower);
    let judged = compare(&base, &new, &options).expect("comparable").points.remove(0);
    assert_eq!(judged.verdict, Verdict::Inconclusive);
    assert!(judged.reason.contains("runs of the same code differ by 4"), "{}", judged.reason);
    assert!(judged.next.is_some_and(|next| next.ends_with("--confirm")));
    let far = compare(&base, &at("farther", 1.5), &options).expect("comparable");
    assert_eq!(far.points[0].verdict, Verdict::Slower);
    let notes = unknown.notes.join("\n");
    assert!(notes.contains("bench selftest"), "{notes}");
    assert!(far.notes.iter().all(|note| !note.contains("selftest")));
}
