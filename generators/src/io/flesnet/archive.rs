//! The timeslices of one file.

use std::path::Path;

use super::header;
use super::primitives::{Bytes, Problem};
use super::remarks::{Cut, Remarks};
use super::timeslice::{Classes, Timeslice};
use crate::DataError;
use crate::io::content_limit::check_kept;
use crate::io::file::open_sniffed;
use crate::io::source::Source;
use crate::io::standard_input::Opened;
use crate::io::sts_raw::append_timeslices;
use crate::sts::raw::{RawData, RawTimeslice};

/// The timeslices that are read, of all files of a run.
#[derive(Default)]
pub(super) struct Read {
    pub(super) data: RawData,
    pub(super) remarks: Remarks,
    /// True if a timeslice has no index.
    pub(super) is_unordered: bool,
}

impl Read {
    /// Appends the timeslices of a file that are wanted, by their index if they have one: of an
    /// archive, or of a file of the lab's own.
    ///
    /// # Errors
    /// If the file can't be read, is of another kind, is damaged, or is cut within its first
    /// timeslice.
    pub(super) fn append(
        &mut self,
        path: &Path,
        wanted: &mut dyn FnMut(Option<u64>) -> bool,
    ) -> Result<(), DataError> {
        let (first, source) = open_sniffed::<{ header::START_BYTES }>(path)?;
        if !header::is_archive(&first) {
            let mut wanted = |index| wanted(Some(index));
            return append_timeslices(Source::opened(path, source), &mut wanted, &mut self.data);
        }
        let (from, newer) = begin(path, source)?;
        self.append_timeslices(path, from, wanted).map_err(|error| match (error, newer) {
            (DataError::Format { path, location, problem }, Some(version)) => {
                let problem = format!("{problem} (archive version {version} is newer than known)");
                DataError::Format { path, location, problem }
            }
            (error, _) => error,
        })
    }

    fn append_timeslices(
        &mut self,
        path: &Path,
        mut from: Bytes<'_>,
        wanted: &mut dyn FnMut(Option<u64>) -> bool,
    ) -> Result<(), DataError> {
        let mut classes = Classes::default();
        let mut timeslice = Timeslice::default();
        let mut timeslices = 0;
        loop {
            let byte = from.offset();
            let read = match from.at_end() {
                Ok(true) => return Ok(()),
                Ok(false) => timeslice.read(&mut from, &mut classes),
                Err(problem) => Err(problem),
            };
            match read {
                Ok(()) => {}
                Err(Problem::Cut) if timeslices > 0 => {
                    self.remarks.cut.push(Cut { path: path.to_owned(), timeslices, byte });
                    return Ok(());
                }
                Err(problem) => return Err(error(path, from.offset(), problem)),
            }
            timeslices += 1;
            self.is_unordered |= timeslice.index.is_none();
            if wanted(timeslice.index) {
                self.push(&timeslice).map_err(|problem| {
                    let problem = format!("timeslice {timeslices} of the file: {problem}");
                    error(path, byte, Problem::Wrong(problem))
                })?;
                check_kept(path, self.data.bytes().len() as u64)?;
            }
        }
    }

    fn push(&mut self, timeslice: &Timeslice) -> Result<(), String> {
        let number = self.data.len() as u64;
        let start_ns = timeslice.start_ns;
        self.data.push_timeslice(RawTimeslice {
            index: timeslice.index.unwrap_or(number),
            start_ns,
            core_microslices: timeslice.core_microslices,
        });
        if start_ns == 0 {
            self.remarks.without_start();
        }
        for (component, microslices, block) in timeslice.sts_components(&mut self.remarks) {
            self.data
                .push_component(microslices, block)
                .map_err(|problem| format!("component {component}: {problem}"))?;
            self.remarks.component(self.data.last_component().expect("one was added"));
        }
        Ok(())
    }
}

/// The duration in ns that an archive states for its first timeslice, if it does.
///
/// # Errors
/// If the file can't be read, or is a damaged archive.
pub(super) fn timeslice_duration(path: &Path) -> Result<Option<u64>, DataError> {
    let (first, source) = open_sniffed::<{ header::START_BYTES }>(path)?;
    if !header::is_archive(&first) {
        return Ok(None);
    }
    let (mut from, _) = begin(path, source)?;
    let mut timeslice = Timeslice::default();
    let read = timeslice.read_descriptor(&mut from, &mut Classes::default());
    read.map_err(|problem| error(path, from.offset(), problem))?;
    Ok(Some(timeslice.duration_ns).filter(|&duration| duration > 0))
}

/// Reads the header of an archive; returns the timeslices, and the version of the archive if it is
/// newer than those that are known.
fn begin(path: &Path, opened: Opened) -> Result<(Bytes<'_>, Option<u16>), DataError> {
    let mut from = Bytes::new(Source::opened(path, opened));
    let header = header::read(&mut from);
    let header = header.map_err(|problem| error(path, from.offset(), problem))?;
    let offset = from.offset();
    let from = if header.is_zstd { from.decompressed() } else { Ok(from) };
    let from = from.map_err(|problem| error(path, offset, problem))?;
    Ok((from, header.newer_archive))
}

fn error(path: &Path, byte: u64, problem: Problem) -> DataError {
    let at_byte = |problem: String| DataError::format(path, format!("byte {byte}"), problem);
    match problem {
        Problem::Cut => {
            at_byte("the file ends here, within its header or first timeslice".to_owned())
        }
        Problem::Wrong(problem) => at_byte(problem),
        Problem::Io(source) => DataError::io(path, source),
    }
}
