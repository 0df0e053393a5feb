//! Digis as text: `module,side,channel,time_ns,adc`.
//!
//! `side` is 0 (front) or 1 (back); the words are understood too. Channels
//! count from 0 on their side, times are in ns, charges in ADC units.

use std::io::{self, Read, Write};
use std::path::Path;

use csv::StringRecord;
use text::Untrusted;

use super::csv_rows::for_each_row;
use super::fields::{Limits, Row, in_range};
use crate::DataError;
use crate::partition::Partition;
use crate::sts::{Digi, ModuleSide, SegmentedDigis};

const COLUMNS: [&str; 5] = ["module", "side", "channel", "time_ns", "adc"];

/// Writes all digis, segment after segment, in their order.
pub(super) fn write(sink: &mut impl Write, digis: &SegmentedDigis) -> io::Result<()> {
    writeln!(sink, "{}", COLUMNS.join(","))?;
    let segments = digis.partition().segments();
    for (segment, digis) in digis.segments().enumerate() {
        let ModuleSide { module, back } = ModuleSide::of_segment(segment, segments);
        let side = u8::from(back);
        for digi in digis {
            let channel = digi.channel();
            let time = digi.time_ns();
            let adc = digi.adc();
            writeln!(sink, "{module},{side},{channel},{time},{adc}")?;
        }
    }
    Ok(())
}

/// Reads digis. There are two segments for each module up to the highest one;
/// within a segment the digis keep the order of the file.
pub(super) fn read(
    path: &Path,
    source: &mut impl Read,
    limits: Limits,
) -> Result<SegmentedDigis, DataError> {
    let mut rows = Vec::new();
    for_each_row(path, source, &COLUMNS, |record| {
        rows.push(parse(record, limits)?);
        Ok(())
    })?;
    Ok(by_segment(&rows))
}

fn parse(record: &StringRecord, limits: Limits) -> Result<(ModuleSide, Digi), String> {
    let number = |column: usize| {
        let text = &record[column];
        let name = COLUMNS[column];
        text.parse::<u32>()
            .map_err(|_| format!("{name} {} is not a whole number of 0 or more", text.quoted()))
    };
    let module = number(0)?;
    in_range("module", module, limits.modules as u32 - 1)?;
    let side = ModuleSide { module: module as usize, back: parse_side(&record[1])? };
    let row = Row { side, channel: number(2)?, time_ns: number(3)?, adc: number(4)? };
    Ok((side, row.digi(limits)?))
}

fn parse_side(text: &str) -> Result<bool, String> {
    match text {
        "0" | "front" => Ok(false),
        "1" | "back" => Ok(true),
        _ => Err(format!("side {} is neither 0 (front) nor 1 (back)", text.quoted())),
    }
}

/// A stable counting sort by segment.
fn by_segment(rows: &[(ModuleSide, Digi)]) -> SegmentedDigis {
    let modules = rows.iter().map(|(side, _)| side.module + 1).max().unwrap_or(0);
    let mut counts = vec![0; 2 * modules];
    for (side, _) in rows {
        counts[side.segment(modules)] += 1;
    }
    let partition = Partition::from_lengths(counts);
    let mut next: Vec<_> = partition.ranges().map(|range| range.start).collect();
    let mut digis = vec![Digi::default(); rows.len()];
    for (side, digi) in rows {
        let position = &mut next[side.segment(modules)];
        digis[*position] = *digi;
        *position += 1;
    }
    SegmentedDigis::new(digis, partition)
}
