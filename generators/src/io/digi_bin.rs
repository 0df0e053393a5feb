//! Digis as binary columns.
//!
//! Little endian: the magic `STSDIGI1`; the number of modules and of groups
//! (module sides: two for each module, fronts first), 32 bits each; the number
//! of digis, 64 bits; the digis in each group, 32 bits each; then, for all
//! digis, the times in ns (32 bits), the channels (16 bits) and the charges in
//! ADC units (8 bits).

use std::io::{self, Read, Write};
use std::path::Path;

use rayon::prelude::*;
use text::Untrusted;

use super::fields::{Limits, Row};
use crate::DataError;
use crate::partition::Partition;
use crate::sts::{Digi, ModuleSide, SegmentedDigis};

/// First bytes of a file.
pub(super) const MAGIC: [u8; 8] = *b"STSDIGI1";
const HEADER_BYTES: u64 = 24;
const COUNT_BYTES: u64 = 4;
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
    sink.write_all(&(groups / 2).to_le_bytes())?;
    sink.write_all(&groups.to_le_bytes())?;
    sink.write_all(&(partition.elements() as u64).to_le_bytes())?;
    for length in partition.lengths() {
        let length = u32::try_from(length).map_err(io::Error::other)?;
        sink.write_all(&length.to_le_bytes())?;
    }
    for digi in digis.digis() {
        sink.write_all(&digi.time_ns().to_le_bytes())?;
    }
    for digi in digis.digis() {
        sink.write_all(&digi.channel().to_le_bytes())?;
    }
    for digi in digis.digis() {
        sink.write_all(&[digi.adc()])?;
    }
    Ok(())
}

/// Reads all digis, each segment in the order of the file.
pub(super) fn read(
    path: &Path,
    source: &mut impl Read,
    limits: Limits,
) -> Result<SegmentedDigis, DataError> {
    // Reads no more than the header claims, within limits; allocates no more than the file has.
    let mut bytes = Vec::new();
    let mut more = |bytes: &mut Vec<u8>, count: u64| {
        source.take(count).read_to_end(bytes).map_err(|error| DataError::io(path, error))
    };
    more(&mut bytes, HEADER_BYTES)?;
    let counts = counts_bytes(&bytes, limits);
    more(&mut bytes, counts)?;
    let digis = digi_bytes(&bytes, counts);
    more(&mut bytes, digis)?;
    parse(path, &bytes, limits)
}

/// The digis of a file's content, each segment in their order. All cores convert them.
pub(super) fn parse(
    path: &Path,
    bytes: &[u8],
    limits: Limits,
) -> Result<SegmentedDigis, DataError> {
    let partition = header(bytes, limits)
        .map_err(|(offset, problem)| DataError::format(path, format!("byte {offset}"), problem))?;
    let columns = Columns::new(bytes, &partition);
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

/// Bytes of the counts after the header; 0 if the file is something else.
fn counts_bytes(header: &[u8], limits: Limits) -> u64 {
    if header.len() < HEADER_BYTES as usize || !header.starts_with(&MAGIC) {
        return 0;
    }
    let groups = u64::from(u32_at(header, 12));
    if groups <= 2 * limits.modules as u64 { groups * COUNT_BYTES } else { 0 }
}

/// Bytes of the digis after the counts, plus one, so that too long a file is noticed; 0 if header
/// and counts don't agree.
fn digi_bytes(bytes: &[u8], counts: u64) -> u64 {
    let Some(counts) = bytes.get(HEADER_BYTES as usize..).filter(|it| it.len() as u64 == counts)
    else {
        return 0;
    };
    let (counts, _) = counts.as_chunks();
    let sum: u64 = counts.iter().map(|&count| u64::from(u32::from_le_bytes(count))).sum();
    if sum == u64_at(bytes, 16) { sum * DIGI_BYTES + 1 } else { 0 }
}

/// The partition that the header describes, or the offset of the error and its message.
fn header(bytes: &[u8], limits: Limits) -> Result<Partition, (u64, String)> {
    let magic = bytes.get(..8).unwrap_or(bytes);
    if magic != MAGIC {
        let found = magic.escape_ascii().to_string();
        return Err((0, format!("the magic is {}, not \"STSDIGI1\"", found.quoted())));
    }
    let size = bytes.len() as u64;
    require(size, HEADER_BYTES, "the header")?;
    let modules = u32_at(bytes, 8);
    let groups = u32_at(bytes, 12);
    if u64::from(groups) != 2 * u64::from(modules) {
        let problem = format!("{groups} module sides don't fit {modules} modules with two each");
        return Err((12, problem));
    }
    let max = limits.modules;
    if modules as usize > max {
        let problem = format!("{modules} modules are more than the maximum of {max}");
        return Err((12, problem));
    }
    let counts_end = HEADER_BYTES + COUNT_BYTES * u64::from(groups);
    require(size, counts_end, "the digis in each module side")?;
    let counts = (0..groups as usize).map(|group| u32_at(bytes, 24 + 4 * group));
    let sum: u64 = counts.clone().map(u64::from).sum();
    let total = u64_at(bytes, 16);
    if sum != total {
        let problem = format!("the module sides have {sum} digis, but the header has {total}");
        return Err((16, problem));
    }
    // The sum of 2^18 counts of 32 bits can't overflow here.
    let end = counts_end + DIGI_BYTES * total;
    require(size, end, "the digis")?;
    if size > end {
        return Err((end, "there is more data after the last column".to_owned()));
    }
    Ok(Partition::from_lengths(counts.map(|count| count as usize)))
}

fn require(size: u64, end: u64, what: &str) -> Result<(), (u64, String)> {
    if size >= end {
        return Ok(());
    }
    let problem = format!("the file ends here, but {what} should end at byte {end}");
    Err((size, problem))
}

/// The three columns after a validated header.
struct Columns<'a> {
    times: &'a [u8],
    channels: &'a [u8],
    charges: &'a [u8],
}

impl<'a> Columns<'a> {
    fn new(bytes: &'a [u8], partition: &Partition) -> Self {
        let start = (HEADER_BYTES + COUNT_BYTES * partition.segments() as u64) as usize;
        let digis = partition.elements();
        let (times, rest) = bytes[start..].split_at(4 * digis);
        let (channels, charges) = rest.split_at(2 * digis);
        Columns { times, channels, charges }
    }

    fn digi(&self, side: ModuleSide, position: usize, limits: Limits) -> Result<Digi, String> {
        let channel = [self.channels[2 * position], self.channels[2 * position + 1]];
        let row = Row {
            side,
            channel: u32::from(u16::from_le_bytes(channel)),
            time_ns: u32_at(self.times, 4 * position),
            adc: u32::from(self.charges[position]),
        };
        row.digi(limits)
    }
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let mut word = [0; 4];
    word.copy_from_slice(&bytes[offset..offset + 4]);
    u32::from_le_bytes(word)
}

fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[offset..offset + 8]);
    u64::from_le_bytes(word)
}
