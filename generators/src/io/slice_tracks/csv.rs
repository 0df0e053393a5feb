//! Slice tracks as text, one a line; -1 is none.

use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr;

use csv::StringRecord;
use text::Untrusted;

use super::{Columns, NONE, others, relations};
use crate::DataError;
use crate::io::csv_rows::for_each_row;
use crate::tpc::slice_tracks::{SliceTrack, SliceTracks};

const COLUMNS: [&str; 9] = [
    "q_over_pt",
    "zt_min",
    "zt_max",
    "n_clusters",
    "segment_prev",
    "segment_next",
    "neighbour_lower",
    "neighbour_upper",
    "link",
];
const FIRST_OTHER: usize = 4;

/// Writes slice tracks; floats have enough digits to be read back exactly.
pub(super) fn write(sink: &mut impl Write, tracks: &SliceTracks) -> io::Result<()> {
    writeln!(sink, "{}", COLUMNS.join(","))?;
    for (index, track) in tracks.tracks().iter().enumerate() {
        let SliceTrack { q_over_pt, zt_min, zt_max, n_clusters } = track;
        write!(sink, "{q_over_pt},{zt_min},{zt_max},{n_clusters}")?;
        for other in others(tracks, index) {
            match other {
                NONE => write!(sink, ",-1")?,
                other => write!(sink, ",{other}")?,
            }
        }
        writeln!(sink)?;
    }
    Ok(())
}

pub(super) fn read(path: &Path, source: &mut impl Read) -> Result<Columns, DataError> {
    let mut columns = Columns::default();
    for_each_row(path, source, &COLUMNS, |record| columns.add(record))?;
    Ok(columns)
}

impl Columns {
    fn add(&mut self, record: &StringRecord) -> Result<(), String> {
        self.tracks.push(SliceTrack {
            q_over_pt: field(record, 0, "a number")?,
            zt_min: field(record, 1, "a number")?,
            zt_max: field(record, 2, "a number")?,
            n_clusters: field(record, 3, "a whole number of 0 or more")?,
        });
        let mut others = [NONE; 5];
        for (column, other) in others.iter_mut().enumerate() {
            *other = number(record, FIRST_OTHER + column)?;
        }
        self.relations.push(relations(others));
        self.links.push(others[4]);
        Ok(())
    }
}

fn field<T: FromStr>(record: &StringRecord, column: usize, what: &str) -> Result<T, String> {
    let text = &record[column];
    text.parse().map_err(|_| format!("{} {} is not {what}", COLUMNS[column], text.quoted()))
}

/// Index of another slice track, or [`NONE`].
fn number(record: &StringRecord, column: usize) -> Result<u32, String> {
    if &record[column] == "-1" {
        return Ok(NONE);
    }
    match field(record, column, "the number of a slice track, or -1")? {
        NONE => Err(format!("{} {NONE} is too large", COLUMNS[column])),
        number => Ok(number),
    }
}
