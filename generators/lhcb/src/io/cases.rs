//! Cases: events as text, a record per line, with what is expected of them. Readers of events take
//! the records `case`, `raw`, `full`, `b` and `end`.
//!
//! ```text
//! case NAME
//! raw KIND VERSION       KIND is sp (super-pixels) or retina
//! full                   all banks are present; those without record have a count of 0
//! b SOURCE W W …         a bank: its words in hexadecimal, the count of words included
//! …                      records of what is expected, see docs/velo.md
//! end
//! ```

use std::io::{BufRead, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::content_limit::check_kept;
use generators_common::io::file::{open, write_file};
use text::Untrusted;

use crate::events::{BankWords, Event, Events};
use crate::format::{BankFormat, BankKind};

/// Records of what is expected, which are not read here.
const EXPECTED: &[&str] =
    &["m", "e", "c", "p", "h", "a", "s", "l", "t", "w", "f", "u", "o", "x", "scalar"];
/// Bytes of the longest line.
const MAX_BYTES: u64 = 1 << 24;

/// Name of a kind of banks in cases.
pub fn kind_name(kind: BankKind) -> &'static str {
    match kind {
        BankKind::SuperPixel => "sp",
        BankKind::Retina => "retina",
    }
}

/// Reads the events of a file of cases. Cases whose banks are invalid are left out.
///
/// # Errors
/// If the file can't be read, or a line is no record.
pub fn read(path: &Path) -> Result<Events, DataError> {
    let mut lines = open(path)?;
    let mut reader = Reader::default();
    let mut line = String::new();
    for number in 1_u64.. {
        line.clear();
        let read = std::io::Read::take(&mut lines, MAX_BYTES).read_line(&mut line);
        if read.map_err(|source| DataError::io(path, source))? == 0 {
            break;
        }
        let at = |problem| DataError::format(path, format!("line {number}"), problem);
        if line.len() as u64 == MAX_BYTES {
            return Err(at(format!("it is longer than {MAX_BYTES} bytes")));
        }
        reader.take(&line).map_err(at)?;
        check_kept(path, reader.kept_bytes())?;
    }
    match reader.case {
        Some(case) => {
            let problem = format!("case {} has no `end`", case.name.quoted());
            Err(DataError::format(path, "end", problem))
        }
        None if reader.events.is_empty() && reader.events.defects.is_empty() => {
            Err(DataError::format(path, "end", "there are no cases; start one with `case NAME`"))
        }
        None => Ok(reader.events),
    }
}

/// The events as far as they were read.
#[derive(Default)]
struct Reader {
    events: Events,
    case: Option<Case>,
}

/// A case without its end.
struct Case {
    name: String,
    format: Option<BankFormat>,
    is_full: bool,
    banks: Vec<(u16, Vec<u32>)>,
    /// Bytes of the banks.
    bytes: u64,
}

impl Reader {
    fn take(&mut self, line: &str) -> Result<(), String> {
        let mut words = line.split_ascii_whitespace();
        let Some(record) = words.next() else { return Ok(()) };
        let Some(case) = &mut self.case else {
            if record != "case" {
                let record = record.quoted();
                return Err(format!("{record} outside of a case; start one with `case NAME`"));
            }
            let name = words.next().ok_or("the case has no name")?.to_owned();
            self.case =
                Some(Case { name, format: None, is_full: false, banks: Vec::new(), bytes: 0 });
            return Ok(());
        };
        match record {
            "raw" => case.format = Some(format(&mut words)?),
            "full" => case.is_full = true,
            "b" => {
                let source = words.next().and_then(|word| word.parse().ok());
                let source =
                    source.ok_or("expected the source of the bank, a number below 65536")?;
                let word = |word: &str| u32::from_str_radix(word, 16).ok();
                let body: Option<Vec<_>> = { words }.map(word).collect();
                let body = body.ok_or("words are hexadecimal, of 32 bits")?;
                case.bytes += size_of::<(u16, Vec<u32>)>() as u64 + size_of_val(&body[..]) as u64;
                case.banks.push((source, body));
            }
            "end" => {
                if let Some(case) = self.case.take() {
                    self.close(case)?;
                }
            }
            "case" => return Err("the previous case has no `end`".to_owned()),
            known if EXPECTED.contains(&known) => {}
            unknown => return Err(format!("unknown record {}", unknown.quoted())),
        }
        Ok(())
    }

    /// Bytes of all events, and of the case that has no end yet.
    fn kept_bytes(&self) -> u64 {
        self.events.bytes() + self.case.as_ref().map_or(0, |case| case.bytes)
    }

    fn close(&mut self, mut case: Case) -> Result<(), String> {
        let format = case.format.ok_or("the case has no `raw` record")?;
        if case.is_full {
            case.complete(format);
        }
        let banks: Vec<_> =
            case.banks.iter().map(|(source, words)| BankWords { source: *source, words }).collect();
        if let Err(problem) = self.events.push(case.name.clone(), format, &banks, None) {
            self.events.defects.push(format!("case {}, {problem}", case.name.escaped()));
        }
        Ok(())
    }
}

impl Case {
    /// Adds the banks that have no record.
    fn complete(&mut self, format: BankFormat) {
        let count = if format.has_sensor_pairs() { Vec::new() } else { vec![0] };
        for source in 0..format.banks() as u16 {
            if self.banks.iter().all(|(present, _)| *present != source) {
                self.banks.push((source, count.clone()));
            }
        }
    }
}

fn format<'a>(words: &mut impl Iterator<Item = &'a str>) -> Result<BankFormat, String> {
    let name = words.next().unwrap_or_default();
    let kind = BankKind::ALL.into_iter().find(|kind| kind_name(*kind) == name);
    let kind =
        kind.ok_or_else(|| format!("unknown kind {}; there are sp, retina", name.quoted()))?;
    let version = words.next().and_then(|word| word.parse().ok());
    Ok(BankFormat { kind, version: version.ok_or("expected the version, a number")? })
}

/// Writes events as cases, without expected results and without truth.
///
/// # Errors
/// If the file can't be written.
pub fn write(path: &Path, events: &Events) -> Result<(), DataError> {
    write_file(path, |sink| {
        for (event, name) in events.iter().zip(events.names()) {
            writeln!(sink, "case {name}")?;
            write_banks(sink, event)?;
            writeln!(sink, "end")?;
        }
        Ok(())
    })
}

/// Writes the records of an event's banks, from `raw` on.
fn write_banks(sink: &mut impl Write, event: Event<'_>) -> std::io::Result<()> {
    writeln!(sink, "raw {} {}", kind_name(event.format.kind), event.format.version)?;
    for bank in event.bank_words() {
        write!(sink, "b {}", bank.source)?;
        for word in bank.words {
            write!(sink, " {word:x}")?;
        }
        writeln!(sink)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use generators_common::io::content_limit::with_content_limit;

    use super::*;

    #[test]
    fn banks_of_a_case_without_end_count_against_the_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("endless.cases");
        let bank = format!("b 7{}\n", " 0".repeat(100));
        fs::write(&path, format!("case a\nraw sp 2\n{}", bank.repeat(100))).expect("written");
        let error = with_content_limit(10_000, || read(&path)).expect_err("larger");
        assert!(matches!(error, DataError::TooLarge { .. }), "{error}");
    }
}
