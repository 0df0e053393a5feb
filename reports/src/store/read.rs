//! Reading a run folder.

use std::collections::HashMap;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use files::Lines;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use text::Untrusted;

use super::folder::RunRows;
use super::{RUN, SAMPLES, SUMMARY, StoreError, table_file};
use crate::aliases::ALIASES;
use crate::record::{Machine, RunRecord, SCHEMA_VERSION, SampleRow, SummaryRow};
use crate::units::counted;

/// A complete run.
#[derive(Clone, Debug)]
pub struct Run {
    /// Folder that it was read from.
    pub folder: PathBuf,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `summary.csv`.
    pub summary: Vec<SummaryRow>,
    /// The rows of `samples.csv`.
    pub samples: Vec<SampleRow>,
}

impl Run {
    /// Reads a run folder.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        Ok(Run {
            folder: folder.to_owned(),
            record: read_run(folder)?,
            summary: read_summary(folder)?,
            samples: read_samples(folder)?,
        })
    }
}

/// A run without its samples.
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// The name of its folder.
    pub id: String,
    /// `run.json`.
    pub record: RunRecord,
    /// The rows of `summary.csv`, with the current names of variants.
    pub rows: Vec<SummaryRow>,
}

impl RunSummary {
    /// Reads a run folder without its samples.
    ///
    /// # Errors
    /// If a file is missing, damaged or of another version.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let id = folder.file_name().unwrap_or_default();
        let record = read_run(folder)?;
        Ok(RunSummary {
            id: id.to_string_lossy().into_owned(),
            rows: ALIASES.of_rows(read_summary(folder)?, &record.software.version),
            record,
        })
    }
}

/// The part of a JSON file that all versions have.
#[derive(Serialize, Deserialize)]
pub(crate) struct Versioned {
    pub schema_version: u32,
}

/// Reads `run.json`. A key of an earlier version is replaced by the current one.
///
/// # Errors
/// If it is missing, damaged or of another version.
pub fn read_run(folder: &Path) -> Result<RunRecord, StoreError> {
    let record: RunRecord = read_versioned(&folder.join(RUN), SCHEMA_VERSION)?;
    Ok(record.with_todays_key())
}

/// Machine of a run, with the key that was written.
#[derive(Deserialize)]
pub(crate) struct WrittenKey {
    /// Key in `run.json`.
    pub machine_key: String,
    /// Machine of the key.
    pub machine: Machine,
}

impl WrittenKey {
    /// Reads them from `run.json`.
    pub(crate) fn read(folder: &Path) -> Result<Self, StoreError> {
        read_versioned(&folder.join(RUN), SCHEMA_VERSION)
    }

    /// The current key, if an earlier version wrote another one.
    pub(crate) fn replaced_by(&self) -> Option<String> {
        (self.machine_key == self.machine.earlier_key()).then(|| self.machine.key())
    }
}

/// Reads a JSON file with the version of its layout.
pub(crate) fn read_versioned<T: DeserializeOwned>(
    path: &Path,
    known: u32,
) -> Result<T, StoreError> {
    let text = table_file::read_text(path)?;
    let parse_error = |error| StoreError::format(path, error);
    let Versioned { schema_version: found } = serde_json::from_str(&text).map_err(parse_error)?;
    if found != known {
        return Err(StoreError::Version { path: path.to_owned(), found, known });
    }
    serde_json::from_str(&text).map_err(parse_error)
}

/// Reads `samples.csv`.
///
/// # Errors
/// If it is missing or damaged: the error names the line.
pub fn read_samples(folder: &Path) -> Result<Vec<SampleRow>, StoreError> {
    let path = folder.join(SAMPLES);
    let rows: Vec<SampleRow> = read_rows(&path)?;
    let is_duration = |row: &SampleRow| row.seconds.is_finite() && row.seconds >= 0.0;
    match rows.iter().position(|row| !is_duration(row)) {
        None => Ok(rows),
        Some(index) => {
            // The header is row 1.
            let row = index + 2;
            let problem =
                format!("row {row}: {} is not a duration in seconds", rows[index].seconds);
            Err(StoreError::format(&path, problem))
        }
    }
}

/// Reads `summary.csv`.
///
/// # Errors
/// If it is missing or damaged: the error names the line.
pub fn read_summary(folder: &Path) -> Result<Vec<SummaryRow>, StoreError> {
    let mut rows = read_rows(&folder.join(SUMMARY))?;
    declare_in(folder, &mut rows);
    Ok(rows)
}

/// Reads the rows of a run, with the declarations of its axes and metrics.
pub(super) fn read_declared<R: RunRows>(
    folder: &Path,
    record: &RunRecord,
) -> Result<Vec<R>, StoreError> {
    let mut rows = read_rows(&folder.join(R::ROWS))?;
    declare(record, &mut rows);
    Ok(rows)
}

fn declare<R: RunRows>(record: &RunRecord, rows: &mut [R]) {
    let quantities = Arc::new(record.quantities());
    for params in rows.iter_mut().flat_map(R::declarable) {
        *params = std::mem::take(params).declared_by(&quantities);
    }
}

/// Adds the declarations of the run in the folder to rows. Without a readable `run.json` there are
/// no declarations.
fn declare_in(folder: &Path, rows: &mut [SummaryRow]) {
    if let Ok(record) = read_run(folder) {
        declare(&record, rows);
    }
}

/// Reads `summary.csv`; refuses points that occur twice.
///
/// # Errors
/// If it is missing, damaged or ambiguous: the error names the lines.
pub(crate) fn read_distinct_summary(folder: &Path) -> Result<Vec<SummaryRow>, StoreError> {
    let path = folder.join(SUMMARY);
    let csv_error = |error| StoreError::csv(&path, error);
    let mut reader = csv::Reader::from_reader(open_rows(&path)?);
    let header = reader.headers().map_err(csv_error)?.clone();
    let mut lines = HashMap::new();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(csv_error)?;
        let row: SummaryRow = record.deserialize(Some(&header)).map_err(csv_error)?;
        let line = record.position().map_or(0, csv::Position::line);
        if let Some(first) = lines.insert((row.point(), row.stage.clone()), line) {
            return Err(StoreError::Duplicate {
                path: path.clone(),
                first,
                second: line,
                point: words(&row),
            });
        }
        rows.push(row);
    }
    declare_in(folder, &mut rows);
    Ok(rows)
}

fn words(row: &SummaryRow) -> String {
    let SummaryRow { algorithm, variant, stage, device, threads, params, .. } = row;
    let threads = counted(*threads, "thread");
    let [algorithm, variant, stage, device] =
        [algorithm, variant, stage, device].map(|name| name.escaped());
    format!("{algorithm} {variant} {stage} on {device}, {threads}, {params}")
}

pub(super) fn read_rows<R: DeserializeOwned>(path: &Path) -> Result<Vec<R>, StoreError> {
    rows_of(open_rows(path)?).map_err(|error| StoreError::csv(path, error))
}

/// All rows, after checking the header: a reader of an unreadable file would find no header and
/// report no rows.
fn rows_of<R: DeserializeOwned>(text: impl Read) -> Result<Vec<R>, csv::Error> {
    let mut reader = csv::Reader::from_reader(text);
    reader.headers()?;
    reader.deserialize().collect()
}

/// Opens a file of rows; refuses one whose last row is incomplete, which may still parse: `0.0123`
/// cut short is another number. Lines that are too long are refused as they are read.
fn open_rows(path: &Path) -> Result<impl Read, StoreError> {
    let io_error = |source| StoreError::missing(path, source);
    let mut file = table_file::open(path)?;
    let bytes = file.metadata().map_err(io_error)?.len();
    let mut last = [0];
    if bytes > 0 {
        file.seek(SeekFrom::End(-1)).map_err(io_error)?;
        file.read_exact(&mut last).map_err(io_error)?;
        file.rewind().map_err(io_error)?;
    }
    if last != [b'\n'] {
        return Err(StoreError::cut_off(path));
    }
    Ok(Lines::for_table(BufReader::with_capacity(1 << 20, file)))
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// A file that can't be read after some bytes.
    struct Damaged<'a>(&'a [u8]);

    impl Read for Damaged<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::Error::from_raw_os_error(5)),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn an_unreadable_table_is_not_an_empty_one() {
        let header = SummaryRow::COLUMNS;
        let whole = format!("{header}\n");
        assert!(rows_of::<SummaryRow>(whole.as_bytes()).is_ok_and(|rows| rows.is_empty()));
        for text in ["", "algorithm,vari", header, &whole] {
            assert!(rows_of::<SummaryRow>(Damaged(text.as_bytes())).is_err(), "{text}");
        }
    }
}
