//! Runs of timeslices, of streams of events, and of mixes of loads.

use std::path::{Path, PathBuf};

use super::StoreError;
use super::folder::{Folder, RunRows};
use super::read::{read_declared, read_rows, read_run};
use super::table_file::TableFile;
use crate::mixed::{LoadRow, LoadWindowRow, SlowdownRow};
use crate::record::{Params, RunRecord};
use crate::stream::{StreamRow, TimesliceRow};
use crate::throughput::{EventRow, ThroughputRow};

const NODES: &str = "nodes.csv";
const MATRIX: &str = "matrix.csv";

impl RunRows for StreamRow {
    type Detail = TimesliceRow;
    const ROWS: &str = "stream.csv";
    const DETAILS: &str = "timeslices.csv";

    fn declarable(&mut self) -> Vec<&mut Params> {
        vec![&mut self.params]
    }
}

impl RunRows for ThroughputRow {
    type Detail = EventRow;
    const ROWS: &str = "throughput.csv";
    const DETAILS: &str = "events.csv";

    fn declarable(&mut self) -> Vec<&mut Params> {
        vec![&mut self.params]
    }
}

impl RunRows for LoadRow {
    type Detail = LoadWindowRow;
    const ROWS: &str = "loads.csv";
    const DETAILS: &str = "windows.csv";

    fn declarable(&mut self) -> Vec<&mut Params> {
        vec![&mut self.params]
    }
}

/// The folder of a mix of loads: `run.json`, `windows.csv` and, at its end, `loads.csv` and
/// `matrix.csv`.
pub type MixedFolder = Folder<LoadRow>;

/// The folder of an open-loop run: `run.json`, `stream.csv` and `timeslices.csv`.
pub type StreamFolder = Folder<StreamRow>;

/// The folder of a run of streams of events: `run.json`, `throughput.csv` and `events.csv`.
pub type ThroughputFolder = Folder<ThroughputRow>;

impl StreamFolder {
    /// Writes `nodes.csv`, the rows of single nodes, with the columns of `stream.csv`.
    ///
    /// # Errors
    /// If it can't be written, or exists.
    pub fn write_nodes(&self, rows: &[StreamRow]) -> Result<(), StoreError> {
        let mut nodes = TableFile::create(&self.path().join(NODES))?;
        nodes.append_durably(rows)
    }
}

impl MixedFolder {
    /// Writes `matrix.csv`, the slowdowns of all pairs.
    ///
    /// # Errors
    /// If it can't be written, or exists.
    pub fn write_matrix(&self, rows: &[SlowdownRow]) -> Result<(), StoreError> {
        let mut matrix = TableFile::create(&self.path().join(MATRIX))?;
        matrix.append_durably(rows)
    }
}

/// A mix of loads without its windows.
#[derive(Clone, Debug)]
pub struct MixedRun {
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `loads.csv`.
    pub loads: Vec<LoadRow>,
}

impl MixedRun {
    /// Reads the folder of a mix without its windows.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let record = read_run(folder)?;
        Ok(MixedRun { loads: read_declared(folder, &record)?, record })
    }

    /// True if a folder contains a mix of loads.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(LoadRow::ROWS).exists()
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
        Ok(StreamRun {
            folder: folder.to_owned(),
            rows: read_declared(folder, &record)?,
            timeslices: read_rows(&folder.join(StreamRow::DETAILS))?,
            record,
        })
    }

    /// True if a folder contains a run of timeslices.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(StreamRow::ROWS).exists()
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
        Ok(ThroughputRun { rows: read_declared(folder, &record)?, record })
    }

    /// True if a folder contains a run of streams.
    pub fn is_in(folder: &Path) -> bool {
        folder.join(ThroughputRow::ROWS).exists()
    }
}

/// A run of streams with the single events.
#[derive(Clone, Debug)]
pub struct ThroughputEvents {
    /// The run.
    pub run: ThroughputRun,
    /// The rows of `events.csv`.
    pub events: Vec<EventRow>,
}

impl ThroughputEvents {
    /// Reads the folder of a run.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let run = ThroughputRun::read(folder)?;
        Ok(ThroughputEvents { run, events: read_rows(&folder.join(ThroughputRow::DETAILS))? })
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
        let mut points = csv::Reader::from_path(path.join(ThroughputRow::ROWS)).expect("there");
        let points: Vec<ThroughputRow> =
            points.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(points, [fixture::row(2, 1e6)]);
        let mut events = csv::Reader::from_path(path.join(ThroughputRow::DETAILS)).expect("there");
        assert_eq!(
            events.deserialize().map(|row| row.expect("a row")).collect::<Vec<EventRow>>(),
            [event.clone(), event]
        );
        let taken = ThroughputFolder::create(&path, &RunRecord::default());
        assert!(matches!(taken, Err(StoreError::Occupied(_))));
    }
}
