//! What a run must be like to be stored.

use std::path::Path;

use super::{HistoryError, Unfinished};
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::store::{RUN, StoreError, read_distinct_summary, read_run, read_samples};

/// A run that may be stored.
pub(super) struct Checked {
    pub(super) record: RunRecord,
    pub(super) summary: Vec<SummaryRow>,
}

/// Reads a run and refuses what would mislead later.
pub(super) fn check(folder: &Path, unfinished: Unfinished) -> Result<Checked, HistoryError> {
    let record = read_run(folder)?;
    if humantime::parse_rfc3339_weak(&record.started).is_err() {
        let problem =
            format!("started: \"{}\" is no time such as 2026-01-31T12:00:00Z", record.started);
        return Err(StoreError::format(&folder.join(RUN), problem).into());
    }
    read_samples(folder)?;
    let summary = read_distinct_summary(folder)?;
    if summary.iter().all(|row| row.valid == YesNo::No) {
        return Err(HistoryError::Empty(folder.to_owned()));
    }
    if record.finished.is_none() && unfinished == Unfinished::Refuse {
        return Err(HistoryError::Unfinished(folder.to_owned()));
    }
    Ok(Checked { record, summary })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::testing::{folder, record, row, write};
    use super::*;
    use crate::store::{SAMPLES, SUMMARY};

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
        assert!(text.contains("samples.csv: line 4: the last row is incomplete"), "{text}");
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
        assert!(text.contains("lines 2 and 4 are the same point: sort a"), "{text}");
    }

    #[test]
    fn empty_runs_are_refused() {
        for rows in [vec![], vec![SummaryRow { valid: YesNo::No, ..row("a") }]] {
            let folder = folder();
            write(folder.path(), &record(1), &rows);
            let refusal = check(folder.path(), Unfinished::Allow).err();
            assert!(matches!(refusal, Some(HistoryError::Empty(_))), "{refusal:?}");
        }
        let text = refusal(|run| fs::write(run.join(SUMMARY), "").expect("written"));
        assert!(text.contains("summary.csv: line 1"), "{text}");
    }

    #[test]
    fn foreign_files_and_other_versions_are_refused() {
        let text = refusal(|run| fs::write(run.join(SUMMARY), "a,b\n1,2\n").expect("written"));
        assert!(text.contains("summary.csv: line 1: no column"), "{text}");
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
        assert!(matches!(refused, Some(HistoryError::Unfinished(_))), "{refused:?}");
        assert!(check(folder.path(), Unfinished::Allow).is_ok());
    }
}
