//! The folder of a run of streams of events.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::read::{Declarable, declare, read_rows, read_run};
use super::table_file::TableFile;
use super::{StoreError, describe, is_run};
use crate::record::{Quantities, RunRecord};
use crate::throughput::{EventRow, ThroughputRow};

const POINTS: &str = "throughput.csv";
const EVENTS: &str = "events.csv";

impl Declarable for ThroughputRow {
    fn declared_by(&mut self, quantities: &Arc<Quantities>) {
        self.params = std::mem::take(&mut self.params).declared_by(quantities);
    }
}

/// A run of streams without the single events.
#[derive(Clone, Debug)]
pub struct ThroughputRun {
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `throughput.csv`.
    pub rows: Vec<ThroughputRow>,
}

impl ThroughputRun {
    /// Reads the folder of a run without the single events.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let record = read_run(folder)?;
        let mut rows = read_rows(&folder.join(POINTS))?;
        declare(&record, &mut rows);
        Ok(ThroughputRun { record, rows })
    }

    /// True if a folder contains a run of streams.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(POINTS).exists()
    }
}

/// The locked folder of a run in progress: `run.json`, `throughput.csv` and `events.csv`.
pub struct ThroughputFolder {
    path: PathBuf,
    points: TableFile<ThroughputRow>,
    events: TableFile<EventRow>,
}

impl ThroughputFolder {
    /// Creates the folder, if needed, and its files.
    ///
    /// # Errors
    /// If the folder can't be written, or contains a run already.
    pub fn create(path: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        files::create_folder(path).map_err(|source| StoreError::io(path, source))?;
        if is_run(path) {
            return Err(StoreError::Occupied(path.to_owned()));
        }
        let folder = ThroughputFolder {
            path: path.to_owned(),
            events: TableFile::create(&path.join(EVENTS), EventRow::COLUMNS)?,
            points: TableFile::create(&path.join(POINTS), ThroughputRow::COLUMNS)?,
        };
        folder.points.lock()?;
        describe(path, record)?;
        Ok(folder)
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes `run.json`, atomically replacing an earlier one.
    ///
    /// # Errors
    /// If it can't be written.
    pub fn describe(&self, record: &RunRecord) -> Result<(), StoreError> {
        describe(&self.path, record)
    }

    /// Appends a point with its events; both are on disk when this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append(&mut self, row: &ThroughputRow, events: &[EventRow]) -> Result<(), StoreError> {
        self.events.append_durably(events)?;
        self.points.append_durably(std::slice::from_ref(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::throughput::fixture::row;

    #[test]
    fn rows_come_back_and_a_folder_is_taken_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        let mut run = ThroughputFolder::create(&path, &RunRecord::default()).expect("made");
        let event = EventRow { stream: 1, seconds: 1e-3, ..EventRow::default() };
        run.append(&row(2, 1e6), &[event.clone(), event.clone()]).expect("written");
        drop(run);
        let mut points = csv::Reader::from_path(path.join(POINTS)).expect("there");
        let points: Vec<ThroughputRow> =
            points.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(points, [row(2, 1e6)]);
        let mut events = csv::Reader::from_path(path.join(EVENTS)).expect("there");
        assert_eq!(
            events.deserialize().map(|row| row.expect("a row")).collect::<Vec<EventRow>>(),
            [event.clone(), event]
        );
        let taken = ThroughputFolder::create(&path, &RunRecord::default());
        assert!(matches!(taken, Err(StoreError::Occupied(_))));
    }
}
