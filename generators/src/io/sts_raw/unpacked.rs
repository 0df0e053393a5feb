//! Unpacked digis, timeslice by timeslice, with their counters.

use std::io::{self, Write};
use std::iter;
use std::path::Path;

use super::check_raw_file;
use super::ordered_hash::ordered_hash;
use crate::DataError;
use crate::io::file::{write_file, write_numbers};
use crate::io::source::Source;
use crate::io::table::{Table, write_table};
use crate::sts::raw::{MicrosliceCounts, Rules, TimesliceCounts, Unpacked};
use crate::sts::{CHANNELS_PER_SIDE, Digi};

const MAGIC: [u8; 8] = *b"STSDIGX1";

/// Writes digis in the format of the file's ending; binary files have their counters, too.
///
/// # Errors
/// If the file can't be written; it is then as it was.
pub fn write_unpacked(path: &Path, unpacked: &Unpacked, rules: Rules) -> Result<(), DataError> {
    if check_raw_file(path).is_err() {
        return write_table(path, &digi_table(unpacked));
    }
    write_file(path, |sink| write(sink, unpacked, rules))
}

/// A row for each digi, in their order.
fn digi_table(unpacked: &Unpacked) -> Table {
    let digis = &unpacked.digis;
    let timeslices = (0_u32..).zip(&unpacked.timeslices);
    let timeslices = timeslices.flat_map(|(index, counts)| iter::repeat_n(index, counts.digis()));
    Table::new()
        .with("module", digis.iter().map(|digi| digi.address().module() as u32))
        .with("side", digis.iter().map(|digi| u8::from(digi.channel() >= CHANNELS_PER_SIDE)))
        .with("channel", digis.iter().map(|digi| digi.channel() % CHANNELS_PER_SIDE))
        .with("time_ns", digis.iter().map(|digi| digi.time_ns()))
        .with("adc", digis.iter().map(|digi| digi.adc()))
        .with("address", digis.iter().map(|digi| digi.address().full()))
        .with("timeslice", timeslices)
}

fn write(sink: &mut impl Write, unpacked: &Unpacked, rules: Rules) -> io::Result<()> {
    let timeslices = u32::try_from(unpacked.timeslices.len()).map_err(io::Error::other)?;
    sink.write_all(&MAGIC)?;
    write_numbers(sink, [timeslices, rules.year()].map(u32::to_le_bytes))?;
    let mut microslices = &unpacked.microslices[..];
    let mut digis = &unpacked.digis[..];
    for counts in &unpacked.timeslices {
        let (own_microslices, rest) = microslices.split_at(counts.microslices as usize);
        let (own_digis, rest_of_digis) = digis.split_at(counts.digis());
        write_timeslice(sink, counts, own_microslices, own_digis)?;
        (microslices, digis) = (rest, rest_of_digis);
    }
    Ok(())
}

fn write_timeslice(
    sink: &mut impl Write,
    counts: &TimesliceCounts,
    microslices: &[MicrosliceCounts],
    digis: &[Digi],
) -> io::Result<()> {
    // Six words of 64 bits, little endian.
    write_numbers(sink, bytemuck::cast::<_, [u64; 6]>(*counts).map(u64::to_le_bytes))?;
    for counts in microslices {
        write_numbers(sink, counts.in_files().map(u32::to_le_bytes))?;
    }
    write_numbers(sink, [(digis.len() as u64).to_le_bytes()])?;
    write_numbers(sink, digis.iter().map(|digi| digi.bits().to_le_bytes()))?;
    write_numbers(sink, [ordered_hash(digis).to_le_bytes()])
}

/// Reads digis and counters, and the rules they were unpacked by.
///
/// # Errors
/// If the file can't be read, is cut off or something else, or its counts or hashes don't fit its
/// digis.
pub fn read_unpacked(path: &Path) -> Result<(Unpacked, Rules), DataError> {
    check_raw_file(path)?;
    let mut source = Source::open(path)?;
    source.magic(&MAGIC)?;
    let [timeslices, year] = source.u32s("header")?;
    let Some(rules) = Rules::ALL.into_iter().find(|rules| rules.year() == year) else {
        return Err(source.here(format!("there are no digis of {year}; there are 2023 and 2026")));
    };
    let mut unpacked = Unpacked::default();
    for index in 0..timeslices {
        read_timeslice(&mut source, index, &mut unpacked)?;
    }
    source.end("timeslice")?;
    Ok((unpacked, rules))
}

fn read_timeslice(
    source: &mut Source<'_>,
    number: u32,
    unpacked: &mut Unpacked,
) -> Result<(), DataError> {
    let what = format!("timeslice {number}");
    let counts: TimesliceCounts = bytemuck::cast(source.u64s::<6>(&what)?);
    let mut counted = 0;
    for _ in 0..counts.microslices {
        let [digis, other, elink, first, size, overflow] = source.u32s(&what)?;
        counted += u64::from(digis);
        let counts = MicrosliceCounts { digis, other, elink, first, size, overflow, undefined: 0 };
        unpacked.microslices.push(counts);
    }
    let [digis] = source.u64s(&what)?;
    if digis != counted || digis.checked_mul(size_of::<Digi>() as u64) != Some(counts.bytes_out) {
        let bytes = counts.bytes_out;
        let problem = format!(
            "{what} has {digis} digis, but its microslices {counted} and its bytes are {bytes}"
        );
        return Err(source.here(problem));
    }
    let first = unpacked.digis.len();
    let digi = |word| Digi::from_bits(u64::from_le_bytes(word));
    unpacked.digis.append(&mut source.numbers(digis, &what, digi)?);
    let [hash] = source.u64s(&what)?;
    if hash != ordered_hash(&unpacked.digis[first..]) {
        return Err(source.here(format!("the hash of {what} is not that of its digis")));
    }
    unpacked.timeslices.push(counts);
    Ok(())
}
