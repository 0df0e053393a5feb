//! Runs and comparisons for the tests of reports.

use std::path::PathBuf;

pub use crate::charts::fixture::row;

use statistics::Interval;

use crate::charts::fixture;
use crate::code::Code;
use crate::compare::{
    Comparison, Key, PointVerdict, RunName, Side, Thresholds, Unmatched, Verdict,
};
use crate::record::{RunRecord, SCHEMA_VERSION, SelfTest, SummaryRow, Trial};
use crate::store::{Run, RunSummary};

fn record() -> RunRecord {
    RunRecord { finished: Some("2026-01-01T00:01:30Z".into()), ..fixture::run() }
}

/// A run with these rows and no samples.
pub fn run(summary: Vec<SummaryRow>) -> Run {
    Run { folder: PathBuf::from("results/new"), record: record(), summary, samples: vec![] }
}

/// An earlier run.
pub fn earlier(started: &str, rows: Vec<SummaryRow>) -> RunSummary {
    let record = RunRecord { started: started.into(), ..record() };
    RunSummary { id: started.into(), record, rows }
}

/// A point of variants `v0`, `v1`, … for each verdict.
pub fn comparison(verdicts: &[Verdict]) -> Comparison {
    let points = verdicts.iter().enumerate();
    Comparison {
        base: name("results/base", "2025-12-31T23:00:00Z"),
        new: name("results/new", "2026-01-01T00:00:00Z"),
        thresholds: Thresholds::default(),
        points: points.map(|(i, verdict)| point(i, *verdict)).collect(),
        only_base: vec![],
        asked_alike: true,
        aslr: None,
        only_new: vec![Unmatched { key: key("fresh"), reason: "new".into() }],
        notes: vec![],
        gate: Some(gate()),
    }
}

fn name(folder: &str, started: &str) -> RunName {
    RunName {
        folder: folder.into(),
        started: started.into(),
        git_commit: Some("0123456789ab".into()),
        machine_key: "key".into(),
        cpu_model: "Model 9000".into(),
    }
}

fn key(variant: &str) -> Key {
    Key::new(row(variant, "n=1;order=random", 1.0).point(), "total")
}

fn point(index: usize, verdict: Verdict) -> PointVerdict {
    let (ratio, reason) = match verdict {
        Verdict::Slower => (1.08, "the whole interval is above 1.01"),
        Verdict::Faster => (0.9, "the whole interval is below 0.99"),
        Verdict::Inconclusive => (1.02, "the interval reaches from 0.99 to 1.05"),
        Verdict::Same => (1.0, "the interval is within 1 %"),
    };
    let side = |median_s| Side { samples: 30, median_s, fingerprint: "code:1".into() };
    PointVerdict {
        key: key(&format!("v{index}")),
        base: side(1e-3),
        new: side(ratio * 1e-3),
        ratio,
        interval: Some(Interval { low: ratio - 0.03, high: ratio + 0.03 }),
        p_value: Some(0.001),
        p_change: Some(0.002),
        resolution: Some(0.03),
        detectable: Some(0.04),
        verdict,
        code: Code::Same,
        reason: reason.into(),
        next: (verdict == Verdict::Inconclusive).then(|| "bench compare --confirm".into()),
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
