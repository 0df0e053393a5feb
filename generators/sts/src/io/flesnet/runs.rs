//! Files of a run: sequences and several inputs, each with its timeslices.

use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::archive::{START_BYTES, is_archive};
use generators_common::io::content_limit::check_kept;
use generators_common::io::file::{open_sniffed, sniff};
use generators_common::io::source::Source;
use generators_common::io::standard_input::Opened;
use generators_common::io::{FileName, Selection};
use text::Untrusted;

use super::header::{self, Bytes, Problem};
use super::remarks::{Cut, Remarks};
use super::timeslice::{Classes, Timeslice};
use crate::io::raw::{append_timeslices, is_raw_timeslices};
use crate::raw::{RawData, RawTimeslice};

/// The number of a file in the names of a sequence.
const NUMBER: &str = "%n";

/// The duration in ns that archives state for the first timeslice of an input, if they do.
///
/// # Errors
/// If the file can't be read, or is a damaged archive.
pub fn timeslice_duration_ns(input: &Path) -> Result<Option<u64>, DataError> {
    timeslice_duration(&files_of_input(input)?.swap_remove(0))
}

/// True for names of timeslice archives, which end in `.tsa`.
pub fn is_archive_name(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsa"))
}

/// True if a file holds raw data, by its first bytes: timeslice archives or files of the lab's own.
///
/// # Errors
/// If the file can't be opened or read.
pub fn is_raw_file(path: &Path) -> Result<bool, DataError> {
    let file = files_of_input(path)?.swap_remove(0);
    let first = sniff::<START_BYTES>(&file)?;
    Ok(is_archive(&first) || is_raw_timeslices(&first))
}

/// Reads raw data of one or several files, in order of the timeslices' indices: several inputs and
/// sequences `NAME_%n.tsa` are one run. Timeslices with equal indices are in the order of the
/// inputs; so are all if an archive of the oldest version, without indices, is among them.
///
/// # Errors
/// If a file can't be read, is of another kind or damaged, or no timeslice is selected.
pub fn read_raw_data(
    inputs: &[PathBuf],
    selection: &Selection,
) -> Result<(RawData, Remarks), DataError> {
    let mut files = Vec::new();
    for input in inputs {
        files.extend(files_of_input(input)?);
    }
    let are_counted = selection.skip > 0 || selection.take.is_some();
    let read = if are_counted && files.iter().all(|file| file.is_file()) {
        let mut counted = counted(&files, selection)?.into_iter();
        read_wanted(&files, &mut |index| {
            has_index(selection, index) && counted.next() == Some(true)
        })
    } else {
        read_wanted(&files, &mut |index| has_index(selection, index)).map(|mut read| {
            if are_counted {
                read.data.select(selection.skip, selection.take.unwrap_or(u64::MAX));
            }
            read
        })
    }?;
    if read.data.is_empty() {
        let names = inputs.iter().map(|input| FileName(input).to_string()).collect::<Vec<_>>();
        let problem = format!("{}: no timeslice to read; check the selection", names.join(", "));
        return Err(DataError::shape(problem));
    }
    Ok((read.data, read.remarks))
}

fn has_index(selection: &Selection, index: Option<u64>) -> bool {
    index.is_none_or(|index| selection.has_index(index))
}

/// Reads the timeslices that are wanted, in their order.
fn read_wanted(
    files: &[PathBuf],
    wanted: &mut dyn FnMut(Option<u64>) -> bool,
) -> Result<Read, DataError> {
    let mut read = Read::default();
    for file in files {
        read.append(file, wanted)?;
    }
    if !read.is_unordered {
        read.data.sort_by_index();
    }
    Ok(read)
}

/// Reads the files once to count their timeslices, without keeping any: returns for each one with
/// an index in the range whether it is after those to skip and among those to take.
fn counted(files: &[PathBuf], selection: &Selection) -> Result<Vec<bool>, DataError> {
    let mut indices = Vec::new();
    let read = read_wanted(files, &mut |index| {
        if has_index(selection, index) {
            indices.push(index.unwrap_or(0));
        }
        false
    })?;
    let mut order: Vec<usize> = (0..indices.len()).collect();
    if !read.is_unordered {
        order.sort_by_key(|&number| indices[number]);
    }
    let skip = usize::try_from(selection.skip).unwrap_or(usize::MAX);
    let take = selection.take.map_or(usize::MAX, |take| take.try_into().unwrap_or(usize::MAX));
    let mut are_taken = vec![false; indices.len()];
    for number in order.into_iter().skip(skip).take(take) {
        are_taken[number] = true;
    }
    Ok(are_taken)
}

/// The files of an input: itself, or those of a sequence up to the first that is missing.
///
/// # Errors
/// If a sequence has no first file.
pub fn files_of_input(input: &Path) -> Result<Vec<PathBuf>, DataError> {
    let Some(name) = numbered(input) else { return Ok(vec![input.to_owned()]) };
    let files: Vec<_> = (0..).map(&name).take_while(|file| file.exists()).collect();
    if files.is_empty() {
        let problem =
            format!("{}: no such file; sequences begin with number 0000", name(0).escaped());
        return Err(DataError::shape(problem));
    }
    Ok(files)
}

/// The names of a sequence's files by their number, if the name has `%n`.
pub(super) fn numbered(path: &Path) -> Option<impl Fn(u64) -> PathBuf> {
    let name = path.as_os_str().as_encoded_bytes();
    let start = name.windows(NUMBER.len()).position(|part| part == NUMBER.as_bytes())?;
    let before = name[..start].to_vec();
    let after = name[start + NUMBER.len()..].to_vec();
    Some(move |number: u64| {
        path_of([&before[..], format!("{number:04}").as_bytes(), &after].concat())
    })
}

/// A path of these bytes, which need not be UTF-8.
fn path_of(name: Vec<u8>) -> PathBuf {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(name).into()
}

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
    pub(super) fn append(
        &mut self,
        path: &Path,
        wanted: &mut dyn FnMut(Option<u64>) -> bool,
    ) -> Result<(), DataError> {
        let (first, source) = open_sniffed::<{ START_BYTES }>(path)?;
        if !is_archive(&first) {
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
pub(super) fn timeslice_duration(path: &Path) -> Result<Option<u64>, DataError> {
    let (first, source) = open_sniffed::<{ START_BYTES }>(path)?;
    if !is_archive(&first) {
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
