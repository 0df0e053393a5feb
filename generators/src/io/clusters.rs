//! Clusters in pieces, as binary arrays.
//!
//! Little endian: the magic `TPCCLUS1`; the numbers of tracks, of slots for clusters on tracks, of
//! rows and of slots of a row, 64 bits each; for each track the index of its first cluster, 32
//! bits; then the arrays of all fields, each with all of its slots, in the order of [`FIELDS`].

use std::io::{self, Write};
use std::path::Path;

use super::file::{check_binary, create, finish};
use super::source::Source;
use crate::DataError;
use crate::tpc::clusters::{Clusters, FIELDS, Layout, Slots};

const MAGIC: [u8; 8] = *b"TPCCLUS1";
const NUMBERS: usize = 4;

/// Checks that clusters can be written to a file of this name; call it before they are generated.
///
/// # Errors
/// If the ending is not `.bin` or `.bin.gz`.
pub fn check_cluster_file(path: &Path) -> Result<(), DataError> {
    check_binary(path, "clusters")
}

/// Reads clusters.
///
/// # Errors
/// If the file can't be read, or is not what its ending says; if pieces are inconsistent, the error
/// names the track or row.
pub fn read_clusters(path: &Path) -> Result<Clusters, DataError> {
    check_cluster_file(path)?;
    let mut source = Source::open(path)?;
    let slots = header(&mut source, path)?;
    let start_bytes = slots.tracks.saturating_mul(size_of::<u32>());
    let starts = source.portion(start_bytes as u64, "starts")?;
    let bytes = arrays(&mut source, &slots)?;
    source.end("array")?;
    let (starts, _) = starts.as_chunks();
    let starts = starts.iter().map(|&start| u32::from_le_bytes(start));
    Clusters::new(slots, starts.collect(), bytes)
        .map_err(|problem| DataError::format(path, "its pieces", problem.to_string()))
}

/// Writes clusters.
///
/// # Errors
/// If the file can't be written (it is then incomplete), or its ending is another one.
pub fn write_clusters(path: &Path, clusters: &Clusters) -> Result<(), DataError> {
    check_cluster_file(path)?;
    let mut sink = create(path)?;
    write(&mut sink, clusters)
        .and_then(|()| finish(sink))
        .map_err(|source| DataError::io(path, source))
}

fn write(sink: &mut impl Write, clusters: &Clusters) -> io::Result<()> {
    let slots = clusters.slots();
    sink.write_all(&MAGIC)?;
    for index in [slots.tracks, slots.attached, slots.rows, slots.row_capacity] {
        sink.write_all(&(index as u64).to_le_bytes())?;
    }
    for start in &clusters.tracks().starts {
        sink.write_all(&start.to_le_bytes())?;
    }
    for field in 0..FIELDS.len() {
        sink.write_all(&clusters.bytes()[clusters.layout().range(field)])?;
    }
    Ok(())
}

fn header(source: &mut Source<'_>, path: &Path) -> Result<Slots, DataError> {
    source.magic(&MAGIC)?;
    let numbers: [u64; NUMBERS] = source.u64s("header")?;
    let [tracks, attached, rows, row_capacity] = numbers.map(|index| index as usize);
    let slots = Slots { tracks, attached, rows, row_capacity };
    match slots.problem() {
        None => Ok(slots),
        Some(problem) => {
            let location = format!("byte {}", MAGIC.len());
            Err(DataError::format(path, location, problem.to_string()))
        }
    }
}

/// All arrays, at the offsets of their layout.
fn arrays(source: &mut Source<'_>, slots: &Slots) -> Result<Vec<u8>, DataError> {
    let layout: Layout = slots.layout();
    let mut bytes = Vec::new();
    for (index, field) in FIELDS.iter().enumerate() {
        let range = layout.range(index);
        bytes.resize(range.start, 0);
        source.extend(&mut bytes, range.len() as u64, field.name)?;
    }
    bytes.resize(layout.bytes(), 0);
    Ok(bytes)
}
