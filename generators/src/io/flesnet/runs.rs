//! Files of a run.

use std::path::{Path, PathBuf};

use text::Untrusted;

use super::archive::{Read, timeslice_duration};
use super::header::{START_BYTES, is_archive};
use super::remarks::Remarks;
use crate::DataError;
use crate::io::file::sniff;
use crate::io::sts_raw::is_raw_timeslices;
use crate::io::{FileName, Selection};
use crate::sts::raw::RawData;

/// The number of a file in the names of a sequence.
const NUMBER: &str = "%n";

/// The duration in ns that archives state for the first timeslice of an input, if they do.
///
/// # Errors
/// If the file can't be read, or is a damaged archive.
pub fn timeslice_duration_ns(input: &Path) -> Result<Option<u64>, DataError> {
    timeslice_duration(&files_of(input)?.swap_remove(0))
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
    let file = files_of(path)?.swap_remove(0);
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
    let wanted = |index| selection.has_index(index);
    let mut read = Read::default();
    for input in inputs {
        for file in files_of(input)? {
            read.append(&file, &wanted)?;
        }
    }
    let mut data = read.data;
    if !read.is_unordered {
        data.sort_by_index();
    }
    if selection.skip > 0 || selection.take.is_some() {
        data.select(selection.skip, selection.take.unwrap_or(u64::MAX));
    }
    if data.is_empty() {
        let names = inputs.iter().map(|input| FileName(input).to_string()).collect::<Vec<_>>();
        let problem = format!("{}: no timeslice to read; check the selection", names.join(", "));
        return Err(DataError::shape(problem));
    }
    Ok((data, read.remarks))
}

/// The files of an input: itself, or those of a sequence up to the first that is missing.
fn files_of(input: &Path) -> Result<Vec<PathBuf>, DataError> {
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
