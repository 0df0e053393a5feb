//! The folders of open-loop runs of timeslices, and of runs of streams of events.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::read::{Declarable, declare, read_rows, read_run};
use super::table_file::TableFile;
use super::{StoreError, describe, is_run};
use crate::record::{Quantities, RunRecord};
use crate::stream::{StreamRow, TimesliceRow};
use crate::throughput::{EventRow, ThroughputRow};

const SPEEDS: &str = "stream.csv";
const TIMESLICES: &str = "timeslices.csv";
const NODES: &str = "nodes.csv";

impl Declarable for StreamRow {
    fn declared_by(&mut self, quantities: &Arc<Quantities>) {
        self.params = std::mem::take(&mut self.params).declared_by(quantities);
    }
}

/// A complete run of timeslices.
#[derive(Clone, Debug)]
pub struct StreamRun {
    /// Folder that it was read from.
    pub folder: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `stream.csv`.
    pub rows: Vec<StreamRow>,
    /// The rows of `timeslices.csv`.
    pub timeslices: Vec<TimesliceRow>,
}

impl StreamRun {
    /// Reads the folder of a stream.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let record = read_run(folder)?;
        let mut rows = read_rows(&folder.join(SPEEDS))?;
        declare(&record, &mut rows);
        Ok(StreamRun {
            folder: folder.to_owned(),
            record,
            rows,
            timeslices: read_rows(&folder.join(TIMESLICES))?,
        })
    }

    /// True if a folder contains a run of timeslices.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(SPEEDS).exists()
    }
}

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

/// Rows of a run of streams, and of their details.
pub trait StreamRows: Serialize + Default {
    /// A row of the details.
    type Detail: Serialize + Default;
    /// File of the rows.
    const ROWS: &str;
    /// File of the details.
    const DETAILS: &str;
}

impl StreamRows for StreamRow {
    type Detail = TimesliceRow;
    const ROWS: &str = SPEEDS;
    const DETAILS: &str = TIMESLICES;
}

impl StreamRows for ThroughputRow {
    type Detail = EventRow;
    const ROWS: &str = POINTS;
    const DETAILS: &str = EVENTS;
}

/// The locked folder of a run in progress: `run.json`, and the files of its rows and their details.
pub struct StreamRunFolder<R: StreamRows> {
    path: PathBuf,
    rows: TableFile<R>,
    details: TableFile<R::Detail>,
}

/// The folder of an open-loop run: `run.json`, `stream.csv` and `timeslices.csv`.
pub type StreamFolder = StreamRunFolder<StreamRow>;

/// The folder of a run of streams of events: `run.json`, `throughput.csv` and `events.csv`.
pub type ThroughputFolder = StreamRunFolder<ThroughputRow>;

impl<R: StreamRows> StreamRunFolder<R> {
    /// Creates the folder, if needed, and its files.
    ///
    /// # Errors
    /// If the folder can't be written, or contains a run already.
    pub fn create(path: &Path, record: &RunRecord) -> Result<Self, StoreError> {
        files::create_folder(path).map_err(|source| StoreError::io(path, source))?;
        if is_run(path) {
            return Err(StoreError::Occupied(path.to_owned()));
        }
        let folder = StreamRunFolder {
            path: path.to_owned(),
            details: TableFile::create(&path.join(R::DETAILS))?,
            rows: TableFile::create(&path.join(R::ROWS))?,
        };
        folder.rows.lock()?;
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

    /// Appends a row with its details; both are on disk when this returns.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn append(&mut self, row: &R, details: &[R::Detail]) -> Result<(), StoreError> {
        self.details.append_durably(details)?;
        self.rows.append_durably(std::slice::from_ref(row))
    }
}

impl StreamFolder {
    /// Writes `nodes.csv`, the rows of single nodes, with the columns of `stream.csv`.
    ///
    /// # Errors
    /// If it can't be written, or exists.
    pub fn write_nodes(&self, rows: &[StreamRow]) -> Result<(), StoreError> {
        let mut nodes = TableFile::create(&self.path.join(NODES))?;
        nodes.append_durably(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::SCHEMA_VERSION;
    use crate::stream::fixture::{row, timeslice};
    use crate::throughput::fixture;

    #[test]
    fn rows_come_back_and_a_folder_is_taken_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        let record = RunRecord { schema_version: SCHEMA_VERSION, ..RunRecord::default() };
        let mut run = StreamFolder::create(&path, &record).expect("made");
        run.append(&row(1.0), &[timeslice(0, 0.1), timeslice(1, 0.2)]).expect("written");
        let nodes = [StreamRow { node: "n1".into(), ..row(1.0) }];
        run.write_nodes(&nodes).expect("written");
        drop(run);
        let read = StreamRun::read(&path).expect("there");
        assert_eq!((read.rows, read.record), (vec![row(1.0)], record));
        assert_eq!(read.timeslices, [timeslice(0, 0.1), timeslice(1, 0.2)]);
        let of_nodes: Vec<StreamRow> = read_rows(&path.join(NODES)).expect("there");
        assert_eq!(of_nodes, nodes);
        let taken = StreamFolder::create(&path, &RunRecord::default());
        assert!(matches!(taken, Err(StoreError::Occupied(_))));
    }

    #[test]
    fn throughput_rows_come_back_and_a_folder_is_taken_once() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("run");
        let mut run = ThroughputFolder::create(&path, &RunRecord::default()).expect("made");
        let event = EventRow { stream: 1, seconds: 1e-3, ..EventRow::default() };
        run.append(&fixture::row(2, 1e6), &[event.clone(), event.clone()]).expect("written");
        drop(run);
        let mut points = csv::Reader::from_path(path.join(POINTS)).expect("there");
        let points: Vec<ThroughputRow> =
            points.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(points, [fixture::row(2, 1e6)]);
        let mut events = csv::Reader::from_path(path.join(EVENTS)).expect("there");
        assert_eq!(
            events.deserialize().map(|row| row.expect("a row")).collect::<Vec<EventRow>>(),
            [event.clone(), event]
        );
        let taken = ThroughputFolder::create(&path, &RunRecord::default());
        assert!(matches!(taken, Err(StoreError::Occupied(_))));
    }
}
