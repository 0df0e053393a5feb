//! What a run must be like to be stored.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::{HistoryError, Unfinished};
use crate::compare::Key;
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::store::{RUN, SAMPLES, SUMMARY, StoreError, read_run, read_samples};

/// A run that may be stored.
pub(super) struct Checked {
    pub(super) record: RunRecord,
    pub(super) summary: Vec<SummaryRow>,
}

/// Reads a run and refuses what would mislead later.
pub(super) fn check(folder: &Path, unfinished: Unfinished) -> Result<Checked, HistoryError> {
    let record = read_run(folder)?;
    if humantime::parse_rfc3339_weak(&record.started).is_err() {
        let problem = format!(
            "started: \"{}\" is no time such as 2026-01-31T12:00:00Z",
            record.started
        );
        return Err(StoreError::format(&folder.join(RUN), problem).into());
    }
    for table in [SAMPLES, SUMMARY] {
        check_last_line(&folder.join(table))?;
    }
    read_samples(folder)?;
    let summary = check_summary(&folder.join(SUMMARY))?;
    if summary.iter().all(|row| row.valid == YesNo::No) {
        return Err(HistoryError::Empty(folder.to_owned()));
    }
    if record.finished.is_none() && unfinished == Unfinished::Refuse {
        return Err(HistoryError::Unfinished(folder.to_owned()));
    }
    Ok(Checked { record, summary })
}

/// A line that was cut within its last number would be read as another number.
fn check_last_line(path: &Path) -> Result<(), HistoryError> {
    let bytes = fs::read(path).map_err(|source| StoreError::io(path, source))?;
    match bytes.last() {
        None | Some(b'\n') => Ok(()),
        Some(_) => Err(HistoryError::HalfWritten {
            path: path.to_owned(),
            line: 1 + bytes.iter().filter(|&&byte| byte == b'\n').count(),
        }),
    }
}

/// The rows of a summary in which each point and stage is there once.
fn check_summary(path: &Path) -> Result<Vec<SummaryRow>, HistoryError> {
    let csv_error = |error| StoreError::csv(path, error);
    let mut reader = csv::Reader::from_path(path).map_err(csv_error)?;
    let header = reader.headers().map_err(csv_error)?.clone();
    let mut lines = HashMap::new();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(csv_error)?;
        let row: SummaryRow = record.deserialize(Some(&header)).map_err(csv_error)?;
        let line = record.position().map_or(0, |position| position.line());
        let key = Key::new(row.point(), &row.stage);
        if let Some(first) = lines.insert(key, line) {
            return Err(HistoryError::Duplicate {
                path: path.to_owned(),
                first,
                second: line,
                point: words(&row),
            });
        }
        rows.push(row);
    }
    Ok(rows)
}

fn words(row: &SummaryRow) -> String {
    let SummaryRow {
        algorithm,
        variant,
        stage,
        device,
        threads,
        params,
        ..
    } = row;
    format!("{algorithm} {variant} {stage} on {device}, {threads} threads, {params}")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{folder, record, row, write};
    use super::*;

    /// What is said of a run that was written and then spoilt.
    fn refusal(spoil: impl FnOnce(&Path)) -> String {
        let folder = folder();
        write(folder.path(), &record(1), &[row("a"), row("b")]);
        spoil(folder.path());
        match check(folder.path(), Unfinished::Refuse) {
            Ok(_) => panic!("accepted"),
            Err(refusal) => refusal.to_string(),
        }
    }

    fn append(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        let before = fs::read_to_string(&path).expect("readable");
        fs::write(&path, before + text).expect("written");
    }

    #[test]
    fn a_whole_run_is_accepted() {
        let folder = folder();
        write(folder.path(), &record(1), &[row("a"), row("b")]);
        let checked = check(folder.path(), Unfinished::Refuse).expect("whole");
        assert_eq!(checked.summary.len(), 2);
        assert_eq!(checked.record, record(1));
    }

    #[test]
    fn half_written_lines_are_named() {
        let text = refusal(|run| append(run, SAMPLES, "0123,sort"));
        assert!(
            text.contains("samples.csv: line 4 is half written"),
            "{text}"
        );
        let text = refusal(|run| append(run, SUMMARY, "sort,x"));
        assert!(text.contains("summary.csv: line 4"), "{text}");
        let text = refusal(|run| fs::write(run.join(RUN), "{\"schema_v").expect("written"));
        assert!(text.contains("run.json"), "{text}");
    }

    #[test]
    fn duplicated_points_are_named_with_both_lines() {
        let text = refusal(|run| {
            let path = run.join(SUMMARY);
            let text = fs::read_to_string(&path).expect("readable");
            let line = text.lines().nth(1).expect("a row").to_owned();
            append(run, SUMMARY, &format!("{line}\n"));
        });
        assert!(
            text.contains("lines 2 and 4 are the same point: sort a"),
            "{text}"
        );
    }

    #[test]
    fn empty_runs_are_refused() {
        for rows in [
            vec![],
            vec![SummaryRow {
                valid: YesNo::No,
                ..row("a")
            }],
        ] {
            let folder = folder();
            write(folder.path(), &record(1), &rows);
            let refusal = check(folder.path(), Unfinished::Allow).err();
            assert!(
                matches!(refusal, Some(HistoryError::Empty(_))),
                "{refusal:?}"
            );
        }
        let text = refusal(|run| fs::write(run.join(SUMMARY), "").expect("written"));
        assert!(text.contains("an empty run"), "{text}");
    }

    #[test]
    fn foreign_files_and_other_versions_are_refused() {
        let text = refusal(|run| fs::write(run.join(SUMMARY), "a,b\n1,2\n").expect("written"));
        assert!(text.contains("summary.csv: line 2"), "{text}");
        let text = refusal(|run| fs::remove_file(run.join(SAMPLES)).expect("removed"));
        assert!(text.contains("samples.csv"), "{text}");
        let other = r#"{"schema_version": 9}"#;
        let text = refusal(|run| fs::write(run.join(RUN), other).expect("written"));
        assert!(text.contains("schema version 9"), "{text}");
        let text = refusal(|run| {
            let text = fs::read_to_string(run.join(RUN)).expect("readable");
            let text = text.replace("2026-01-01T00:00:00Z", "yesterday");
            fs::write(run.join(RUN), text).expect("written");
        });
        assert!(text.contains("\"yesterday\" is no time"), "{text}");
    }

    #[test]
    fn unfinished_runs_need_a_flag() {
        let folder = folder();
        let mut unfinished = record(1);
        unfinished.finished = None;
        write(folder.path(), &unfinished, &[row("a")]);
        let refused = check(folder.path(), Unfinished::Refuse).err();
        assert!(
            matches!(refused, Some(HistoryError::Unfinished(_))),
            "{refused:?}"
        );
        assert!(check(folder.path(), Unfinished::Allow).is_ok());
    }
}
