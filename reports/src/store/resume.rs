//! Going on with a run that was stopped.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use serde::Serialize;

use super::table_file::TableFile;
use super::{DISTURBED, Run, RunFolder, SAMPLES, SUMMARY, StoreError};
use crate::record::{SampleRow, SummaryRow};

/// What `stopped_by` says of points that were cut short.
const INTERRUPTED: &str = "interrupt";

impl RunFolder {
    /// Opens the folder of a run that was stopped, with what it holds.
    ///
    /// Points that have a row in `summary.csv` are done, unless an interrupt cut
    /// them short. The samples of other points are dropped: they are measured
    /// again from the start, so that no point is a mixture of two sittings.
    ///
    /// # Errors
    /// If the folder can't be read or written, holds no run, or is in use.
    pub fn resume(path: &Path) -> Result<(Self, Run), StoreError> {
        let samples = TableFile::<SampleRow>::reopen(&path.join(SAMPLES))?;
        samples.lock()?;
        let mut samples = samples.mend()?;
        let mut summary = TableFile::reopen(&path.join(SUMMARY))?.mend()?;
        let disturbed = path.join(DISTURBED);
        let disturbed = match disturbed.exists() {
            true => Some(TableFile::reopen(&disturbed)?.mend()?),
            false => None,
        };
        let mut run = Run::read(path)?;
        let before = (run.summary.len(), run.samples.len());
        run.summary.retain(|row| row.stopped_by != INTERRUPTED);
        let done: HashSet<_> = run.summary.iter().map(|row| row.point().id()).collect();
        run.samples.retain(|sample| done.contains(&sample.point_id));
        let after = (run.summary.len(), run.samples.len());
        if after != before {
            // The summary first: a kill in between leaves samples too many,
            // which the next one drops, and no point without its samples.
            summary = replaced(&path.join(SUMMARY), SummaryRow::COLUMNS, &run.summary)?;
            samples = replaced(&path.join(SAMPLES), SampleRow::COLUMNS, &run.samples)?;
        }
        let folder = RunFolder {
            path: path.to_owned(),
            samples,
            summary,
            disturbed,
        };
        Ok((folder, run))
    }
}

/// The rows in a new file, which takes the place of the old one as a whole.
fn replaced<R: Serialize>(
    path: &Path,
    columns: &str,
    rows: &[R],
) -> Result<TableFile<R>, StoreError> {
    let draft = path.with_extension("csv.new");
    if draft.exists() {
        fs::remove_file(&draft).map_err(|source| StoreError::io(&draft, source))?;
    }
    let mut file = TableFile::create(&draft, columns)?;
    file.lock()?;
    file.append(rows)?;
    fs::rename(&draft, path).map_err(|source| StoreError::io(path, source))?;
    Ok(file.moved_to(path))
}
