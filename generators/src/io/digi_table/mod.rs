//! Digis as tables of other programs: columns by name, floats that are whole, absolute times.
//!
//! | module | content |
//! |---|---|
//! | `cell` | values of cells |
//! | `columns` | columns by name |
//! | `times` | times relative to an origin |

mod cell;
mod columns;
mod times;

pub(super) use cell::Cell;
pub(super) use columns::{COLUMNS, Columns};

use times::Times;

use super::fields::Limits;
use crate::partition::Partition;
use crate::sts::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};

/// Rows of a table.
pub(super) struct DigiTable {
    limits: Limits,
    rows: Vec<Row>,
    times: Times,
}

/// A digi before the origin of its time is known.
struct Row {
    time: i64,
    module: u32,
    channel: u16,
    adc: u8,
    back: bool,
}

/// Digis that were read, with notes on how.
#[derive(Debug)]
pub struct ReadDigis {
    /// The digis.
    pub digis: SegmentedDigis,
    /// Notes for users.
    pub notes: Vec<String>,
}

/// A problem with a row.
pub(super) struct RowProblem {
    /// Line or index of the row.
    pub(super) row: u64,
    pub(super) problem: String,
}

impl DigiTable {
    /// A table without rows. Times are relative to the origin, in ns; without one, to the earliest
    /// time if they are too large or negative.
    pub(super) fn new(limits: Limits, time_origin: Option<i64>) -> Self {
        DigiTable { limits, rows: Vec::new(), times: Times::new(time_origin) }
    }

    /// Appends a row, given its cells in the order of [`COLUMNS`] and the line or index for
    /// messages.
    pub(super) fn push(&mut self, row: u64, cells: [Cell<'_>; 5]) -> Result<(), String> {
        let [module, side, channel, time, adc] = cells;
        self.rows.push(Row {
            module: module.whole_up_to(COLUMNS[0], self.limits.modules as u32 - 1)?,
            back: side.is_back()?,
            channel: channel.whole_up_to(COLUMNS[2], u32::from(CHANNELS_PER_SIDE) - 1)? as u16,
            time: self.times.add(row, time)?,
            adc: adc.whole_up_to(COLUMNS[4], self.limits.adc.into())? as u8,
        });
        Ok(())
    }

    /// The digis, given the unit of row numbers. There are two segments for each module up to the highest one; within a segment
    /// the digis keep the order of the rows.
    pub(super) fn finish(self, ignored: &[String], unit: &str) -> Result<ReadDigis, RowProblem> {
        let origin = self.times.origin(unit)?;
        let notes = columns::note(ignored).into_iter().chain(self.times.notes(origin)).collect();
        Ok(ReadDigis { digis: by_segment(&self.rows, origin), notes })
    }
}

impl Row {
    fn segment(&self, modules: usize) -> usize {
        ModuleSide { module: self.module as usize, back: self.back }.segment(modules)
    }

    fn digi(&self, origin: i64) -> Digi {
        let time_ns = i128::from(self.time) - i128::from(origin);
        Digi::new(Address::of_module(self.module as usize), self.channel, time_ns as u32, self.adc)
    }
}

/// A stable counting sort by segment.
fn by_segment(rows: &[Row], origin: i64) -> SegmentedDigis {
    let modules = rows.iter().map(|row| row.module as usize + 1).max().unwrap_or(0);
    let mut counts = vec![0; 2 * modules];
    for row in rows {
        counts[row.segment(modules)] += 1;
    }
    let partition = Partition::from_lengths(counts);
    let mut next: Vec<_> = partition.ranges().map(|range| range.start).collect();
    let mut digis = vec![Digi::default(); rows.len()];
    for row in rows {
        let index = &mut next[row.segment(modules)];
        digis[*index] = row.digi(origin);
        *index += 1;
    }
    SegmentedDigis::new(digis, partition)
}
