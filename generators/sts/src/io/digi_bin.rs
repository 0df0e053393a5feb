//! Digis as binary columns.
//!
//! Little endian: the magic `STSDIGI1`; the number of modules and of groups
//! (module sides: two for each module, fronts first), 32 bits each; the number
//! of digis, 64 bits; the digis in each group, 32 bits each; then, for all
//! digis, the times in ns (32 bits), the channels (16 bits) and the charges in
//! ADC units (8 bits).

use std::io::{self, Write};
use std::path::Path;

use generators_common::DataError;
use generators_common::io::file::write_numbers;
use generators_common::io::source::Source;
use generators_common::partition::Partition;
use rayon::prelude::*;

use super::rows::{Limits, Row};
use crate::{Digi, ModuleSide, SegmentedDigis};

/// First bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"STSDIGI1";
/// A time, a channel and a charge.
const DIGI_BYTES: u64 = 4 + 2 + 1;
/// Digis that are converted at once.
const PART: usize = 1 << 16;

/// Refuses a number of segments that the layout can't hold.
pub(super) fn check_segments(segments: usize) -> Result<(), DataError> {
    if segments.is_multiple_of(2) {
        return Ok(());
    }
    Err(DataError::shape(format!(
        "{segments} segments can't be written as .bin, which holds both sides of each module; \
         use an even number or .csv"
    )))
}

/// Writes all digis; see [`check_segments`]. The digis of a module side are
/// counted with 32 bits.
pub(super) fn write(sink: &mut impl Write, digis: &SegmentedDigis) -> io::Result<()> {
    let partition = digis.partition();
    let groups = partition.segments() as u32;
    sink.write_all(&MAGIC)?;
    write_numbers(sink, [groups / 2, groups].map(u32::to_le_bytes))?;
    write_numbers(sink, [(partition.elements() as u64).to_le_bytes()])?;
    for length in partition.lengths() {
        let length = u32::try_from(length).map_err(io::Error::other)?;
        sink.write_all(&length.to_le_bytes())?;
    }
    let digis = digis.digis();
    write_numbers(sink, digis.iter().map(|digi| digi.time_ns().to_le_bytes()))?;
    write_numbers(sink, digis.iter().map(|digi| digi.channel().to_le_bytes()))?;
    write_numbers(sink, digis.iter().map(|digi| [digi.adc()]))
}

/// Reads all digis, each segment in the order of the file.
pub(super) fn read(mut source: Source<'_>, limits: Limits) -> Result<SegmentedDigis, DataError> {
    let partition = header(&mut source, limits)?;
    let bytes = source.portion(digi_bytes(&partition), "digis")?;
    source.end("column")?;
    convert(source.path(), &bytes, partition, limits)
}

/// Reads all digis of a file that is in memory, each segment in their order.
pub(super) fn parse(path: &Path, file: &[u8], limits: Limits) -> Result<SegmentedDigis, DataError> {
    let mut source = Source::opened(path, Box::new(file));
    let partition = header(&mut source, limits)?;
    let bytes = source.rest_of(file, digi_bytes(&partition), "digis", "column")?;
    convert(path, bytes, partition, limits)
}

fn digi_bytes(partition: &Partition) -> u64 {
    DIGI_BYTES * partition.elements() as u64
}

/// Reads the partition that the header describes. No more counts are read than there may be.
fn header(source: &mut Source<'_>, limits: Limits) -> Result<Partition, DataError> {
    source.magic(&MAGIC)?;
    let [modules, groups] = source.u32s("header")?;
    let [total] = source.u64s("header")?;
    if u64::from(groups) != 2 * u64::from(modules) {
        let problem = format!("{groups} module sides don't fit {modules} modules with two each");
        return Err(source.at(12, problem));
    }
    let max = limits.modules;
    if modules as usize > max {
        let problem = format!("{modules} modules are more than the maximum of {max}");
        return Err(source.at(12, problem));
    }
    let what = "digis in each module side";
    let counts = source.numbers(groups.into(), what, u32::from_le_bytes)?;
    // The sum of 2^18 counts of 32 bits can't overflow.
    let sum: u64 = counts.iter().map(|&count| u64::from(count)).sum();
    if sum != total {
        let problem = format!("the module sides have {sum} digis, but the header has {total}");
        return Err(source.at(16, problem));
    }
    Ok(Partition::from_lengths(counts.into_iter().map(|count| count as usize)))
}

/// Converts the columns after the header. All cores do so.
fn convert(
    path: &Path,
    bytes: &[u8],
    partition: Partition,
    limits: Limits,
) -> Result<SegmentedDigis, DataError> {
    let columns = Columns::new(bytes, partition.elements());
    let mut digis = vec![Digi::default(); partition.elements()];
    let segments = partition.ranges().zip(partition.split_mut(&mut digis)).enumerate();
    let parts = segments.flat_map(|(segment, (range, digis))| {
        let side = ModuleSide::of_segment(segment, partition.segments());
        let firsts = range.step_by(PART);
        firsts.zip(digis.chunks_mut(PART)).map(move |(first, digis)| Part { side, first, digis })
    });
    let parts: Vec<Part<'_>> = parts.collect();
    let problems = parts.into_par_iter().filter_map(|part| part.fill(&columns, limits).err());
    match problems.min_by_key(|problem| problem.position) {
        None => Ok(SegmentedDigis::new(digis, partition)),
        Some(BadDigi { position, side, problem }) => {
            Err(DataError::format(path, format!("digi {position}, {side}"), problem))
        }
    }
}

/// Digis of a segment that are converted by one thread.
struct Part<'d> {
    side: ModuleSide,
    /// Index of the first one in the file.
    first: usize,
    digis: &'d mut [Digi],
}

/// A digi that does not fit the detector.
struct BadDigi {
    position: usize,
    side: ModuleSide,
    problem: String,
}

impl Part<'_> {
    /// Converts the digis; returns the first that does not fit.
    fn fill(self, columns: &Columns<'_>, limits: Limits) -> Result<(), BadDigi> {
        let Part { side, first, digis } = self;
        for (position, digi) in (first..).zip(digis) {
            *digi = columns.digi(side, position, limits).map_err(|problem| BadDigi {
                position,
                side,
                problem,
            })?;
        }
        Ok(())
    }
}

/// The three columns.
struct Columns<'a> {
    times: &'a [[u8; 4]],
    channels: &'a [[u8; 2]],
    charges: &'a [u8],
}

impl<'a> Columns<'a> {
    fn new(bytes: &'a [u8], digis: usize) -> Self {
        let (times, rest) = bytes.split_at(4 * digis);
        let (channels, charges) = rest.split_at(2 * digis);
        Columns { times: times.as_chunks().0, channels: channels.as_chunks().0, charges }
    }

    fn digi(&self, side: ModuleSide, position: usize, limits: Limits) -> Result<Digi, String> {
        let row = Row {
            side,
            channel: u32::from(u16::from_le_bytes(self.channels[position])),
            time_ns: u32::from_le_bytes(self.times[position]),
            adc: u32::from(self.charges[position]),
        };
        row.digi(limits)
    }
}
