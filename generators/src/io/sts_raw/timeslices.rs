//! Raw timeslices, block by block.

use std::io::{self, Write};
use std::path::Path;

use super::check_raw_file;
use crate::DataError;
use crate::io::file::{write_file, write_numbers};
use crate::io::source::Source;
use crate::sts::raw::{RawData, RawTimeslice};

const MAGIC: [u8; 8] = *b"STSTSLC1";

/// True for the first bytes of a file of raw timeslices.
pub(in crate::io) fn is_raw_timeslices(first: &[u8]) -> bool {
    first.starts_with(&MAGIC)
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
    source.magic(&MAGIC)?;
    let [timeslices, zero] = source.u32s("header")?;
    if zero != 0 {
        return Err(source.here(format!("the number after {timeslices} timeslices is not 0")));
    }
    let mut block = Vec::new();
    for number in 0..timeslices {
        read_timeslice(&mut source, number, &mut block, wanted, data)?;
    }
    source.end("timeslice")
}

fn read_timeslice(
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
    write_file(path, |sink| write(sink, data))
}

fn write(sink: &mut impl Write, data: &RawData) -> io::Result<()> {
    sink.write_all(&MAGIC)?;
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
