//! Charges of the TPC, and the settings of the cluster finder for them: text, one record per line.
//!
//! `docs/tpc-clusters.md` describes the records.
//!
//! | module | content |
//! |---|---|
//! | `words` | the words of a line, and the kinds and order of lines |
//! | `cases` | the reader of cases; clusters that other programs found in the charges are skipped |

mod cases;
#[cfg(test)]
mod tests;
mod words;

use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use files::Lines;
use generators_common::DataError;
use generators_common::io::file::{open, write_file};
use text::Untrusted;

use crate::charges::{Charge, ChargeCase, ClusterSettings, DEFAULT_FRAGMENT, Labels};
use cases::Cases;
use words::Words;

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
        check(case)?;
    }
    write_file(path, |sink| cases.iter().try_for_each(|case| write(sink, case)))
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

/// A setting of one byte.
type Byte = fn(&mut ClusterSettings) -> &mut u8;

const BYTES: [(&str, Byte); 8] = [
    ("qmax_cutoff", |settings| &mut settings.qmax_cutoff),
    ("inner_threshold", |settings| &mut settings.inner_threshold),
    ("noise_eps", |settings| &mut settings.noise_eps),
    ("noise_eps_rel", |settings| &mut settings.noise_eps_rel),
    ("qtot_cutoff", |settings| &mut settings.qtot_cutoff),
    ("qmax_single_time", |settings| &mut settings.qmax_single_time),
    ("qmax_single_pad", |settings| &mut settings.qmax_single_pad),
    ("min_split", |settings| &mut settings.min_split),
];
const TIME_SHIFT: &str = "time_shift";

/// Takes over a name and its value; returns the name.
fn set_param(settings: &mut ClusterSettings, words: &mut Words) -> Result<&'static str, String> {
    let name = words.word("name")?;
    if name == TIME_SHIFT {
        settings.time_shift = finite(words.word("value")?)?;
        return Ok(TIME_SHIFT);
    }
    let known = BYTES.iter().find(|(known, _)| *known == name);
    let &(name, byte) = known.ok_or_else(|| unknown(name))?;
    *byte(settings) = words.number(name, 0..=u8::MAX)?;
    Ok(name)
}

fn finite(word: &str) -> Result<f32, String> {
    let value = word.parse().ok().filter(|value: &f32| value.is_finite());
    value.ok_or_else(|| format!("{TIME_SHIFT} {} is not a finite number", word.quoted()))
}

fn unknown(name: &str) -> String {
    let known: Vec<_> = BYTES.iter().map(|(name, _)| *name).chain([TIME_SHIFT]).collect();
    DataError::unknown("param", name, &known).to_string()
}

/// Names and values of the settings that differ from the defaults.
fn changed_params(mut settings: ClusterSettings) -> Vec<(&'static str, String)> {
    let mut default = ClusterSettings::default();
    let bytes = BYTES.map(|(name, byte)| (name, *byte(&mut settings), *byte(&mut default)));
    let changed = bytes.iter().filter(|(_, value, default)| value != default);
    let mut changed: Vec<_> = changed.map(|(name, value, _)| (*name, value.to_string())).collect();
    if settings.time_shift != default.time_shift {
        changed.push((TIME_SHIFT, settings.time_shift.to_string()));
    }
    changed
}

/// Maximum number of samples written to a line: far below the longest line that is read.
const LONGEST_RUN: usize = 1 << 14;

/// Refuses what could not be read back.
fn check(case: &ChargeCase) -> Result<(), DataError> {
    let name = case.name.quoted();
    if case.name.is_empty() || case.name.contains([' ', '\n']) {
        return Err(DataError::shape(format!("case {name}: a name is one word, without blanks")));
    }
    let Some(labels) = &case.labels else {
        return Ok(());
    };
    let samples = case.charges.len();
    let labelled = labels.first().len();
    if samples != labelled {
        let problem = format!("case {name}: {samples} samples, but labels of {labelled}");
        return Err(DataError::shape(problem));
    }
    if (0..samples).all(|sample| labels.list(sample).len() <= MAX_LABELS) {
        return Ok(());
    }
    Err(DataError::shape(format!("case {name}: a sample has more than {MAX_LABELS} labels")))
}

fn write(sink: &mut impl Write, case: &ChargeCase) -> io::Result<()> {
    writeln!(sink, "case {}", case.name)?;
    writeln!(sink, "sector {}", case.sector)?;
    writeln!(sink, "frame {}", case.time_bins)?;
    if case.fragment != DEFAULT_FRAGMENT {
        writeln!(sink, "fragment {}", case.fragment)?;
    }
    for (name, value) in changed_params(case.settings) {
        writeln!(sink, "param {name} {value}")?;
    }
    for pad in &case.noisy {
        writeln!(sink, "noisy {} {}", pad.row(), pad.pad())?;
    }
    match &case.labels {
        None => write_runs(sink, &case.charges)?,
        Some(labels) => write_labelled(sink, &case.charges, labels)?,
    }
    writeln!(sink, "end")
}

fn write_runs(sink: &mut impl Write, charges: &[Charge]) -> io::Result<()> {
    let runs = charges.chunk_by(is_next).flat_map(|run| run.chunks(LONGEST_RUN));
    for run in runs {
        write!(sink, "r {} {} {}", run[0].pad.row(), run[0].pad.pad(), run[0].time)?;
        for sample in run {
            write!(sink, " {}", sample.charge)?;
        }
        writeln!(sink)?;
    }
    Ok(())
}

fn is_next(sample: &Charge, next: &Charge) -> bool {
    sample.pad == next.pad && sample.time.checked_add(1) == Some(next.time)
}

fn write_labelled(sink: &mut impl Write, charges: &[Charge], labels: &Labels) -> io::Result<()> {
    for (index, Charge { time, pad, charge }) in charges.iter().enumerate() {
        write!(sink, "d {} {} {time} {charge}", pad.row(), pad.pad())?;
        for label in labels.list(index) {
            write!(sink, " {label}")?;
        }
        writeln!(sink)?;
    }
    Ok(())
}
