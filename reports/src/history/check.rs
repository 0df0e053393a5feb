//! Requirements of a run that is to be stored.

use std::path::Path;

use text::Untrusted;

use super::{HistoryError, Unfinished, names};
use crate::record::{RunRecord, SummaryRow, YesNo};
use crate::store::{RUN, StoreError, read_distinct_summary, read_run, read_samples};

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
    names::check(folder, &record, &summary, &samples)?;
    if summary.iter().all(|row| row.valid == YesNo::No) {
        return Err(HistoryError::Empty(folder.to_owned()));
    }
    if record.finished.is_none() && unfinished == Unfinished::Refuse {
        return Err(HistoryError::Unfinished(folder.to_owned()));
    }
    Ok((record, summary))
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
}
