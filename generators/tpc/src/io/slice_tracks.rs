//! Slice tracks, with their relations and links.
//!
//! As text, one a line; -1 is none. As binary columns, little endian: the magic `TPCTRKS1`; the
//! number of slice tracks, 64 bits; then, for all of them, q/pt, the lower and the upper end of the
//! extent (32-bit floats), the number of clusters, and the indices of the previous piece, the next
//! piece, the lower neighbour, the upper neighbour and of the track to be joined with (32 bits
//! each, all ones for none).

use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use csv::StringRecord;
use generators_common::DataError;
use generators_common::io::file::{Format, format_of, open, write_file, write_numbers};
use generators_common::io::rows::for_each_row;
use generators_common::io::source::Source;
use text::Untrusted;

use crate::slice_tracks::{MAX_TRACKS, NONE, Relations, SliceTrack, SliceTracks};

const MAGIC: [u8; 8] = *b"TPCTRKS1";
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
const OTHERS: usize = COLUMNS.len() - FIRST_OTHER;

/// Checks that slice tracks can be written to a file of this name; call it before they are
/// generated.
///
/// # Errors
/// If the ending is unknown.
pub fn check_slice_track_file(path: &Path) -> Result<(), DataError> {
    is_text(path).map(drop)
}

/// True for the name of a text, false for that of a binary file.
fn is_text(path: &Path) -> Result<bool, DataError> {
    match format_of(path)? {
        Format::Csv => Ok(true),
        Format::Bin => Ok(false),
        Format::Parquet => Err(DataError::UnknownFileType(path.to_owned())),
    }
}

/// Reads slice tracks.
///
/// # Errors
/// If the file can't be read, is not what its ending says, or holds none; if a link or a relation
/// is invalid, the error names the slice track.
pub fn read_slice_tracks(path: &Path) -> Result<SliceTracks, DataError> {
    let is_text = is_text(path)?;
    let columns = if is_text { read_text(path) } else { read_binary(path) }?;
    if columns.links.is_empty() {
        return Err(DataError::format(path, "at its end", "it holds no slice tracks"));
    }
    columns.slice_tracks().map_err(|problem| DataError::format(path, "its relations", problem))
}

/// Writes slice tracks in the format of the file's ending.
///
/// # Errors
/// If the file can't be written (it is then incomplete).
pub fn write_slice_tracks(path: &Path, tracks: &SliceTracks) -> Result<(), DataError> {
    let is_text = is_text(path)?;
    write_file(
        path,
        |sink| {
            if is_text { write_text(sink, tracks) } else { write_binary(sink, tracks) }
        },
    )
}

/// Columns of a file, not yet validated.
#[derive(Default)]
struct Columns {
    tracks: Vec<SliceTrack>,
    relations: Vec<Relations>,
    links: Vec<u32>,
}

impl Columns {
    fn add(&mut self, record: &StringRecord) -> Result<(), String> {
        self.tracks.push(SliceTrack {
            q_over_pt: field(record, 0, "a number")?,
            zt_min: field(record, 1, "a number")?,
            zt_max: field(record, 2, "a number")?,
            n_clusters: field(record, 3, "a whole number of 0 or more")?,
        });
        let mut others = [NONE; OTHERS];
        for (column, other) in others.iter_mut().enumerate() {
            *other = number(record, FIRST_OTHER + column)?;
        }
        self.relations.push(relations(others));
        self.links.push(others[4]);
        Ok(())
    }

    fn slice_tracks(self) -> Result<SliceTracks, String> {
        SliceTracks::new(self.tracks, self.relations, self.links)
            .map_err(|problem| problem.to_string())
    }
}

/// Indices of the related slice tracks, in the order of the columns.
fn others(tracks: &SliceTracks, index: usize) -> [u32; OTHERS] {
    let related = &tracks.relations()[index];
    let [lower, upper] = related.neighbours;
    let link = tracks.links()[index];
    [related.segment_prev, related.segment_next, lower, upper, link]
}

/// Inverse of [`others`], without the joined track.
fn relations([prev, next, lower, upper, _]: [u32; OTHERS]) -> Relations {
    Relations { segment_prev: prev, segment_next: next, neighbours: [lower, upper] }
}

/// Writes slice tracks; floats have enough digits to be read back exactly.
fn write_text(sink: &mut impl Write, tracks: &SliceTracks) -> io::Result<()> {
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

fn read_text(path: &Path) -> Result<Columns, DataError> {
    let mut columns = Columns::default();
    for_each_row(path, open(path)?, &COLUMNS, |record| columns.add(record))?;
    Ok(columns)
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

fn write_binary(sink: &mut impl Write, tracks: &SliceTracks) -> io::Result<()> {
    sink.write_all(&MAGIC)?;
    write_numbers(sink, [(tracks.len() as u64).to_le_bytes()])?;
    let floats: [fn(&SliceTrack) -> f32; 3] =
        [|track| track.q_over_pt, |track| track.zt_min, |track| track.zt_max];
    for float in floats {
        write_numbers(sink, tracks.tracks().iter().map(|track| float(track).to_le_bytes()))?;
    }
    write_numbers(sink, tracks.tracks().iter().map(|track| track.n_clusters.to_le_bytes()))?;
    for column in 0..OTHERS {
        let other = |index| others(tracks, index)[column].to_le_bytes();
        write_numbers(sink, (0..tracks.len()).map(other))?;
    }
    Ok(())
}

fn read_binary(path: &Path) -> Result<Columns, DataError> {
    let mut source = Source::open(path)?;
    source.magic(&MAGIC)?;
    let [count] = source.u64s("header")?;
    if count > MAX_TRACKS as u64 {
        let problem = format!("{count} slice tracks are more than the {MAX_TRACKS} there can be");
        return Err(source.at(MAGIC.len() as u64, problem));
    }
    let fields = source.numbers(count * COLUMNS.len() as u64, "columns", u32::from_le_bytes)?;
    source.end("column")?;
    let tracks = count as usize;
    let field = |column: usize, index: usize| fields[column * tracks + index];
    let float = |column, index| f32::from_bits(field(column, index));
    let track = |index| SliceTrack {
        q_over_pt: float(0, index),
        zt_min: float(1, index),
        zt_max: float(2, index),
        n_clusters: field(3, index),
    };
    let others = |index| -> [u32; OTHERS] {
        std::array::from_fn(|column| field(FIRST_OTHER + column, index))
    };
    Ok(Columns {
        tracks: (0..tracks).map(track).collect(),
        relations: (0..tracks).map(|index| relations(others(index))).collect(),
        links: (0..tracks).map(|index| others(index)[OTHERS - 1]).collect(),
    })
}
