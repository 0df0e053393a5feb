//! Raw data of the STS, and digis that were unpacked from them: binary, gzipped if the name ends in
//! `.gz`.
//!
//! `docs/unpack.md` describes both formats. Unpacked digis are written timeslice by timeslice, with
//! their counters and a hash that does not depend on the order of digis of equal time, which sorts
//! by time leave open.

use std::io::{self, Write};
use std::iter;
use std::path::Path;

use generators_common::DataError;
use generators_common::io::file::{check_binary, write_file, write_numbers};
use generators_common::io::source::Source;
use generators_common::io::{Table, write_table};

use crate::raw::{MicrosliceCounts, RawData, RawTimeslice, Rules, TimesliceCounts, Unpacked};
use crate::{CHANNELS_PER_SIDE, Digi};

/// Checks that raw data can be in a file of this name; call it before they are generated.
///
/// # Errors
/// If the ending is not `.bin` or `.bin.gz`.
pub fn check_raw_file(path: &Path) -> Result<(), DataError> {
    check_binary(path, "raw data")
}

const TIMESLICES_MAGIC: [u8; 8] = *b"STSTSLC1";

/// True for the first bytes of a file of raw timeslices.
pub(in crate::io) fn is_raw_timeslices(first: &[u8]) -> bool {
    first.starts_with(&TIMESLICES_MAGIC)
}

/// Reads raw data.
///
/// # Errors
/// If the file can't be read, is cut off or something else; if descriptors or contents are not in
/// their block, or there are more than 2³² messages.
pub fn read_raw_timeslices(path: &Path) -> Result<RawData, DataError> {
    let mut data = RawData::default();
    append_timeslices(Source::open(path)?, &mut |_| true, &mut data)?;
    Ok(data)
}

/// Appends the timeslices whose index is wanted.
pub(in crate::io) fn append_timeslices(
    mut source: Source<'_>,
    wanted: &mut dyn FnMut(u64) -> bool,
    data: &mut RawData,
) -> Result<(), DataError> {
    source.magic(&TIMESLICES_MAGIC)?;
    let [timeslices, zero] = source.u32s("header")?;
    if zero != 0 {
        return Err(source.here(format!("the number after {timeslices} timeslices is not 0")));
    }
    let mut block = Vec::new();
    for number in 0..timeslices {
        read_raw_timeslice(&mut source, number, &mut block, wanted, data)?;
    }
    source.end("timeslice")
}

fn read_raw_timeslice(
    source: &mut Source<'_>,
    number: u32,
    block: &mut Vec<u8>,
    wanted: &mut dyn FnMut(u64) -> bool,
    data: &mut RawData,
) -> Result<(), DataError> {
    let what = format!("timeslice {number}");
    let [index, start_ns] = source.u64s(&what)?;
    let [components, core_microslices] = source.u32s(&what)?;
    let is_wanted = wanted(index);
    if is_wanted {
        data.push_timeslice(RawTimeslice { index, start_ns, core_microslices });
    }
    for component in 0..components {
        let what = format!("component {component} of timeslice {number}");
        let [bytes, microslices] = source.u64s(&what)?;
        block.clear();
        source.extend(block, bytes, &what)?;
        if is_wanted {
            data.push_component(microslices, block)
                .map_err(|problem| source.here(format!("the end of {what}: {problem}")))?;
            source.check_kept(data.bytes().len() as u64)?;
        }
    }
    Ok(())
}

/// Writes raw data.
///
/// # Errors
/// If the file can't be written (it is then as it was), or its ending is another one.
pub fn write_raw_timeslices(path: &Path, data: &RawData) -> Result<(), DataError> {
    check_raw_file(path)?;
    write_file(path, |sink| write_timeslices(sink, data))
}

fn write_timeslices(sink: &mut impl Write, data: &RawData) -> io::Result<()> {
    sink.write_all(&TIMESLICES_MAGIC)?;
    write_numbers(sink, [count(data.len())?, [0; 4]])?;
    for (timeslice, components) in data.timeslices() {
        write_numbers(sink, [timeslice.index, timeslice.start_ns].map(u64::to_le_bytes))?;
        let core_microslices = timeslice.core_microslices.to_le_bytes();
        write_numbers(sink, [count(components.len())?, core_microslices])?;
        for component in components {
            let sizes = [component.block().len(), component.microslices()];
            write_numbers(sink, sizes.map(|size| (size as u64).to_le_bytes()))?;
            sink.write_all(component.block())?;
        }
    }
    Ok(())
}

fn count(number: usize) -> io::Result<[u8; 4]> {
    let number = u32::try_from(number).map_err(io::Error::other)?;
    Ok(number.to_le_bytes())
}

const UNPACKED_MAGIC: [u8; 8] = *b"STSDIGX1";

/// Writes digis in the format of the file's ending; binary files have their counters, too.
///
/// # Errors
/// If the file can't be written; it is then as it was.
pub fn write_unpacked(path: &Path, unpacked: &Unpacked, rules: Rules) -> Result<(), DataError> {
    if check_raw_file(path).is_err() {
        return write_table(path, &digi_table(unpacked));
    }
    write_file(path, |sink| write_binary(sink, unpacked, rules))
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

fn write_binary(sink: &mut impl Write, unpacked: &Unpacked, rules: Rules) -> io::Result<()> {
    let timeslices = u32::try_from(unpacked.timeslices.len()).map_err(io::Error::other)?;
    sink.write_all(&UNPACKED_MAGIC)?;
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
    source.magic(&UNPACKED_MAGIC)?;
    let [timeslices, year] = source.u32s("header")?;
    let Some(rules) = Rules::ALL.into_iter().find(|rules| rules.year() == year) else {
        return Err(source.here(format!("there are no digis of {year}; there are 2023 and 2026")));
    };
    let mut unpacked = Unpacked::default();
    for index in 0..timeslices {
        read_unpacked_timeslice(&mut source, index, &mut unpacked)?;
    }
    source.end("timeslice")?;
    Ok((unpacked, rules))
}

fn read_unpacked_timeslice(
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

/// FNV-1a (Fowler, Noll, Vo) of 64 bits.
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The hash over the bytes of all digis, by time, address, channel and charge.
fn ordered_hash(digis: &[Digi]) -> u64 {
    let key = |digi: &Digi| {
        let channel_and_charge = digi.bits() >> 32 & 0xffff;
        (digi.time_ns(), digi.address().packed(), channel_and_charge)
    };
    let mut digis = digis.to_vec();
    digis.sort_unstable_by_key(key);
    let bytes = digis.iter().flat_map(|digi| digi.bits().to_le_bytes());
    bytes.fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Address;

    #[test]
    fn the_order_of_arrival_makes_no_difference() {
        assert_eq!(ordered_hash(&[]), OFFSET);
        let digi = |time, adc| Digi::new(Address::from_packed(0x1_0001), 5, time, adc);
        let early = digi(7, 2);
        let late = digi(7, 3);
        assert_eq!(ordered_hash(&[early, late]), ordered_hash(&[late, early]));
        assert_ne!(ordered_hash(&[early, late]), ordered_hash(&[early, early]));
    }
}
