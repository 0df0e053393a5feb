//! Slice tracks, with their relations and links.

mod bin;
mod csv;

use std::path::Path;

use super::file::{Format, create, finish, format_of, open};
use crate::DataError;
use crate::tpc::slice_tracks::{NONE, Relations, SliceTrack, SliceTracks};

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
    let mut source = open(path)?;
    let columns =
        if is_text { csv::read(path, &mut source) } else { bin::read(path, &mut source) }?;
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
    let mut sink = create(path)?;
    let written =
        if is_text { csv::write(&mut sink, tracks) } else { bin::write(&mut sink, tracks) };
    written.and_then(|()| finish(sink)).map_err(|source| DataError::io(path, source))
}

/// Columns of a file, not yet validated.
#[derive(Default)]
struct Columns {
    tracks: Vec<SliceTrack>,
    relations: Vec<Relations>,
    links: Vec<u32>,
}

impl Columns {
    fn slice_tracks(self) -> Result<SliceTracks, String> {
        SliceTracks::new(self.tracks, self.relations, self.links)
            .map_err(|problem| problem.to_string())
    }
}

/// Indices of the related slice tracks, in the order of the columns.
fn others(tracks: &SliceTracks, index: usize) -> [u32; 5] {
    let related = &tracks.relations()[index];
    let [lower, upper] = related.neighbours;
    let link = tracks.links()[index];
    [related.segment_prev, related.segment_next, lower, upper, link]
}

/// Inverse of [`others`], without the joined track.
fn relations([prev, next, lower, upper, _]: [u32; 5]) -> Relations {
    Relations { segment_prev: prev, segment_next: next, neighbours: [lower, upper] }
}
