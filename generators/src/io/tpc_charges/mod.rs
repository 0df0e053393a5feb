//! Charges of the TPC, and the settings of the cluster finder for them: text, one record per line.
//!
//! `docs/tpc-clusters.md` describes the records.
//!
//! | module | content |
//! |---|---|
//! | `record` | kinds of records, and their order |
//! | `words` | the words of a line |
//! | `position` | pads and time bins, and duplicates of them |
//! | `params` | settings by their names |
//! | `results` | clusters that other programs found in the charges, which are skipped |
//! | `open_case` | a case that is not yet complete |
//! | `cases` | the reader of all cases |
//! | `write` | the writer |

mod cases;
mod open_case;
mod params;
mod position;
mod record;
mod results;
#[cfg(test)]
mod tests;
mod words;
mod write;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use files::Lines;
use text::Untrusted;

use super::file::{open, write_file};
use crate::DataError;
use crate::tpc::charges::ChargeCase;
use cases::Cases;

const ENDING: &str = ".cases";
const BUFFER_BYTES: usize = 1 << 16;

/// Maximum number of labels of a sample in a file.
const MAX_LABELS: usize = 1000;

/// Checks that charges can be in a file of this name; call it before they are generated.
///
/// # Errors
/// If the ending is neither `.cases` nor `.cases.gz`.
pub fn check_charge_file(path: &Path) -> Result<(), DataError> {
    let name = path.to_string_lossy().to_lowercase();
    if name.strip_suffix(".gz").unwrap_or(&name).ends_with(ENDING) {
        return Ok(());
    }
    let problem = format!("{}: files of charges are named .cases or .cases.gz", path.escaped());
    Err(DataError::shape(problem))
}

/// Reads charges; clusters in the file are checked for their form and skipped.
///
/// # Errors
/// If the file can't be read, a line is invalid (the error names it), or there is no case.
pub fn read_charges(path: &Path) -> Result<Vec<ChargeCase>, DataError> {
    check_charge_file(path)?;
    read(path, open(path)?)
}

/// Writes charges.
///
/// # Errors
/// If the file can't be written (it is then incomplete), or a case can't be described: its name is
/// not a single word, or its numbers of samples and of their labels differ.
pub fn write_charges(path: &Path, cases: &[ChargeCase]) -> Result<(), DataError> {
    check_charge_file(path)?;
    for case in cases {
        write::check(case)?;
    }
    write_file(path, |sink| cases.iter().try_for_each(|case| write::write(sink, case)))
}

fn read(path: &Path, source: impl Read) -> Result<Vec<ChargeCase>, DataError> {
    let mut source = BufReader::with_capacity(BUFFER_BYTES, Lines::for_records(source));
    let mut cases = Cases::default();
    let mut line = Vec::new();
    for index in 1.. {
        line.clear();
        let read = source.read_until(b'\n', &mut line);
        if read.map_err(|source| DataError::io(path, source))? == 0 {
            break;
        }
        line.pop();
        let taken = text_of(&line).map_err(|problem| (index, problem));
        taken.and_then(|text| cases.take(index, text)).map_err(|(index, problem)| {
            DataError::format(path, format!("line {index}"), problem)
        })?;
    }
    cases.finish().map_err(|problem| DataError::format(path, "at its end", problem))
}

fn text_of(line: &[u8]) -> Result<&str, String> {
    str::from_utf8(line).map_err(|error| {
        let byte = error.valid_up_to() + 1;
        format!("byte {byte} of the line is not text; files of charges are UTF-8")
    })
}
