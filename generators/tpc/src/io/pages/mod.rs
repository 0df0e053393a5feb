//! Raw pages: a file of slots, and an index of their streams.
//!
//! `NAME.pages` has the slots of 8192 bytes, stream after stream. `NAME.index.csv` has a line for
//! each stream: `endpoint,n_pages` if all are of one sector, `sector,endpoint,n_pages` otherwise.
//! Either may be gzipped.

mod index;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::Selection;
use generators_common::io::content_limit::check_kept;
use generators_common::io::file::{
    Sink, create, finish, name_without_gz, next_to, open, open_pieces, write_file,
};
use generators_common::io::source::Source;
use text::Untrusted;

use super::raw::{OrbitWindow, Orbits, PageRemarks, check_reopens, examine};
use crate::geometry::SECTORS;
use crate::page::{PAGE_BYTES, Page, Rdh};
use crate::pages::{RawPages, SectorPages};
use index::Entry;

const PAGES: &str = ".pages";
const INDEX: &str = ".index.csv";

/// The index that belongs to a file of pages: its name with another ending.
///
/// # Errors
/// If the file's name ends neither with `.pages` nor with `.pages.gz`.
pub fn index_of(pages: &Path) -> Result<PathBuf, DataError> {
    Ok(next_to(pages, &[stem_of(pages)?, INDEX.as_bytes()]))
}

/// The name of a file of pages without folder and endings.
pub(super) fn stem_of(pages: &Path) -> Result<&[u8], DataError> {
    name_without_gz(pages).strip_suffix(PAGES.as_bytes()).ok_or_else(|| {
        DataError::shape(format!(
            "{}: files of pages are named .pages or .pages.gz",
            pages.escaped()
        ))
    })
}

/// Writes pages and their index; returns the index's path.
///
/// # Errors
/// If the name does not end with `.pages` or `.pages.gz`, or a file can't be written.
pub fn write_raw_pages(path: &Path, pages: &RawPages) -> Result<PathBuf, DataError> {
    let mut writer = PageWriter::create(path)?;
    for stream in pages.streams() {
        writer.entries.push((stream.id, stream.pages.len()));
    }
    writer.write_bytes(pages.bytes())?;
    writer.finish()
}

/// A file of pages being written. The index is written at the end: without one,
/// the file is incomplete.
pub struct PageWriter {
    path: PathBuf,
    index: PathBuf,
    sink: Sink,
    entries: Vec<Entry>,
}

impl PageWriter {
    /// Creates the file.
    ///
    /// # Errors
    /// If its name does not end with `.pages` or `.pages.gz`, or it can't be
    /// created.
    pub fn create(path: &Path) -> Result<Self, DataError> {
        Ok(PageWriter {
            path: path.to_owned(),
            index: index_of(path)?,
            sink: create(path)?,
            entries: Vec::new(),
        })
    }

    /// Appends the pages of a sector; sectors must be in ascending order.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn write(&mut self, sector: &SectorPages) -> Result<(), DataError> {
        self.entries.extend(sector.stream_lengths());
        self.write_bytes(sector.pages().as_flattened())
    }

    fn write_bytes(&mut self, bytes: &[u8]) -> Result<(), DataError> {
        self.sink.write_all(bytes).map_err(|source| DataError::io(&self.path, source))
    }

    /// Flushes the pages and writes the index.
    ///
    /// # Errors
    /// If they can't be written.
    pub fn finish(self) -> Result<PathBuf, DataError> {
        finish(self.sink).map_err(|source| DataError::io(&self.path, source))?;
        write_file(&self.index, |sink| index::write(sink, &self.entries))?;
        Ok(self.index)
    }
}

/// Selection of the pages to read from a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSelection {
    /// Only this sector; all if none. An index without sectors needs it.
    pub sector: Option<u8>,
    /// Orbit of time bin 0; that of the first page if none.
    pub first_orbit: Option<u32>,
    /// Time frames to read.
    pub frames: Selection,
}

impl PageSelection {
    /// All pages.
    pub const ALL: PageSelection =
        PageSelection { sector: None, first_orbit: None, frames: Selection::ALL };
}

/// Reads pages and their index; see [`index_of`]. Time bin 0 is in the first orbit of all
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
    let slots = Slots { before, streams: &streams, all };
    let window = window(pages, &slots, &selection.frames)?;
    let is_kept = |rdh: &Rdh| window.as_ref().is_none_or(|window| window.contains(rdh.orbit));
    let (mut read, streams) = slots.read(pages, is_kept)?;
    let (first_orbit, remarks) = examine(&mut read, &streams);
    let of_window = window.and_then(|window| window.first_orbit());
    let first_orbit = selection.first_orbit.or(of_window).or(first_orbit);
    Ok((RawPages::new(first_orbit.unwrap_or(0), read, &streams), remarks))
}

/// The orbits of the selected time frames; `None` if all are selected.
fn window(
    path: &Path,
    slots: &Slots<'_>,
    frames: &Selection,
) -> Result<Option<OrbitWindow>, DataError> {
    if frames.is_all() {
        return Ok(None);
    }
    check_reopens(path)?;
    let mut orbits = Orbits::default();
    slots.read(path, |rdh| {
        orbits.add(rdh);
        false
    })?;
    orbits.window(path, frames).map(Some)
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
struct Slots<'s> {
    before: usize,
    streams: &'s [Entry],
    all: usize,
}

impl Slots<'_> {
    /// Returns the pages that are kept, by their headers, and how many each stream has.
    fn read(
        &self,
        path: &Path,
        mut is_kept: impl FnMut(&Rdh) -> bool,
    ) -> Result<(Vec<Page>, Vec<Entry>), DataError> {
        let in_file = fs::metadata(path).map_or(0, |file| file.len()) as usize / PAGE_BYTES;
        let wanted: usize = self.streams.iter().map(|(_, pages)| pages).sum();
        let mut pages = Vec::new();
        // Only pages that are kept become part of the memory; without capacity it is copied as it
        // grows.
        let _ = pages.try_reserve(wanted.min(in_file));
        let mut streams: Vec<_> = self.streams.iter().map(|&(id, _)| (id, 0)).collect();
        let length = self.read_each(path, |stream, page| {
            if is_kept(&Rdh::from_bytes(page.first_chunk().expect("longer than a header"))) {
                pages.push(*page);
                streams[stream].1 += 1;
            }
            check_kept(path, bytes(pages.len()))
        })?;
        if length != bytes(self.all) {
            return Err(length_error(path, self.all, length));
        }
        Ok((pages, streams))
    }

    /// Reads each page of the streams, with the index of its stream; returns the length of the
    /// file, or a lower bound if the file is too long. Nothing is allocated by what the index
    /// claims.
    fn read_each(
        &self,
        path: &Path,
        mut each: impl FnMut(usize, &Page) -> Result<(), DataError>,
    ) -> Result<u64, DataError> {
        let mut source = Source::opened(path, open_pieces(path)?);
        source.skip(bytes(self.before))?;
        let mut page = [0; PAGE_BYTES];
        let mut count = 0;
        for (stream, &(_, pages)) in self.streams.iter().enumerate() {
            for _ in 0..pages {
                if source.fill(&mut page)? < PAGE_BYTES {
                    return Ok(source.offset());
                }
                each(stream, &page)?;
            }
            count += pages;
        }
        let after = bytes(self.all) - bytes(self.before + count);
        source.skip(after + 1)?;
        Ok(source.offset())
    }
}

fn bytes(pages: usize) -> u64 {
    (pages * PAGE_BYTES) as u64
}
