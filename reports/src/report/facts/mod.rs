//! Content of a report, independent of its format: the command line, common axes, counts, refusals,
//! dates and durations are here.
//!
//! | module | finds |
//! |---|---|
//! | `verdict` | the run in a sentence |
//! | `winners` | the fastest variant of each task |

pub mod verdict;
pub mod winners;

use std::collections::BTreeSet;
use std::time::Duration;

pub(crate) use crate::grouped::grouped;
pub use crate::rank::TOTAL;
pub use crate::units::counted;

use humantime::{format_duration, parse_rfc3339};
use text::{SENTENCE, Untrusted};

use crate::compare::quoted;
use crate::record::{RunRecord, SummaryRow};
use crate::shape::{self, Axes, AxisName, name};

/// The rows of an algorithm.
pub fn rows_of<'a>(rows: &'a [SummaryRow], algorithm: &str) -> Vec<&'a SummaryRow> {
    let of_algorithm = |row: &&SummaryRow| row.algorithm == algorithm;
    rows.iter().filter(of_algorithm).collect()
}

/// The arguments of a command, for a shell.
pub fn asked(command: &[String]) -> String {
    let words = arguments(command).map(|word| quoted(word).escaped().at_most(SENTENCE).to_string());
    words.collect::<Vec<_>>().join(" ")
}

/// The arguments after the program's name, without the output folder, which exists now.
fn arguments(command: &[String]) -> impl Iterator<Item = &str> {
    let words = command.iter().map(String::as_str);
    let mut before = "";
    let words = words.filter(move |word| {
        let is_folder = before == "--out";
        before = word;
        !is_folder && *word != "--out" && !word.starts_with("--out=")
    });
    words.skip(1)
}

/// The end of a path, which distinguishes folders: `…/store/runs/20260101T000000Z-sort`.
pub fn short_path(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.len() {
        0..=PARTS => path.to_owned(),
        count => format!("…/{}", parts[count - PARTS..].join("/")),
    }
}

/// Number of components of a path that are shown.
const PARTS: usize = 3;

/// Label of points that differ from others only by having no placement.
const NO_PLACEMENT: &str = "no placement";

/// The axes that have the same value for all points of a set.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    common: Axes,
}

impl Settings {
    /// Common axes of points.
    pub fn from_points(points: impl IntoIterator<Item = Axes>) -> Self {
        let common = shape::common(points);
        Settings { common }
    }

    /// Common axes of rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Self {
        Settings::from_points(rows.into_iter().map(shape::axes))
    }

    /// The common axes as text.
    pub fn common(&self) -> String {
        shape::phrases(&self.common)
    }

    /// The axes that distinguish a point from the others as text; all axes if none differ.
    pub fn apart(&self, axes: &Axes) -> String {
        let is_own = |axis: &&(AxisName, String)| !self.common.contains(axis);
        let own: Axes = axes.iter().filter(is_own).cloned().collect();
        match (own.is_empty(), shape::phrases(&own)) {
            (true, _) => self.common(),
            (false, words) if words.is_empty() => NO_PLACEMENT.to_owned(),
            (false, words) => words,
        }
    }
}

/// Counts of a run, or of a task of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Points with a time.
    pub points: usize,
    /// Points without one: wrong, refused, not run.
    pub refused: usize,
    /// Combinations of variant and device.
    pub variants: usize,
    /// Combinations of all other axes.
    pub settings: usize,
    /// Samples of total times.
    pub samples: usize,
}

impl Tally {
    /// Counts rows.
    pub fn from_rows<'a>(rows: impl IntoIterator<Item = &'a SummaryRow>) -> Self {
        let mut tally = Tally::default();
        let mut variants: BTreeSet<(String, String)> = BTreeSet::new();
        let mut settings: BTreeSet<(String, Axes)> = BTreeSet::new();
        for row in rows.into_iter().filter(|row| row.stage == TOTAL) {
            match row.valid_median() {
                Some(_) => tally.points += 1,
                None => tally.refused += 1,
            }
            tally.samples += row.samples;
            variants.insert((row.algorithm.clone(), name(row)));
            settings.insert((row.algorithm.clone(), shape::axes(row)));
        }
        tally.variants = variants.len();
        tally.settings = settings.len();
        tally
    }
}

/// Points of a variant that have no time for the same reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The variant, with its device if that is not the CPU.
    pub variant: String,
    /// The note of the rows.
    pub reason: String,
    /// Number of points.
    pub points: usize,
}

/// The refusals among rows.
pub fn refusals(rows: &[&SummaryRow]) -> Vec<Refusal> {
    let refused = rows.iter().filter(|row| row.stage == TOTAL && row.valid_median().is_none());
    let groups = grouped(refused, |row| (name(row), reason(row)));
    let refusal = |((variant, reason), rows): ((String, String), Vec<_>)| Refusal {
        variant,
        reason,
        points: rows.len(),
    };
    groups.into_iter().map(refusal).collect()
}

fn reason(row: &SummaryRow) -> String {
    match row.note.as_str() {
        "" => "no reason was recorded".to_owned(),
        note => note.to_owned(),
    }
}

/// `2026-11-20`.
pub fn day(started: &str) -> &str {
    started.get(..10).unwrap_or(started)
}

/// `2026-11-20 12:18 UTC`.
pub fn minute(started: &str) -> String {
    match (started.get(..10), started.get(11..16)) {
        (Some(day), Some(time)) => format!("{day} {time} UTC"),
        _ => started.to_owned(),
    }
}

/// Duration of a run, `2m 14s`; `None` if it was killed.
pub fn duration(record: &RunRecord) -> Option<String> {
    let end = parse_rfc3339(record.finished.as_deref()?).ok()?;
    let elapsed = end.duration_since(parse_rfc3339(&record.started).ok()?);
    let seconds = elapsed.ok()?.as_secs();
    Some(format_duration(Duration::from_secs(seconds)).to_string())
}

#[cfg(test)]
mod tests {
    use super::fixture::{row, run};
    use super::*;

    #[test]
    fn the_folder_of_the_run_is_not_used_again() {
        let command = "bench sort --out a --seed 1 --out=b".split(' ');
        let command: Vec<String> = command.map(str::to_owned).collect();
        assert_eq!(asked(&command), "sort --seed 1");
    }

    #[test]
    fn words_survive_a_shell() {
        assert_eq!(quoted("--segments"), "--segments");
        assert_eq!(quoted("std-*"), "'std-*'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn long_paths_lose_their_beginning() {
        assert_eq!(short_path("results/today"), "results/today");
        assert_eq!(short_path("/home/x/lab/store/runs/a"), "…/store/runs/a");
    }

    #[test]
    fn common_axes_are_not_repeated() {
        let rows =
            [row("a", "digis=1000;order=random", 1.0), row("a", "digis=1000;order=time", 1.0)];
        let settings = Settings::from_rows(&rows);
        assert_eq!(settings.common(), "1 k digis · 2 threads · cache hot");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "order time");
    }

    #[test]
    fn a_single_point_says_all() {
        let rows = [row("a", "digis=1000", 1.0)];
        let settings = Settings::from_rows(&rows);
        let words = "1 k digis · 2 threads · cache hot";
        assert_eq!(settings.apart(&shape::axes(&rows[0])), words);
    }

    #[test]
    fn threads_without_a_place_are_distinguished() {
        let mut placed = row("a", "n=1", 1.0);
        placed.cpu_sets = "cores".into();
        let rows = [row("a", "n=1", 1.0), placed];
        let settings = Settings::from_rows(&rows);
        assert_eq!(settings.apart(&shape::axes(&rows[0])), "no placement");
        assert_eq!(settings.apart(&shape::axes(&rows[1])), "places cores");
    }

    #[test]
    fn points_are_counted_and_not_their_stages() {
        let mut stage = row("a", "n=1", 0.5);
        stage.stage = "scatter".into();
        let mut refused = row("b", "n=1", 1.0);
        refused.median_s = None;
        refused.samples = 0;
        let rows = [row("a", "n=1", 1.0), stage, row("a", "n=2", 1.0), refused];
        let expected = Tally { points: 2, refused: 1, variants: 2, settings: 2, samples: 20 };
        assert_eq!(Tally::from_rows(&rows), expected);
    }

    #[test]
    fn times_are_cut_where_readers_stop() {
        assert_eq!(day("2026-11-20T12:18:41Z"), "2026-11-20");
        assert_eq!(minute("2026-11-20T12:18:41Z"), "2026-11-20 12:18 UTC");
        assert_eq!(minute("sometime"), "sometime");
    }

    #[test]
    fn a_killed_run_has_no_duration() {
        let mut record = run(vec![]).record;
        assert_eq!(duration(&record).as_deref(), Some("1m 30s"));
        record.finished = None;
        assert_eq!(duration(&record), None);
    }
}

/// Runs and comparisons for the tests of reports.
#[cfg(test)]
pub mod fixture {
    use std::path::PathBuf;

    pub use crate::charts::fixture::row;

    use statistics::Interval;

    use crate::charts::fixture;
    use crate::compare::{
        Comparison, Key, PointVerdict, RunName, Side, Thresholds, Unmatched, Verdict,
    };
    use crate::record::Code;
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
            energy: vec![],
            quality: vec![],
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
}
