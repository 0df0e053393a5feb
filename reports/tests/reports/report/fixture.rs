//! Runs with all content that a report can show.

use std::path::PathBuf;

use reports::compare::{
    Code, Comparison, Key, PointVerdict, RunName, Side, Thresholds, Unmatched, Verdict,
};
use reports::record::{
    Bandwidth, Machine, Params, RunRecord, SCHEMA_VERSION, SampleRow, SelfTest, SummaryRow, Trial,
    YesNo,
};
use reports::report::ReportInput;
use reports::store::{Run, RunSummary};
use statistics::Interval;

use crate::common;

/// Markup that must come out as text.
pub const HOSTILE: &str = "<script>alert(1)</script>\"'&amp;";

/// A report with all sections.
pub struct Fixture {
    /// The reported run.
    pub run: Run,
    /// Runs before it.
    pub earlier: Vec<RunSummary>,
    /// Comparison with the previous run.
    pub comparison: Comparison,
}

impl Fixture {
    /// Three variants, one of them with stages, one not valid, at four settings.
    pub fn new() -> Self {
        let summary = summary(1.0);
        Fixture {
            earlier: (1..8).map(earlier).collect(),
            comparison: comparison(&summary),
            run: run(summary),
        }
    }

    /// Input of the report.
    pub fn input(&self) -> ReportInput<'_> {
        ReportInput {
            earlier: &self.earlier,
            comparison: Some(&self.comparison),
            ..ReportInput::for_run(&self.run)
        }
    }
}

/// A run with these rows and six samples each.
pub fn run(summary: Vec<SummaryRow>) -> Run {
    let samples = summary.iter().flat_map(|row| samples(row, 6)).collect();
    Run {
        folder: PathBuf::from("results/2026-01-08-sort"),
        record: record("2026-01-08T10:00:00Z"),
        summary,
        samples,
    }
}

/// The number of points of a long nightly run: five variants at a hundred settings, with thirty
/// samples each.
pub fn large() -> Run {
    let mut rows = Vec::new();
    for i in 0..500u32 {
        let variant = i % 5;
        let setting = i / 5;
        let digis = 1000 * (1 + setting % 10);
        let order = setting / 10 % 5;
        let params = format!("digis={digis};order=jitter:{order};segments=24");
        let mut row = row(&format!("variant-{variant}"), &params, f64::from(i + 1) * 1e-5);
        row.threads = 1 + (setting / 50) as usize;
        row.samples = 30;
        rows.push(row);
    }
    let samples = rows.iter().flat_map(|row| samples(row, 30)).collect();
    Run { samples, ..run(rows) }
}

fn record(started: &str) -> RunRecord {
    let record = common::record();
    let copy_bytes_per_s = 28.7e9;
    let triad_bytes_per_s = 34.1e9;
    let bandwidth = Bandwidth { copy_bytes_per_s, triad_bytes_per_s, ..Bandwidth::default() };
    let command = ["bench", "sort", "--variant", "std-*", "--seed", "1"];
    RunRecord {
        command: command.map(str::to_owned).into(),
        started: started.into(),
        finished: Some(started.replace(":00Z", ":42Z")),
        ceilings: [("cpu/1", bandwidth), ("cpu/2", bandwidth)]
            .map(|(name, bandwidth)| (name.to_owned(), bandwidth))
            .into(),
        notes: vec!["the load was 0.50 at the start".into()],
        machine: Machine { cpu_model: "EPYC <9000> & \"more\"".into(), ..record.machine },
        ..record
    }
}

fn earlier(day: usize) -> RunSummary {
    let factor = [1.0, 1.01, 0.99, 1.0, 1.08, 1.09, 1.07, 1.0][day % 8];
    let mut record = record(&format!("2026-01-0{day}T10:00:00Z"));
    record.software.git_commit = Some(format!("c0ffee00000{day}"));
    if day == 4 {
        record.machine_key = "another".into();
        record.machine.cpu_model = "Another CPU".into();
    }
    RunSummary { id: format!("day-{day}"), record, rows: summary(factor) }
}

/// A valid row of `sort`.
pub fn row(variant: &str, params: &str, median: f64) -> SummaryRow {
    SummaryRow {
        variant: variant.into(),
        params: params.parse().expect("well formed"),
        median_s: Some(median),
        ci95_low_s: Some(median * 0.97),
        ci95_high_s: Some(median * 1.02),
        items_per_s: Some(1e3 / median),
        bytes_per_s: Some(16e3 / median),
        peak_fraction: Some(2e-4 / median),
        metrics: Params::default(),
        ..common::row("")
    }
}

fn summary(factor: f64) -> Vec<SummaryRow> {
    let settings = [("random", 24), ("random", 1792), ("time", 24), ("time", 1792)];
    let rows = settings.iter().enumerate().flat_map(|(i, (order, segments))| {
        let params = format!("digis=2000000;input=<i>.csv;order={order};segments={segments}");
        let scale = factor * (1.0 + i as f64) * 1e-3;
        let mut refused = row("concat", &params, 0.0);
        refused.median_s = None;
        refused.valid = YesNo::No;
        refused.samples = 0;
        refused.note = format!("not run: {HOSTILE}");
        let mut fast = row("channel-bucket", &params, scale);
        fast.note = format!("2 outliers {HOSTILE}");
        let stage = |stage: &str, share: f64| SummaryRow {
            stage: stage.into(),
            ..row("channel-bucket", &params, scale * share)
        };
        let slow = row(HOSTILE, &params, 2.3 * scale);
        let stages = [("count", 0.2), ("scatter", 0.5), ("sort within channels", 0.22)];
        let stages = stages.map(|(name, share)| stage(name, share));
        [vec![fast], stages.to_vec(), vec![slow, refused]].concat()
    });
    rows.collect()
}

fn samples(row: &SummaryRow, count: usize) -> Vec<SampleRow> {
    let median = row.median_s.unwrap_or_default();
    let point = row.point();
    let sample = |i| {
        let seconds = median * (1.0 + 0.01 * (i as f64 % 5.0 - 2.0));
        SampleRow::new(&point, &row.stage, i, i, seconds)
    };
    (0..count.min(row.samples)).map(sample).collect()
}

/// A point with each verdict cyclically, for all valid rows.
fn comparison(rows: &[SummaryRow]) -> Comparison {
    let valid = rows.iter().filter(|row| row.valid == YesNo::Yes);
    let refused = rows.iter().find(|row| row.valid == YesNo::No);
    let unmatched = |row: &SummaryRow| Unmatched {
        key: Key::new(row.point(), &row.stage),
        reason: row.note.clone(),
    };
    Comparison {
        base: name("results/<accepted>", "2026-01-07T10:00:00Z"),
        new: name("results/2026-01-08-sort", "2026-01-08T10:00:00Z"),
        thresholds: Thresholds::default(),
        points: valid.enumerate().map(|(i, row)| point(i, row)).collect(),
        energy: vec![],
        quality: vec![],
        only_base: refused.map(unmatched).into_iter().collect(),
        asked_alike: true,
        aslr: None,
        only_new: refused.map(unmatched).into_iter().collect(),
        notes: vec![format!("the load differed {HOSTILE}")],
        gate: Some(gate()),
    }
}

fn name(folder: &str, started: &str) -> RunName {
    RunName {
        folder: folder.into(),
        started: started.into(),
        git_commit: Some("c0ffee000007".into()),
        machine_key: "key".into(),
        cpu_model: "EPYC".into(),
    }
}

fn point(number: usize, row: &SummaryRow) -> PointVerdict {
    let (verdict, ratio, width) = [
        (Verdict::Same, 1.001, 0.006),
        (Verdict::Slower, 1.083, 0.012),
        (Verdict::Same, 0.998, 0.004),
        (Verdict::Faster, 0.872, 0.02),
        (Verdict::Inconclusive, 1.02, 0.045),
    ][number % 5];
    let median_s = row.median_s.unwrap_or_default();
    let side =
        |median_s| Side { samples: 30, median_s, fingerprint: "code:343ce4563f2cb684".into() };
    PointVerdict {
        key: Key::new(row.point(), &row.stage),
        base: side(median_s / ratio),
        new: side(median_s),
        ratio,
        interval: (number % 7 != 6).then_some(Interval { low: ratio - width, high: ratio + width }),
        p_value: Some(1e-4),
        p_change: Some(1e-4),
        resolution: Some(0.02),
        detectable: Some(0.03),
        verdict,
        code: Code::Changed,
        reason: format!("the interval [{:.3}, …] decides <it>", ratio - width),
        next: (verdict == Verdict::Inconclusive)
            .then(|| "bench compare results/a results/b --confirm".into()),
        then: None,
        hint: None,
    }
}

fn gate() -> SelfTest {
    let trial = |slowdown, slower| Trial {
        pairs: 10,
        points: 200,
        slower,
        inconclusive: 4,
        ..Trial::new(slowdown)
    };
    SelfTest {
        schema_version: SCHEMA_VERSION,
        machine_key: "key".into(),
        finished: "2026-01-01T00:00:00Z".into(),
        git_commit: None,
        min_effect: 0.01,
        significance: 0.01,
        trials: vec![trial(0.0, 1), trial(0.02, 150), trial(0.05, 199)],
        paired: vec![trial(0.0, 0), trial(0.05, 200)],
        ..SelfTest::default()
    }
}
