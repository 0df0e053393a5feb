//! Reading pages. Only their number is checked: decoders check the content.

use std::io::{self, Read};
use std::path::Path;

use super::index::{self, Entry};
use crate::DataError;
use crate::io::file::open;
use crate::io::tpc_raw::{PageRemarks, examine};
use crate::tpc::geometry::SECTORS;
use crate::tpc::page::{PAGE_BYTES, Page};
use crate::tpc::pages::RawPages;

/// Selection of the pages to read from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageSelection {
    /// Only this sector; all if none. An index without sectors needs it.
    pub sector: Option<u8>,
    /// Orbit of time bin 0; that of the first page if none.
    pub first_orbit: Option<u32>,
}

/// Reads pages and their index; see [`super::index_of`]. Time bin 0 is in the first orbit of all
/// streams, unless it is selected.
///
/// # Errors
/// If a file can't be read, the index is damaged (the error names the line), or
/// the pages are more or fewer than it says.
pub fn read_raw_pages(
    pages: &Path,
    index: &Path,
    selection: PageSelection,
) -> Result<(RawPages, PageRemarks), DataError> {
    if let Some(sector) = selection.sector.filter(|&s| usize::from(s) >= SECTORS) {
        let last = SECTORS - 1;
        let problem = format!("there is no sector {sector}; use 0 to {last}");
        return Err(DataError::shape(problem));
    }
    let entries = index::read(index, open(index)?, selection.sector)?;
    let all: usize = entries.iter().map(|(_, pages)| pages).sum();
    let wanted = |entry: &Entry| selection.sector.is_none_or(|s| s == entry.0.sector);
    let before = entries.iter().take_while(|entry| !wanted(entry));
    let before = before.map(|(_, pages)| pages).sum();
    let streams: Vec<_> = entries.into_iter().filter(wanted).collect();
    if streams.is_empty() {
        return Err(DataError::format(index, "at its end", "no stream to read"));
    }
    let count = streams.iter().map(|(_, pages)| pages).sum();
    let read = Slots { before, count, all }
        .read(&mut *open(pages)?)
        .map_err(|source| DataError::io(pages, source))?;
    let mut read = read.map_err(|found| length_error(pages, all, found))?;
    let (first_orbit, remarks) = examine(&mut read, &streams);
    let first_orbit = selection.first_orbit.or(first_orbit);
    Ok((RawPages::new(first_orbit.unwrap_or(0), read, &streams), remarks))
}

fn length_error(path: &Path, pages: usize, bytes: u64) -> DataError {
    let location = format!("byte {bytes}");
    let expected = pages * PAGE_BYTES;
    let problem = format!(
        "the file ends or goes on here, but its index has {pages} pages ({expected} bytes); \
         is it cut off, or the index of another file?"
    );
    DataError::format(path, location, problem)
}

/// The selected slots of a file.
struct Slots {
    before: usize,
    count: usize,
    all: usize,
}

impl Slots {
    /// Returns the selected pages, or the length of the file if it is not as expected (a lower
    /// bound if the file is too long).
    fn read(&self, source: &mut dyn Read) -> io::Result<Result<Vec<Page>, u64>> {
        let mut position = skip(source, bytes(self.before))?;
        // Allocations are bounded by the actual size of the file, not by the one that the index
        // claims.
        let mut pages = Vec::new();
        let mut page = [0; PAGE_BYTES];
        while pages.len() < self.count {
            let read = read_full(source, &mut page)?;
            position += read as u64;
            if read < PAGE_BYTES {
                return Ok(Err(position));
            }
            pages.push(page);
        }
        let after = bytes(self.all) - bytes(self.before + self.count);
        position += skip(source, after + 1)?;
        let complete = position == bytes(self.all);
        Ok(if complete { Ok(pages) } else { Err(position) })
    }
}

fn bytes(pages: usize) -> u64 {
    (pages * PAGE_BYTES) as u64
}

/// Skips `bytes` bytes, fewer at the end of the file; returns how many.
fn skip(source: &mut dyn Read, bytes: u64) -> io::Result<u64> {
    io::copy(&mut source.take(bytes), &mut io::sink())
}

/// Fills the page, or as much of it as there is.
fn read_full(source: &mut dyn Read, page: &mut Page) -> io::Result<usize> {
    let mut filled = 0;
    while filled < PAGE_BYTES {
        match source.read(&mut page[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
