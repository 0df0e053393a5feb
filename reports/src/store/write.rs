//! Writing the folder of a run in progress, resuming an interrupted one, and measured ceilings in a
//! folder of their own.

use std::collections::HashSet;
use std::path::Path;

use serde::Serialize;

use super::folder::{Folder, RunRows, json, replace};
use super::table_file::{TableFile, table};
use super::{QUALITY, RUN, Run, SAMPLES, SUMMARY, StoreError, read_summary};
use crate::frame::Frame;
use crate::record::{CeilingsRecord, Params, Point, SampleRow, SummaryRow};

impl RunRows for SummaryRow {
    type Detail = SampleRow;
    const ROWS: &str = SUMMARY;
    const DETAILS: &str = SAMPLES;

    fn declarable(&mut self) -> Vec<&mut Params> {
        vec![&mut self.params, &mut self.metrics]
    }

    /// Adds columns for axes and metrics to the summary, which are only known at the end.
    fn tidy(folder: &Path) -> Result<(), StoreError> {
        let path = folder.join(SUMMARY);
        let rows = Frame::from_summary(&read_summary(folder)?);
        let text = rows.exact_csv().map_err(|error| StoreError::format(&path, error))?;
        replace(&path, text.as_bytes())
    }
}

/// The locked folder of a run in progress: `run.json`, `summary.csv` and `samples.csv`.
pub type RunFolder = Folder<SummaryRow>;

/// Removes leftovers of processes that were killed while they wrote the files of a run.
pub fn clean(folder: &Path) {
    [RUN, SAMPLES, SUMMARY, QUALITY].iter().for_each(|name| files::clean(&folder.join(name)));
}

impl RunFolder {
    /// Appends the stages of one sample.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_samples(&mut self, rows: &[SampleRow]) -> Result<(), StoreError> {
        self.details.append(rows)
    }

    /// Appends the stages of one point, which is complete then: it and its samples are on disk when
    /// this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append_summary(&mut self, rows: &[SummaryRow]) -> Result<(), StoreError> {
        self.details.sync()?;
        self.rows.append_durably(rows)
    }
}

const CEILINGS: &str = "ceilings.json";
const LINKS: &str = "links.csv";

/// Checks that ceilings can be written to a folder, before they are measured.
///
/// # Errors
/// If it can't be created, or contains some already.
pub fn claim_ceilings(folder: &Path) -> Result<(), StoreError> {
    files::create_folder(folder).map_err(|source| StoreError::io(folder, source))?;
    if folder.join(CEILINGS).exists() {
        Err(StoreError::Occupied(folder.to_owned()))
    } else {
        Ok(())
    }
}

/// Writes `ceilings.json` and, if a link was measured, `links.csv`.
///
/// # Errors
/// If they can't be written, or exist already.
pub fn write_ceilings(folder: &Path, record: &CeilingsRecord) -> Result<(), StoreError> {
    claim_ceilings(folder)?;
    // The record is written last: if it is missing, the folder counts as empty and may be written
    // again.
    if !record.links.is_empty() {
        let path = folder.join(LINKS);
        replace(&path, &table(&path, &record.links)?)?;
    }
    let path = folder.join(CEILINGS);
    replace(&path, json(&path, record)?.as_bytes())
}

/// Value of `stopped_by` for points that were interrupted.
pub const INTERRUPTED: &str = "interrupt";

impl RunFolder {
    /// Opens the folder of an interrupted run, with its content.
    ///
    /// Points that have a row in `summary.csv` are complete, unless they were interrupted. The
    /// samples of other points are dropped: they are measured again from the start, so that no
    /// point mixes samples of two sessions.
    ///
    /// # Errors
    /// If the folder can't be read or written, contains no run, or is in use.
    pub fn resume(path: &Path) -> Result<(Self, Run), StoreError> {
        Self::resume_where(path, |_| true)
    }

    /// Resumes a run; points for which `is_done` is false are measured again, too.
    ///
    /// # Errors
    /// As of [`RunFolder::resume`].
    pub fn resume_where(
        path: &Path,
        is_done: impl Fn(&Point) -> bool,
    ) -> Result<(Self, Run), StoreError> {
        let samples = TableFile::<SampleRow>::reopen(&path.join(SAMPLES))?;
        samples.lock()?;
        let samples = samples.mend()?;
        let summary = TableFile::reopen(&path.join(SUMMARY))?.mend()?;
        let mut run = Run::read(path)?;
        // The summary is written first: a kill in between leaves excess samples, which the next
        // resume drops, and no point without its samples.
        let is_done = |row: &SummaryRow| row.stopped_by != INTERRUPTED && is_done(&row.point());
        let summary = kept(summary, &mut run.summary, is_done)?;
        let done: HashSet<_> = run.summary.iter().map(|row| row.point().id()).collect();
        let of_done = |sample: &SampleRow| done.contains(&sample.point_id);
        let samples = kept(samples, &mut run.samples, of_done)?;
        Ok((Folder { path: path.to_owned(), rows: summary, details: samples }, run))
    }
}

/// A table without unwanted rows; unchanged if all are wanted.
fn kept<R: Serialize + Default>(
    file: TableFile<R>,
    rows: &mut Vec<R>,
    is_wanted: impl Fn(&R) -> bool,
) -> Result<TableFile<R>, StoreError> {
    let before = rows.len();
    rows.retain(is_wanted);
    // Earlier versions had fewer columns, and finished runs have more.
    let stays = rows.len() == before && file.is_current()?;
    if stays { Ok(file) } else { file.replaced(rows) }
}

#[cfg(test)]
mod tests {
    use super::super::{read_samples, read_summary};
    use super::*;
    use crate::history::testing::{record, row};
    use crate::record::RunRecord;

    fn samples(variant: &str) -> [SampleRow; 2] {
        let point = row(variant).point();
        [0, 1].map(|i| SampleRow::new(&point, "total", i, i, 0.5))
    }

    /// A run in which `done` has its row, and `half` was killed before it had.
    fn killed(folder: &Path) {
        let mut run = RunFolder::create(folder, &record(1)).expect("created");
        for variant in ["done", "half"] {
            run.append_samples(&samples(variant)).expect("written");
        }
        run.append_summary(&[row("done")]).expect("written");
    }

    fn variants(rows: &[SampleRow]) -> Vec<&str> {
        rows.iter().map(|row| row.variant.as_str()).collect()
    }

    #[test]
    fn a_finished_run_resumes_with_the_columns_of_a_summary() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let record = record(1);
        let mut run = RunFolder::create(folder.path(), &record).expect("created");
        run.append_summary(&[row("a")]).expect("written");
        run.describe(&RunRecord { finished: Some("2026".into()), ..record }).expect("described");
        drop(run);
        let header = || {
            let text = std::fs::read_to_string(folder.path().join(SUMMARY)).expect("a text");
            text.lines().next().expect("a header").to_owned()
        };
        assert!(header().starts_with(&format!("{},point_id", SummaryRow::COLUMNS)));
        let (mut resumed, _) = RunFolder::resume(folder.path()).expect("resumed");
        resumed.append_summary(&[row("b")]).expect("written");
        assert_eq!(header(), SummaryRow::COLUMNS);
        let rows = read_summary(folder.path()).expect("readable");
        assert_eq!(rows.iter().map(|row| row.variant.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn a_point_that_is_dropped_leaves_no_rows() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        killed(folder.path());
        let (mut resumed, run) = RunFolder::resume(folder.path()).expect("resumed");
        assert_eq!(variants(&run.samples), ["done", "done"]);
        resumed.append_samples(&samples("half")).expect("written");
        let read = read_samples(folder.path()).expect("readable");
        assert_eq!(variants(&read), ["done", "done", "half", "half"]);
    }

    #[test]
    fn rows_are_cut_where_they_end_and_not_within_quotes() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        killed(folder.path());
        let mut run = RunFolder::resume(folder.path()).expect("resumed").0;
        let noted = SummaryRow { note: "in \"two\"\nlines".into(), ..row("noted") };
        run.append_summary(std::slice::from_ref(&noted)).expect("written");
        drop(run);
        let path = folder.path().join(SUMMARY);
        let whole = std::fs::read(&path).expect("a text");
        let rows = |length: usize| {
            std::fs::write(&path, &whole[..length]).expect("written");
            RunFolder::resume(folder.path()).expect("resumed").1.summary
        };
        assert_eq!(rows(whole.len()), [row("done"), noted]);
        let broken = whole.iter().rposition(|&byte| byte == b'"').expect("quotes");
        for length in [broken, whole.len() - 1] {
            assert_eq!(rows(length), [row("done")]);
        }
    }
}
