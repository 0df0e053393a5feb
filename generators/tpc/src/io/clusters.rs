//! Clusters in pieces, as binary arrays.
//!
//! Little endian: the magic `TPCCLUS1`; the numbers of tracks, of slots for clusters on tracks, of
//! rows and of slots of a row, 64 bits each; for each track the index of its first cluster, 32
//! bits; then the arrays of all fields, each with all of its slots, in the order of [`FIELDS`].

use std::io::{self, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::file::{check_binary, write_file, write_numbers};
use generators_common::io::source::Source;

use crate::clusters::{Clusters, FIELDS, Layout, Slots};

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
    let slots = header(&mut source)?;
    let starts = source.numbers(slots.tracks as u64, "starts", u32::from_le_bytes)?;
    let bytes = arrays(&mut source, &slots)?;
    source.end("array")?;
    Clusters::new(slots, starts, bytes)
        .map_err(|problem| DataError::format(path, "its pieces", problem.to_string()))
}

/// Writes clusters.
///
/// # Errors
/// If the file can't be written (it is then incomplete), or its ending is another one.
pub fn write_clusters(path: &Path, clusters: &Clusters) -> Result<(), DataError> {
    check_cluster_file(path)?;
    write_file(path, |sink| write(sink, clusters))
}

fn write(sink: &mut impl Write, clusters: &Clusters) -> io::Result<()> {
    let slots = clusters.slots();
    sink.write_all(&MAGIC)?;
    let sizes = [slots.tracks, slots.attached, slots.rows, slots.row_capacity];
    write_numbers(sink, sizes.map(|size| (size as u64).to_le_bytes()))?;
    write_numbers(sink, clusters.tracks().starts.iter().map(|start| start.to_le_bytes()))?;
    for field in 0..FIELDS.len() {
        sink.write_all(&clusters.bytes()[clusters.layout().range(field)])?;
    }
    Ok(())
}

fn header(source: &mut Source<'_>) -> Result<Slots, DataError> {
    source.magic(&MAGIC)?;
    let numbers: [u64; NUMBERS] = source.u64s("header")?;
    let [tracks, attached, rows, row_capacity] = numbers.map(|index| index as usize);
    let slots = Slots { tracks, attached, rows, row_capacity };
    match slots.problem() {
        None => Ok(slots),
        Some(problem) => Err(source.at(MAGIC.len() as u64, problem.to_string())),
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
