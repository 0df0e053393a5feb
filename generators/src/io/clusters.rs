//! Clusters in pieces, as binary arrays.
//!
//! Little endian: the magic `TPCCLUS1`; the numbers of tracks, of places for clusters on
//! tracks, of rows and of places of a row, 64 bits each; for each track the place of its
//! first cluster, 32 bits; then the arrays of all fields, each with all of its places, in
//! the order of [`FIELDS`].

use std::io::{self, Read, Write};
use std::path::Path;

use text::Foreign;

use super::file::{Format, create, finish, format_of, open};
use crate::DataError;
use crate::tpc::clusters::{Clusters, FIELDS, Layout, Places};

const MAGIC: [u8; 8] = *b"TPCCLUS1";
const NUMBERS: usize = 4;
const HEADER_BYTES: usize = MAGIC.len() + NUMBERS * size_of::<u64>();
/// Bytes that are read at once: no more is allocated than the file turns out to have.
const PORTION: usize = 1 << 24;

/// Whether clusters can be written to a file of that name: worth asking before they are
/// made.
///
/// # Errors
/// If the ending is not `.bin` or `.bin.gz`.
pub fn check_cluster_file(path: &Path) -> Result<(), DataError> {
    match format_of(path)? {
        Format::Bin => Ok(()),
        Format::Csv => Err(DataError::shape(format!(
            "{}: clusters can't be written as text; use .bin or .bin.gz",
            path.shown()
        ))),
    }
}

/// Reads clusters.
///
/// # Errors
/// If the file can't be read, or is not what its ending says; if pieces make no sense, the
/// error names the track or row.
pub fn read_clusters(path: &Path) -> Result<Clusters, DataError> {
    check_cluster_file(path)?;
    let mut source = Source { path, from: open(path)?, offset: 0 };
    let places = source.header()?;
    let starts = source.portion(places.tracks.saturating_mul(size_of::<u32>()), "starts")?;
    let bytes = source.arrays(&places)?;
    source.end()?;
    let (starts, _) = starts.as_chunks();
    let starts = starts.iter().map(|&start| u32::from_le_bytes(start));
    Clusters::new(places, starts.collect(), bytes)
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
    let places = clusters.places();
    sink.write_all(&MAGIC)?;
    for number in [places.tracks, places.attached, places.rows, places.row_capacity] {
        sink.write_all(&(number as u64).to_le_bytes())?;
    }
    for start in &clusters.tracks().starts {
        sink.write_all(&start.to_le_bytes())?;
    }
    for field in 0..FIELDS.len() {
        sink.write_all(&clusters.bytes()[clusters.layout().range(field)])?;
    }
    Ok(())
}

/// A file that is being read.
struct Source<'a> {
    path: &'a Path,
    from: Box<dyn Read>,
    offset: usize,
}

impl Source<'_> {
    fn header(&mut self) -> Result<Places, DataError> {
        let bytes = self.portion(HEADER_BYTES, "header")?;
        if !bytes.starts_with(&MAGIC) {
            let found = bytes[..MAGIC.len()].escape_ascii().to_string();
            let problem = format!("the magic is {}, not \"TPCCLUS1\"", found.quoted());
            return Err(DataError::format(self.path, "byte 0", problem));
        }
        let (numbers, _) = bytes[MAGIC.len()..].as_chunks();
        let number = |at: usize| u64::from_le_bytes(numbers[at]) as usize;
        let places = Places {
            tracks: number(0),
            attached: number(1),
            rows: number(2),
            row_capacity: number(3),
        };
        match places.problem() {
            None => Ok(places),
            Some(problem) => Err(DataError::format(
                self.path,
                format!("byte {}", MAGIC.len()),
                problem.to_string(),
            )),
        }
    }

    /// All arrays where their layout wants them.
    fn arrays(&mut self, places: &Places) -> Result<Vec<u8>, DataError> {
        let layout: Layout = places.layout();
        let mut bytes = Vec::new();
        for (number, field) in FIELDS.iter().enumerate() {
            let range = layout.range(number);
            bytes.resize(range.start, 0);
            self.extend(&mut bytes, range.len(), field.name)?;
        }
        bytes.resize(layout.bytes(), 0);
        Ok(bytes)
    }

    fn portion(&mut self, length: usize, what: &str) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        self.extend(&mut bytes, length, what)?;
        Ok(bytes)
    }

    /// The next bytes, by portions.
    fn extend(&mut self, to: &mut Vec<u8>, length: usize, what: &str) -> Result<(), DataError> {
        let mut left = length;
        while left > 0 {
            let wanted = left.min(PORTION);
            let portion = self.from.by_ref().take(wanted as u64).read_to_end(to);
            let read = portion.map_err(|source| DataError::io(self.path, source))?;
            self.offset += read;
            if read < wanted {
                let problem = format!("the file ends here, within its {what}");
                return Err(self.here(&problem));
            }
            left -= read;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), DataError> {
        let mut more = Vec::new();
        let read = self.from.by_ref().take(1).read_to_end(&mut more);
        match read.map_err(|source| DataError::io(self.path, source))? {
            0 => Ok(()),
            _ => Err(self.here("there is more behind the last array")),
        }
    }

    fn here(&self, problem: &str) -> DataError {
        DataError::format(self.path, format!("byte {}", self.offset), problem)
    }
}
