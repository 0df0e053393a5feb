//! The experiment's pad mapping: a folder with four tables.
//!
//! A line is a pad: 14 columns between white space, without a header.

use std::path::Path;

use files::{LARGEST_RECORD, read_text};

use generators_common::DataError;
use text::Untrusted;

use crate::geometry::{FECS_IN_SECTOR, PADS_IN_SECTOR, ROWS, pads_in_row};
use crate::mapping::{CHANNELS_IN_CHIP, CHIPS_IN_FEC, ChipChannel};
use crate::{LinkChannel, PadId, PadMapping};

const TABLES: [&str; 4] =
    ["TABLE-IROC.txt", "TABLE-OROC1.txt", "TABLE-OROC2.txt", "TABLE-OROC3.txt"];
const COLUMNS: usize = 14;

/// A column that is read, and the upper limit of its values.
struct Column {
    name: &'static str,
    number: usize,
    limit: usize,
}

const ROW: Column = column("row", 1, ROWS);
const PAD: Column = column("pad", 2, u8::MAX as usize + 1);
const FEC: Column = column("FEC in sector", 9, FECS_IN_SECTOR);
const CHIP: Column = column("SAMPA chip", 12, CHIPS_IN_FEC);
const CHANNEL: Column = column("channel on the SAMPA", 13, CHANNELS_IN_CHIP);

const fn column(name: &'static str, number: usize, limit: usize) -> Column {
    Column { name, number, limit }
}

/// Reads `TABLE-IROC.txt`, `TABLE-OROC1.txt`, `TABLE-OROC2.txt` and
/// `TABLE-OROC3.txt` of a folder.
///
/// # Errors
/// If a table can't be read or a line is damaged: the error names file and line.
/// If the tables together leave out a channel or give one twice, or a pad is on a
/// channel of another region.
pub fn read_pad_mapping(folder: &Path) -> Result<PadMapping, DataError> {
    let mut wires = Wires::new();
    for table in TABLES {
        wires.read(&folder.join(table))?;
    }
    let wires = wires.complete(folder)?;
    PadMapping::new(|channel| wires.pad(channel))
        .map_err(|error| DataError::format(folder, "all tables together", error.to_string()))
}

/// The known pad of each channel of each chip.
struct Wires(Vec<Option<PadId>>);

impl Wires {
    fn new() -> Self {
        Wires(vec![None; FECS_IN_SECTOR * CHIPS_IN_FEC * CHANNELS_IN_CHIP])
    }

    fn read(&mut self, path: &Path) -> Result<(), DataError> {
        let text = read_text(path, LARGEST_RECORD);
        let text = text.map_err(|source| DataError::io(path, source))?;
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            self.add(line).map_err(|problem| {
                DataError::format(path, format!("line {}", index + 1), problem)
            })?;
        }
        Ok(())
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<_> = line.split_whitespace().collect();
        if fields.len() != COLUMNS {
            let count = fields.len();
            return Err(format!("{count} columns instead of {COLUMNS}; is the file cut off?"));
        }
        let pad = parse_pad(&fields)?;
        let channel = ChipChannel {
            fec: FEC.parse(&fields)?,
            chip: CHIP.parse(&fields)?,
            channel: CHANNEL.parse(&fields)?,
        };
        match self.0[channel.index()].replace(pad) {
            None => Ok(()),
            Some(other) => Err(format!(
                "{channel:?} reads row {} pad {} already; remove one of the lines",
                other.row(),
                other.pad()
            )),
        }
    }

    /// Refuses tables that leave out channels.
    fn complete(self, folder: &Path) -> Result<Self, DataError> {
        let known = self.0.iter().flatten().count();
        if known == PADS_IN_SECTOR {
            return Ok(self);
        }
        let problem = format!(
            "{known} channels instead of {PADS_IN_SECTOR}; is a file cut off or of another detector?"
        );
        Err(DataError::format(folder, "all tables together", problem))
    }

    fn pad(&self, channel: LinkChannel) -> PadId {
        self.0[ChipChannel::from(channel).index()].unwrap_or_default()
    }
}

fn parse_pad(fields: &[&str]) -> Result<PadId, String> {
    let row: u8 = ROW.parse(fields)?;
    let pad: u8 = PAD.parse(fields)?;
    let pads = pads_in_row(usize::from(row));
    if usize::from(pad) >= pads {
        return Err(format!("pad {pad} is not in row {row}, which has {pads} pads"));
    }
    Ok(PadId::new(row, pad))
}

impl Column {
    fn parse(&self, fields: &[&str]) -> Result<u8, String> {
        let text = fields[self.number];
        let value = text.parse::<usize>().ok();
        value.filter(|value| *value < self.limit).map(|value| value as u8).ok_or_else(|| {
            format!(
                "{} {} (column {}) is not a whole number from 0 to {}",
                self.name,
                text.quoted(),
                self.number + 1,
                self.limit - 1
            )
        })
    }
}
