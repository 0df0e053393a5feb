//! The folder that a stream of timeslices leaves behind.

use std::path::{Path, PathBuf};

use super::table_file::TableFile;
use super::{StoreError, describe, is_run};
use crate::record::RunRecord;
use crate::stream::{StreamRow, TimesliceRow};

const SPEEDS: &str = "stream.csv";
const TIMESLICES: &str = "timeslices.csv";

/// The folder of a run that goes on: `run.json`, `stream.csv` and `timeslices.csv`. Nobody else can
/// write to it meanwhile.
pub struct StreamFolder {
    path: PathBuf,
    speeds: TableFile<StreamRow>,
    timeslices: TableFile<TimesliceRow>,
}

impl StreamFolder {
    /// Creates the folder, if need be, and the files in it.
    ///
    /// # Errors
    /// If the folder can't be written, or holds a run already.
    pub fn create(path: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        files::create_folder(path).map_err(|source| StoreError::io(path, source))?;
        if is_run(path) {
            return Err(StoreError::Occupied(path.to_owned()));
        }
        let folder = StreamFolder {
            path: path.to_owned(),
            timeslices: TableFile::create(&path.join(TIMESLICES), TimesliceRow::COLUMNS)?,
            speeds: TableFile::create(&path.join(SPEEDS), StreamRow::COLUMNS)?,
        };
        folder.speeds.lock()?;
        describe(path, record)?;
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `run.json`, replacing an earlier one as a whole.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn describe(&self, record: &RunRecord) -> Result<(), StoreError> {
        describe(&self.path, record)
    }

    /// Appends a speed with its timeslices: both are on the disk when this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append(
        &mut self,
        row: &StreamRow,
        timeslices: &[TimesliceRow],
    ) -> Result<(), StoreError> {
        self.timeslices.append_durably(timeslices)?;
        self.speeds.append_durably(std::slice::from_ref(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::fixture::{row, timeslice};

    #[test]
    fn rows_come_back_and_a_folder_is_taken_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        let mut run = StreamFolder::create(&path, &RunRecord::default()).expect("made");
        run.append(&row(1.0), &[timeslice(0, 0.1), timeslice(1, 0.2)]).expect("written");
        drop(run);
        let mut speeds = csv::Reader::from_path(path.join(SPEEDS)).expect("there");
        let speeds: Vec<StreamRow> = speeds.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(speeds, [row(1.0)]);
        let mut timeslices = csv::Reader::from_path(path.join(TIMESLICES)).expect("there");
        let timeslices: Vec<TimesliceRow> =
            timeslices.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(timeslices, [timeslice(0, 0.1), timeslice(1, 0.2)]);
        let taken = StreamFolder::create(&path, &RunRecord::default());
        assert!(matches!(taken, Err(StoreError::Occupied(_))));
    }
}
