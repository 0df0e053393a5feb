//! Slice tracks as binary columns.
//!
//! Little endian: the magic `TPCTRKS1`; the number of slice tracks, 64 bits; then, for all of them,
//! q/pt, the lower and the upper end of the extent (32-bit floats), the number of clusters, and the
//! indices of the previous piece, the next piece, the lower neighbour, the upper neighbour and of
//! the track to be joined with (32 bits each, all ones for none).

use std::io::{self, Read, Write};
use std::path::Path;

use text::Untrusted;

use super::{Columns, others, relations};
use crate::DataError;
use crate::tpc::slice_tracks::{MAX_TRACKS, SliceTrack, SliceTracks};

const MAGIC: [u8; 8] = *b"TPCTRKS1";
const HEADER_BYTES: usize = 16;
const COLUMNS: usize = 9;
const OTHERS: usize = 5;
const FIELD_BYTES: usize = 4;

pub(super) fn write(sink: &mut impl Write, tracks: &SliceTracks) -> io::Result<()> {
    sink.write_all(&MAGIC)?;
    sink.write_all(&(tracks.len() as u64).to_le_bytes())?;
    let floats: [fn(&SliceTrack) -> f32; 3] =
        [|track| track.q_over_pt, |track| track.zt_min, |track| track.zt_max];
    for float in floats {
        for track in tracks.tracks() {
            sink.write_all(&float(track).to_le_bytes())?;
        }
    }
    for track in tracks.tracks() {
        sink.write_all(&track.n_clusters.to_le_bytes())?;
    }
    for column in 0..OTHERS {
        for index in 0..tracks.len() {
            sink.write_all(&others(tracks, index)[column].to_le_bytes())?;
        }
    }
    Ok(())
}

pub(super) fn read(path: &Path, source: &mut impl Read) -> Result<Columns, DataError> {
    let error = |(offset, problem): (usize, String)| {
        DataError::format(path, format!("byte {offset}"), problem)
    };
    let io_error = |source| DataError::io(path, source);
    let mut bytes = Vec::new();
    source.take(HEADER_BYTES as u64).read_to_end(&mut bytes).map_err(io_error)?;
    let tracks = header(&bytes).map_err(error)?;
    // One byte more, so that too long a file is noticed; no more is allocated than the file has.
    let body = COLUMNS * FIELD_BYTES * tracks;
    source.take(body as u64 + 1).read_to_end(&mut bytes).map_err(io_error)?;
    check_size(bytes.len(), HEADER_BYTES + body).map_err(error)?;
    Ok(columns(&bytes[HEADER_BYTES..], tracks))
}

/// Number of slice tracks, or the offset of the error and its message.
fn header(bytes: &[u8]) -> Result<usize, (usize, String)> {
    if !bytes.starts_with(&MAGIC) {
        let found = bytes[..bytes.len().min(8)].escape_ascii().to_string();
        return Err((0, format!("the magic is {}, not \"TPCTRKS1\"", found.quoted())));
    }
    let Some(count) = bytes.get(8..).and_then(|count| <[u8; 8]>::try_from(count).ok()) else {
        return Err((bytes.len(), "the file ends within its header".to_owned()));
    };
    let count = u64::from_le_bytes(count);
    if count <= MAX_TRACKS as u64 {
        return Ok(count as usize);
    }
    let problem = format!("{count} slice tracks are more than the {MAX_TRACKS} there can be");
    Err((8, problem))
}

fn check_size(size: usize, end: usize) -> Result<(), (usize, String)> {
    if size < end {
        let problem = format!("the file ends here, but the last column should end at byte {end}");
        return Err((size, problem));
    }
    if size > end {
        return Err((end, "there is more data after the last column".to_owned()));
    }
    Ok(())
}

fn columns(bytes: &[u8], tracks: usize) -> Columns {
    let field = |column: usize, index: usize| {
        let offset = (column * tracks + index) * FIELD_BYTES;
        let mut word = [0; FIELD_BYTES];
        word.copy_from_slice(&bytes[offset..offset + FIELD_BYTES]);
        u32::from_le_bytes(word)
    };
    let float = |column, index| f32::from_bits(field(column, index));
    let track = |index| SliceTrack {
        q_over_pt: float(0, index),
        zt_min: float(1, index),
        zt_max: float(2, index),
        n_clusters: field(3, index),
    };
    let others =
        |index| -> [u32; OTHERS] { std::array::from_fn(|column| field(4 + column, index)) };
    Columns {
        tracks: (0..tracks).map(track).collect(),
        relations: (0..tracks).map(|index| relations(others(index))).collect(),
        links: (0..tracks).map(|index| others(index)[4]).collect(),
    }
}
