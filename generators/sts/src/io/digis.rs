//! Files of digis: their format is known by the content when they are read, and by the name when
//! they are written.

use std::path::Path;

use generators_common::DataError;
use generators_common::io::content_limit::{Limited, check_kept};
use generators_common::io::file::{Format, format_of, mapped, open_sniffed, write_file};
use generators_common::io::source::Source;
use generators_common::io::standard_input::FileName;
use generators_common::io::{Table, write_table};

use super::digi_table::{DigiTable, ReadDigis};
use super::rows::Limits;
use super::{digi_bin, digi_csv, digi_parquet};
use crate::setup::Setup;
use crate::{ModuleSide, SegmentedDigis};

/// First bytes that show the format: those of a header of a text.
const START_BYTES: usize = 4096;

/// Options of reading digis.
#[derive(Clone, Copy, Debug, Default)]
pub struct DigiOptions<'a> {
    /// The detector: digis of modules that it does not have and charges above its range are
    /// refused.
    pub setup: Option<&'a Setup>,
    /// The time in ns that becomes 0, for CSV and Parquet. Without one, that is the earliest
    /// time, unless all times are from 0 to 2^31 - 1 anyway.
    pub time_origin: Option<i64>,
}

impl<'a> DigiOptions<'a> {
    /// Options for the digis of a detector.
    pub fn for_setup(setup: &'a Setup) -> Self {
        DigiOptions { setup: Some(setup), time_origin: None }
    }

    fn limits(self) -> Limits {
        self.setup.map_or(Limits::OF_DIGIS, Limits::for_setup)
    }
}

/// The format that a file begins with.
fn format_of_content(first: &[u8]) -> Option<Format> {
    if first.starts_with(&digi_bin::MAGIC) {
        return Some(Format::Bin);
    }
    if first.starts_with(&digi_parquet::MAGIC) {
        return Some(Format::Parquet);
    }
    digi_csv::is_header(first).then_some(Format::Csv)
}

/// Reads the digis of a timeslice, without notes.
///
/// # Errors
/// If the file can't be read, or has no digis: the error names the line, the row or the offset.
pub fn read_digis(path: &Path) -> Result<SegmentedDigis, DataError> {
    read_digis_with(path, DigiOptions::default()).map(|read| read.digis)
}

/// Reads the digis of a timeslice.
///
/// # Errors
/// Those of [`read_digis`], and digis that do not fit the detector, or the origin of time.
pub fn read_digis_with(path: &Path, options: DigiOptions<'_>) -> Result<ReadDigis, DataError> {
    if let Some(bytes) = mapped(path)?
        && bytes.starts_with(&digi_bin::MAGIC)
    {
        check_kept(path, bytes.len() as u64)?;
        return binary(path, options, |limits| digi_bin::parse(path, &bytes, limits));
    }
    let (first, source) = open_sniffed::<START_BYTES>(path)?;
    let mut source = Limited::new(source);
    // Content of no known format is what the name says, but damaged.
    let format = format_of_content(&first).map_or_else(|| format_of(path), Ok)?;
    let table = DigiTable::new(options.limits(), options.time_origin);
    let read = match format {
        Format::Csv => digi_csv::read(path, &mut source, table),
        Format::Parquet => digi_parquet::read(path, &mut source, table),
        Format::Bin => {
            let source = Source::opened(path, Box::new(source));
            return binary(path, options, |limits| digi_bin::read(source, limits));
        }
    }?;
    not_empty(path, read)
}

/// Digis of a binary file.
fn binary(
    path: &Path,
    options: DigiOptions<'_>,
    read: impl FnOnce(Limits) -> Result<SegmentedDigis, DataError>,
) -> Result<ReadDigis, DataError> {
    if options.time_origin.is_some() {
        return Err(DataError::shape(format!(
            "{}: times of binary digis are relative to their timeslice; leave out --time-origin",
            FileName(path)
        )));
    }
    not_empty(path, ReadDigis { digis: read(options.limits())?, notes: Vec::new() })
}

fn not_empty(path: &Path, read: ReadDigis) -> Result<ReadDigis, DataError> {
    if read.digis.digis().is_empty() {
        return Err(DataError::format(path, "at its end", "it holds no digis"));
    }
    Ok(read)
}

/// Checks that `segments` segments can be written to a file of this name; call it before they are
/// generated.
///
/// # Errors
/// If the ending is unknown, or the format can't hold the segments.
pub fn check_writable(path: &Path, segments: usize) -> Result<(), DataError> {
    match format_of(path)? {
        Format::Csv | Format::Parquet => Ok(()),
        Format::Bin => digi_bin::check_segments(segments),
    }
}

/// Writes the digis of a timeslice in the format of the file's ending.
///
/// # Errors
/// If the file can't be written (it is then incomplete), or if the format
/// can't hold the digis: binary files need an even number of segments.
pub fn write_digis(path: &Path, digis: &SegmentedDigis) -> Result<(), DataError> {
    let format = format_of(path)?;
    check_writable(path, digis.partition().segments())?;
    if format == Format::Parquet {
        return write_table(path, &digi_table(&[digis]));
    }
    write_file(path, |sink| match format {
        Format::Bin => digi_bin::write(sink, digis),
        _ => digi_csv::write(sink, digis),
    })
}

/// Writes the digis of timeslices in the format of the file's ending: if there are several, with
/// the index of the timeslice in a further column.
///
/// # Errors
/// As [`write_digis`], and if a binary file, which holds one timeslice, were to hold several.
pub fn write_digis_of_timeslices(
    path: &Path,
    timeslices: &[&SegmentedDigis],
) -> Result<(), DataError> {
    match (timeslices, format_of(path)) {
        ([digis], Ok(_)) => write_digis(path, digis),
        (_, Ok(Format::Bin)) => Err(DataError::shape(format!(
            "{}: digis of {} timeslices; a binary file holds those of one: use .csv or .parquet, \
             or --take 1",
            FileName(path),
            timeslices.len()
        ))),
        _ => write_table(path, &digi_table(timeslices)),
    }
}

/// A row for each digi, by timeslice and segment.
fn digi_table(timeslices: &[&SegmentedDigis]) -> Table {
    let mut digis = Vec::new();
    let mut sides = Vec::new();
    let mut indices = Vec::new();
    for (index, timeslice) in (0_u32..).zip(timeslices) {
        let segments = timeslice.partition().segments();
        digis.extend_from_slice(timeslice.digis());
        indices.resize(digis.len(), index);
        for (segment, of_segment) in timeslice.segments().enumerate() {
            let side = ModuleSide::of_segment(segment, segments);
            sides.extend(std::iter::repeat_n(side, of_segment.len()));
        }
    }
    let table = Table::new()
        .with("module", sides.iter().map(|side| side.module as u32))
        .with("side", sides.iter().map(|side| u8::from(side.back)))
        .with("channel", digis.iter().map(|digi| digi.channel()))
        .with("time_ns", digis.iter().map(|digi| digi.time_ns()))
        .with("adc", digis.iter().map(|digi| digi.adc()));
    if timeslices.len() > 1 { table.with("timeslice", indices) } else { table }
}
