//! Text with a header that is known, line by line, and the fields of a line, checked against their
//! ranges.

use std::io::Read;
use std::path::Path;

use csv::{Reader, ReaderBuilder, StringRecord, Trim};
use files::Lines;
use text::Untrusted;

use crate::DataError;
use crate::sts::setup::Setup;
use crate::sts::{
    Address, CHANNELS_PER_SIDE, Digi, MAX_ADC, MAX_SEGMENTS, MAX_TIME_NS, ModuleSide,
};

/// Limits of a detector.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Number of modules.
    pub(super) modules: usize,
    /// The largest charge in ADC units.
    pub(super) adc: u8,
}

impl Limits {
    /// The limits of the digi format itself.
    pub(super) const OF_DIGIS: Limits = Limits { modules: MAX_SEGMENTS / 2, adc: MAX_ADC };

    /// Limits of a detector.
    pub(super) fn for_setup(setup: &Setup) -> Self {
        Limits { modules: setup.modules().len(), adc: setup.asic().n_adc - 1 }
    }
}

/// A digi with the module side it belongs to.
pub(super) struct Row {
    pub(super) side: ModuleSide,
    pub(super) channel: u32,
    pub(super) time_ns: u32,
    pub(super) adc: u32,
}

impl Row {
    /// Returns the digi, or a message about its fields.
    pub(super) fn digi(&self, limits: Limits) -> Result<Digi, String> {
        in_range("channel", self.channel, u32::from(CHANNELS_PER_SIDE) - 1)?;
        in_range("time_ns", self.time_ns, MAX_TIME_NS)?;
        in_range("adc", self.adc, u32::from(limits.adc))?;
        let address = Address::of_module(self.side.module);
        Ok(Digi::new(address, self.channel as u16, self.time_ns, self.adc as u8))
    }
}

pub(super) fn in_range(name: &str, value: u32, largest: u32) -> Result<(), String> {
    if value <= largest {
        return Ok(());
    }
    Err(format!("{name} {value} is above {largest}"))
}

/// Error for a line of text.
pub(super) fn csv_error(path: &Path, error: csv::Error) -> DataError {
    let location = error
        .position()
        .map_or_else(|| "while reading".to_owned(), |location| format!("line {}", location.line()));
    let message = error.to_string();
    let problem = match error.into_kind() {
        // The message for too long or cut-off lines is complete already.
        csv::ErrorKind::Io(source) => return DataError::io(path, source),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("{len} fields instead of {expected_len}; is the file cut off?")
        }
        _ => message,
    };
    DataError::format(path, location, problem)
}

/// A reader of text that refuses overlong lines and cut-off last lines.
pub(super) fn reader<R: Read>(source: R) -> Reader<Lines<R>> {
    ReaderBuilder::new().trim(Trim::All).from_reader(Lines::for_table(source))
}

/// Calls `take` for each line after the header; its error is reported with the line number.
pub(super) fn for_each_row(
    path: &Path,
    source: impl Read,
    columns: &[&str],
    mut take: impl FnMut(&StringRecord) -> Result<(), String>,
) -> Result<(), DataError> {
    let mut reader = reader(source);
    let header = reader.headers().map_err(|error| csv_error(path, error))?;
    if header != columns {
        let found = header.iter().collect::<Vec<_>>().join(",");
        let problem =
            format!("the header is {}, not {}", found.quoted(), columns.join(",").quoted());
        return Err(DataError::format(path, "line 1", problem));
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| csv_error(path, error))? {
        let line = record.position().map_or(0, csv::Position::line);
        take(&record)
            .map_err(|problem| DataError::format(path, format!("line {line}"), problem))?;
    }
    Ok(())
}
