//! Reading `samples.csv` fast: what comparing needs, and no more.
//!
//! Thousands of points have hundreds of thousands of samples. Turning each into
//! a [`SampleRow`](crate::record::SampleRow) would cost more than all the
//! statistics.

use std::collections::HashMap;
use std::path::Path;

use csv::{ByteRecord, Reader, ReaderBuilder};

use super::read::open_rows;
use super::{SAMPLES, StoreError};
use crate::record::{Params, flags};

/// The samples of one stage of one point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleSeries {
    /// The identifying fields: algorithm, variant, stage, device, threads, params.
    pub fields: [String; 6],
    /// All samples that count.
    pub all: Visits,
    /// Those of them that were not disturbed.
    pub quiet: Visits,
}

/// Samples in the order of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visits {
    /// In seconds.
    pub seconds: Vec<f64>,
    /// The positions at which visits begin.
    pub starts: Vec<usize>,
}

/// A point's id and a stage, as they stand in the file.
pub type SeriesKey = (Box<[u8]>, Box<[u8]>);

/// All series of a run.
pub type SeriesById = HashMap<SeriesKey, SampleSeries>;

/// The columns that are looked at.
const COLUMNS: [&str; 9] = [
    "point_id",
    "algorithm",
    "variant",
    "stage",
    "device",
    "threads",
    "params",
    "seconds",
    "flags",
];
const ID: usize = 0;
const STAGE: usize = 3;
const PARAMS: usize = 6;
const SECONDS: usize = 7;
const FLAGS: usize = 8;

/// Reads the samples of a run folder.
///
/// # Errors
/// If the file is missing or damaged: the error names the line.
pub fn read_series(folder: &Path) -> Result<SeriesById, StoreError> {
    let path = folder.join(SAMPLES);
    let mut reader = ReaderBuilder::new().from_reader(open_rows(&path)?);
    let columns = columns(&mut reader, &path)?;
    let mut all = SeriesById::new();
    let (mut record, mut last): (_, Option<SeriesKey>) = (ByteRecord::new(), None);
    let csv_error = |error| StoreError::csv(&path, error);
    let damaged = |record: &ByteRecord, problem: &str| {
        let line = record.position().map_or(0, csv::Position::line);
        StoreError::format(&path, format!("line {line}: {problem}"))
    };
    while reader.read_byte_record(&mut record).map_err(csv_error)? {
        let field = |column: usize| record.get(columns[column]).unwrap_or_default();
        // Rows of a stage often follow each other: then the key is known.
        let known =
            last.take().filter(|(id, stage)| **id == *field(ID) && **stage == *field(STAGE));
        let key = known.unwrap_or_else(|| (field(ID).into(), field(STAGE).into()));
        let series = match all.get_mut(&key) {
            Some(series) => series,
            None => {
                let begun = begun(field).map_err(|error| damaged(&record, &error))?;
                all.entry(key.clone()).or_insert(begun)
            }
        };
        let seconds = seconds(field(SECONDS)).map_err(|error| damaged(&record, &error))?;
        series.add(seconds, field(FLAGS));
        last = Some(key);
    }
    Ok(all)
}

/// Where the columns are that are looked at.
fn columns<R: std::io::Read>(
    reader: &mut Reader<R>,
    path: &Path,
) -> Result<[usize; COLUMNS.len()], StoreError> {
    let header = reader.headers().map_err(|error| StoreError::csv(path, error))?;
    let mut positions = [0; COLUMNS.len()];
    for (position, name) in positions.iter_mut().zip(COLUMNS) {
        *position = header.iter().position(|column| column == name).ok_or_else(|| {
            let problem =
                format!("line 1: no column \"{name}\"; is it a samples.csv of recobench?");
            StoreError::format(path, problem)
        })?;
    }
    Ok(positions)
}

/// A series without samples, of the point that a row belongs to. Other tools
/// may not sort the parameters: they are the same in any order.
fn begun<'a>(field: impl Fn(usize) -> &'a [u8]) -> Result<SampleSeries, String> {
    let text = |column| String::from_utf8_lossy(field(column)).into_owned();
    let params: Params = text(PARAMS).parse().map_err(|error| format!("{error}"))?;
    let mut fields = [1, 2, 3, 4, 5, PARAMS].map(text);
    fields[PARAMS - 1] = params.to_string();
    Ok(SampleSeries { fields, ..SampleSeries::default() })
}

fn seconds(field: &[u8]) -> Result<f64, String> {
    let text = String::from_utf8_lossy(field);
    match text.parse::<f64>() {
        Ok(seconds) => duration(seconds),
        Err(_) => Err(format!("\"{text}\" is not a number of seconds")),
    }
}

/// The seconds, if that is how long something may take.
pub(super) fn duration(seconds: f64) -> Result<f64, String> {
    let is_duration = seconds.is_finite() && seconds >= 0.0;
    is_duration.then_some(seconds).ok_or_else(|| format!("{seconds} is no duration in seconds"))
}

impl SampleSeries {
    /// How many samples were taken while others used the cores.
    pub fn disturbed(&self) -> usize {
        self.all.seconds.len() - self.quiet.seconds.len()
    }

    fn add(&mut self, seconds: f64, set: &[u8]) {
        let set = String::from_utf8_lossy(set);
        let has = |flag| !set.is_empty() && flags::has(&set, flag);
        if has(flags::FRESH) {
            self.all.begin();
            self.quiet.begin();
        }
        if has(flags::OUTSIDE_PLACE) {
            return;
        }
        self.all.seconds.push(seconds);
        if !has(flags::DISTURBED) {
            self.quiet.seconds.push(seconds);
        }
    }
}

impl Visits {
    /// The visits that have samples.
    pub fn count(&self) -> usize {
        let visits = statistics::visits(&self.seconds, &self.starts);
        visits.filter(|visit| !visit.is_empty()).count()
    }

    fn begin(&mut self) {
        self.starts.push(self.seconds.len());
    }
}
