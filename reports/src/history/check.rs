//! Requirements of a run that is to be stored. Its names are checked, as later lists, comparisons
//! and charts contain them.

use std::path::Path;

use text::{Untrusted, is_hidden};

use super::{HistoryError, Unfinished};
use crate::record::{Params, RunRecord, SampleRow, SummaryRow, YesNo};
use crate::store::{
    RUN, SAMPLES, SUMMARY, StoreError, read_distinct_summary, read_run, read_samples,
};

/// Reads a run and refuses data that would mislead later.
pub(super) fn check(
    folder: &Path,
    unfinished: Unfinished,
) -> Result<(RunRecord, Vec<SummaryRow>), HistoryError> {
    let record = read_run(folder)?;
    if humantime::parse_rfc3339_weak(&record.started).is_err() {
        let problem = format!(
            "started: {} is not a time such as 2026-01-31T12:00:00Z",
            record.started.quoted()
        );
        return Err(StoreError::format(&folder.join(RUN), problem).into());
    }
    let samples = read_samples(folder)?;
    let summary = read_distinct_summary(folder)?;
    check_names(folder, &record, &summary, &samples)?;
    if summary.iter().all(|row| row.valid == YesNo::No) {
        return Err(HistoryError::Empty(folder.to_owned()));
    }
    if record.finished.is_none() && unfinished == Unfinished::Refuse {
        return Err(HistoryError::Unfinished(folder.to_owned()));
    }
    Ok((record, summary))
}

/// Maximum number of characters of a name; recobench's own names are at most a quarter of it.
const NAME: usize = 200;
/// Maximum number of characters of a list, such as the CPU sets of 256 threads.
const LIST: usize = 10_000;

/// A text of a run: its column or key, the text, and the maximum length.
type NamedText<'a> = (&'static str, &'a str, usize);

/// Refuses names with control characters, and overlong ones.
fn check_names(
    folder: &Path,
    record: &RunRecord,
    summary: &[SummaryRow],
    samples: &[SampleRow],
) -> Result<(), HistoryError> {
    let refuse = |file: &str, problem: String| StoreError::format(&folder.join(file), problem);
    if let Some(problem) = first_problem(&of_record(record), &[]) {
        return Err(refuse(RUN, problem).into());
    }
    let rows = summary.iter().map(|row| (of_summary(row), vec![&row.params, &row.metrics]));
    check_rows(rows).map_err(|problem| refuse(SUMMARY, problem))?;
    let rows = samples.iter().map(|row| (of_sample(row), vec![&row.params, &row.counters]));
    check_rows(rows).map_err(|problem| refuse(SAMPLES, problem))?;
    Ok(())
}

fn check_rows<'a, const N: usize>(
    rows: impl Iterator<Item = ([NamedText<'a>; N], Vec<&'a Params>)>,
) -> Result<(), String> {
    for (i, (names, lists)) in rows.enumerate() {
        if let Some(problem) = first_problem(&names, &lists) {
            // The header is row 1.
            return Err(format!("row {}, {problem}", i + 2));
        }
    }
    Ok(())
}

fn first_problem(names: &[NamedText<'_>], lists: &[&Params]) -> Option<String> {
    let named = names.iter().copied();
    let pairs = lists.iter().flat_map(|list| list.iter());
    let pairs = pairs.flat_map(|(name, value)| [("params", name, NAME), ("params", value, LIST)]);
    named.chain(pairs).find_map(|(location, text, max)| problem(location, text, max))
}

fn problem(location: &str, text: &str, max: usize) -> Option<String> {
    let shown = text.quoted();
    if text.chars().any(is_hidden) {
        return Some(format!(
            "{location}: {shown} has control characters; remove them from the file, and add the run \
             again"
        ));
    }
    // The length in bytes is cheaper, and an upper limit of the number of characters.
    (text.len() > max && text.chars().count() > max)
        .then(|| format!("{location}: {shown} is longer than {max} characters; shorten it"))
}

fn of_record(record: &RunRecord) -> Vec<NamedText<'_>> {
    let suite = record.suite.as_ref().map(|suite| ("suite", suite.name.as_str(), NAME));
    let commit = record.software.git_commit.as_deref().map(|commit| ("git_commit", commit, NAME));
    let finished = record.finished.as_deref().map(|time| ("finished", time, NAME));
    let host = record.host_name.as_deref().map(|host| ("host_name", host, NAME));
    let gpus = record.machine.gpus.iter().map(|gpu| ("gpus", gpu.model.as_str(), NAME));
    let hip = record
        .hip
        .iter()
        .flat_map(|gpu| [("hip", gpu.model.as_str(), NAME), ("hip", &gpu.architecture, NAME)]);
    let fixed = [
        ("started", record.started.as_str(), NAME),
        ("machine_key", &record.machine_key, NAME),
        ("cpu_model", &record.machine.cpu_model, NAME),
        ("version", &record.software.version, NAME),
        ("fingerprint", &record.software.fingerprint, NAME),
    ];
    fixed
        .into_iter()
        .chain(suite)
        .chain(commit)
        .chain(finished)
        .chain(host)
        .chain(gpus)
        .chain(hip)
        .collect()
}

/// All texts but the note, which is a sentence of any length with line breaks.
fn of_summary(row: &SummaryRow) -> [NamedText<'_>; 12] {
    [
        ("algorithm", &row.algorithm, NAME),
        ("variant", &row.variant, NAME),
        ("stage", &row.stage, NAME),
        ("backend", &row.backend, NAME),
        ("device", &row.device, NAME),
        ("places", &row.cpu_sets, LIST),
        ("bind", &row.bind, NAME),
        ("cache", &row.cache, NAME),
        ("item_unit", &row.item_unit, NAME),
        ("stopped_by", &row.stopped_by, NAME),
        ("fingerprint", &row.fingerprint, NAME),
        ("given", &row.given, LIST),
    ]
}

fn of_sample(row: &SampleRow) -> [NamedText<'_>; 7] {
    [
        ("point_id", &row.point_id, NAME),
        ("algorithm", &row.algorithm, NAME),
        ("variant", &row.variant, NAME),
        ("stage", &row.stage, NAME),
        ("device", &row.device, NAME),
        ("cpu", &row.cpu, LIST),
        ("flags", &row.flags, LIST),
    ]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::testing::{folder, record, row, write};
    use super::*;
    use crate::store::{SAMPLES, SUMMARY};

    /// Error for a run one of whose files was changed.
    fn refusal(name: &str, change: impl FnOnce(String) -> String) -> String {
        let folder = folder();
        write(folder.path(), &record(1), &[row("a"), row("b")]);
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).expect("readable");
        fs::write(&path, change(text)).expect("written");
        check(folder.path(), Unfinished::Refuse).expect_err("refused").to_string()
    }

    #[test]
    fn a_whole_run_is_accepted() {
        let folder = folder();
        write(folder.path(), &record(1), &[row("a"), row("b")]);
        let (found, summary) = check(folder.path(), Unfinished::Refuse).expect("whole");
        assert_eq!((found, summary.len()), (record(1), 2));
        fs::remove_file(folder.path().join(SAMPLES)).expect("removed");
        let refusal = check(folder.path(), Unfinished::Refuse).expect_err("no samples");
        assert!(refusal.to_string().contains("samples.csv"), "{refusal}");
    }

    #[test]
    fn misleading_data_are_refused_with_their_location() {
        type Change = fn(String) -> String;
        let first_row_twice: Change = |text| {
            let row = text.lines().nth(1).unwrap_or_default().to_owned();
            format!("{text}{row}\n")
        };
        let cases: [(&str, Change, &str); 9] = [
            (SAMPLES, |text| text + "0123,sort", "samples.csv: line 4: the last row is incomplete"),
            (SUMMARY, |text| text + "sort,x", "summary.csv: line 4"),
            (RUN, |_| "{\"schema_v".into(), "run.json"),
            (SUMMARY, first_row_twice, "lines 2 and 4 are the same point: sort a"),
            (SUMMARY, |_| String::new(), "summary.csv: line 1"),
            (SUMMARY, |_| "a,b\n1,2\n".into(), "summary.csv: line 1: no column \"algorithm\""),
            (RUN, |_| r#"{"schema_version": 9}"#.into(), "schema version 9"),
            (
                RUN,
                |text| text.replace("2026-01-01T00:00:00Z", "yesterday"),
                "\"yesterday\" is not a time",
            ),
            (
                SUMMARY,
                |text| text.replace(",yes,yes,", ",yes,no,"),
                "an empty run: no row is valid",
            ),
        ];
        for (name, change, expected) in cases {
            let text = refusal(name, change);
            assert!(text.contains(expected), "{expected}: {text}");
        }
    }

    #[test]
    fn unfinished_runs_need_a_flag() {
        let folder = folder();
        let unfinished = RunRecord { finished: None, ..record(1) };
        write(folder.path(), &unfinished, &[row("a")]);
        let refused = check(folder.path(), Unfinished::Refuse).err();
        assert!(matches!(refused, Some(HistoryError::Unfinished(_))), "{refused:?}");
        assert!(check(folder.path(), Unfinished::Allow).is_ok());
    }

    fn names_refusal(summary: &[SummaryRow], samples: &[SampleRow], record: &RunRecord) -> String {
        let checked = check_names(Path::new("run"), record, summary, samples);
        checked.expect_err("refused").to_string()
    }

    #[test]
    fn names_with_control_characters_are_refused_with_their_location() {
        let fine = SummaryRow::default();
        let record = RunRecord::default();
        let summary = SummaryRow { variant: "a\u{1b}[2J\n".into(), ..SummaryRow::default() };
        let phrases = names_refusal(&[fine, summary], &[], &record);
        let start = "run/summary.csv: row 3, variant: \"a\\u{1b}[2J\\n\" has control characters";
        assert!(phrases.starts_with(start), "{phrases}");
        let params = "digis=2\u{202e}".parse().expect("params");
        let sample = SampleRow { params, ..SampleRow::default() };
        let phrases = names_refusal(&[], &[sample], &record);
        assert!(phrases.starts_with("run/samples.csv: row 2, params: \"2\\u{202e}\""), "{phrases}");
        let record = RunRecord { machine_key: "k".repeat(120_000), ..RunRecord::default() };
        let phrases = names_refusal(&[], &[], &record);
        assert!(phrases.starts_with("run/run.json: machine_key: \"kkk"), "{phrases}");
        assert!(phrases.len() < 300 && phrases.contains("is longer than"), "{phrases}");
    }

    #[test]
    fn common_spellings_are_accepted() {
        let summary = SummaryRow {
            variant: "µ×ä 日本".into(),
            note: "a sentence\nof two lines".into(),
            cpu_sets: "{0},".repeat(1_000),
            ..SummaryRow::default()
        };
        let record = RunRecord::default();
        check_names(Path::new("run"), &record, &[summary], &[]).expect("taken");
    }
}
