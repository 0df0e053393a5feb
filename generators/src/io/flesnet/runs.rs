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

/// Reads the files once to count their timeslices, without keeping any: returns for each one with an
/// index in the range whether it is after those to skip and among those to take.
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
