//! Prepared timeslices in memory shared by all workers.
//!
//! A header in JSON has the layout; digis and raw data follow in their memory format, page-aligned.
//! Workers read them in place, without copies, whatever their number.

use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use algorithms_sts::sts::Timeslice;
use algorithms_sts::sts_unpack::RawTimeslices;
use generators_common::Array;
use generators_sts::Digi;
use generators_sts::raw::{RawData, RawTimeslice, Readout, Rules};
use generators_sts::setup::Setup;
use serde::{Deserialize, Serialize};
use tasks::algorithm::Semantics;

use crate::platform::shared_memory::{Inherited, SharedMemory};

/// Alignment of arrays, in bytes.
const PAGE: usize = 4096;
/// Bytes of the number that holds the length of the header.
const LENGTH: usize = size_of::<u64>();

/// Layout of the memory; offsets are in bytes from the end of the header's last page.
#[derive(Serialize, Deserialize)]
struct Header {
    /// Semantics of the reference result, for variants that support two.
    semantics: String,
    setup: Setup,
    timeslices: Vec<TimesliceLayout>,
}

#[derive(Serialize, Deserialize)]
struct TimesliceLayout {
    digis: Range<usize>,
    raw: Option<RawLayout>,
}

/// Raw data of a timeslice.
#[derive(Serialize, Deserialize)]
struct RawLayout {
    bytes: Range<usize>,
    index: u64,
    start_ns: u64,
    core_microslices: u32,
    /// Byte range of each component's block, and the number of its descriptors.
    blocks: Vec<(Range<usize>, u64)>,
    /// Each timeslice has its own: masks and corrections of generated data depend on the seed.
    readout: Readout,
}

/// Shared memory without valid timeslices.
#[derive(Debug, thiserror::Error)]
pub(super) enum RingError {
    #[error("the memory with the timeslices can't be used: {0}")]
    Memory(#[from] io::Error),
    #[error("the memory does not hold timeslices: {0}")]
    Content(String),
}

/// Writes timeslices of one detector into shared memory.
pub(super) fn share(timeslices: &[&Timeslice]) -> io::Result<SharedMemory> {
    let Some(first) = timeslices.first() else {
        return Err(io::Error::other("there are no timeslices"));
    };
    if timeslices.iter().any(|timeslice| timeslice.setup() != first.setup()) {
        return Err(io::Error::other("there are timeslices of several detectors"));
    }
    let mut end = 0;
    let header = Header {
        semantics: first.online().name().to_owned(),
        setup: first.setup().clone(),
        timeslices: timeslices.iter().map(|timeslice| layout(timeslice, &mut end)).collect(),
    };
    let header = serde_json::to_vec(&header)?;
    SharedMemory::filled(|file| {
        file.set_len((data_begin(header.len()) + end) as u64)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        pad(file, LENGTH + header.len())?;
        for timeslice in timeslices {
            write(file, bytemuck::cast_slice(timeslice.stream()))?;
            if let Some(raw) = timeslice.raw() {
                write(file, raw.data().bytes())?;
            }
        }
        Ok(())
    })
}

/// Layout of a timeslice, after all previous ones.
fn layout(timeslice: &Timeslice, end: &mut usize) -> TimesliceLayout {
    let mut next = |bytes: usize| {
        let begin = *end;
        *end = (begin + bytes).next_multiple_of(PAGE);
        begin..begin + bytes
    };
    let digis = next(size_of_val(timeslice.stream()));
    let raw = timeslice.raw().and_then(|raw| {
        let (head, components) = raw.data().timeslices().next()?;
        Some(RawLayout {
            bytes: next(raw.data().bytes().len()),
            index: head.index,
            start_ns: head.start_ns,
            core_microslices: head.core_microslices,
            blocks: components.map(|it| (it.range(), it.microslices() as u64)).collect(),
            readout: raw.readout().clone(),
        })
    });
    TimesliceLayout { digis, raw }
}

fn data_begin(header: usize) -> usize {
    (LENGTH + header).next_multiple_of(PAGE)
}

fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    file.write_all(bytes)?;
    pad(file, bytes.len())
}

/// Pads to the end of the page.
fn pad(file: &mut File, written: usize) -> io::Result<()> {
    let padding = written.next_multiple_of(PAGE) - written;
    file.write_all(&[0; PAGE][..padding])
}

/// Timeslices in shared memory, in place.
pub(super) fn timeslices(memory: Inherited) -> Result<Vec<Timeslice>, RingError> {
    let memory = Arc::new(memory);
    let (header, begin) = header(&memory)?;
    let names = [Semantics::Exact, Semantics::Published, Semantics::Offline];
    let online = names.into_iter().find(|it| it.name() == header.semantics);
    let online = online.ok_or(RingError::Content(header.semantics))?;
    let setup = Arc::new(header.setup);
    let timeslice = |layout: TimesliceLayout| {
        let digis = shared_array::<Digi>(&memory, begin, layout.digis)?;
        let raw = layout.raw.map(|layout| raw(&memory, begin, layout)).transpose()?;
        Timeslice::of_stream(digis, raw, Arc::clone(&setup), online)
            .map_err(|address| RingError::Content(format!("{address:?} belongs to no module")))
    };
    header.timeslices.into_iter().map(timeslice).collect()
}

/// The header, and the offset of the arrays.
fn header(memory: &[u8]) -> Result<(Header, usize), RingError> {
    let too_short = || RingError::Content("it is too short".to_owned());
    let (length, rest) = memory.split_first_chunk().ok_or_else(too_short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| too_short())?;
    let text = rest.get(..length).ok_or_else(too_short)?;
    let header = serde_json::from_slice(text);
    let header = header.map_err(|error| RingError::Content(error.to_string()))?;
    Ok((header, data_begin(length)))
}

fn raw(
    memory: &Arc<Inherited>,
    begin: usize,
    layout: RawLayout,
) -> Result<RawTimeslices, RingError> {
    let RawLayout { bytes, index, start_ns, core_microslices, blocks, readout } = layout;
    let head = RawTimeslice { index, start_ns, core_microslices };
    let data = RawData::in_place(shared_array(memory, begin, bytes)?, head, blocks);
    let data = data.map_err(|problem| RingError::Content(problem.to_string()))?;
    Ok(RawTimeslices::new(data, readout, Rules::Current))
}

/// Array in shared memory, which stays mapped while it is referenced.
struct SharedArray<T> {
    memory: Arc<Inherited>,
    bytes: Range<usize>,
    items: PhantomData<fn() -> T>,
}

fn shared_array<T: bytemuck::Pod + Send + Sync>(
    memory: &Arc<Inherited>,
    begin: usize,
    layout: Range<usize>,
) -> Result<Array<T>, RingError> {
    let outside = || RingError::Content(format!("{layout:?} is out of bounds or misaligned"));
    let bytes = begin.saturating_add(layout.start)..begin.saturating_add(layout.end);
    let found = memory.get(bytes.clone()).ok_or_else(outside)?;
    bytemuck::try_cast_slice::<u8, T>(found).map_err(|_| outside())?;
    let memory = Arc::clone(memory);
    Ok(Array::lent(Arc::new(SharedArray { memory, bytes, items: PhantomData })))
}

impl<T: bytemuck::Pod> AsRef<[T]> for SharedArray<T> {
    fn as_ref(&self) -> &[T] {
        // Size and alignment were checked in the constructor.
        bytemuck::cast_slice(&self.memory[self.bytes.clone()])
    }
}

#[cfg(test)]
mod tests {
    use algorithms_sts::sts::task::STS;
    use tasks::algorithm::Algorithm;
    use tasks::axis::Params;

    use super::*;

    fn made(given: &[(&'static str, &str)], seed: u64) -> Vec<Timeslice> {
        let params: Params = given.iter().copied().collect();
        let params = STS.plan(params).expect("sensible").params;
        STS.generate(&params, seed).expect("made").0
    }

    /// Timeslices as read by a worker.
    fn seen(timeslices: &[Timeslice]) -> Vec<Timeslice> {
        let all: Vec<&Timeslice> = timeslices.iter().collect();
        let memory = share(&all).expect("memory").into_inherited();
        super::timeslices(memory).expect("timeslices")
    }

    #[test]
    fn workers_read_identical_data() {
        for from in ["digis", "raw"] {
            let small = [("preset", "mcbm-2024"), ("scale", "0.0005"), ("from", from)];
            let twice = [made(&small, 1), made(&small, 2)].concat();
            let seen = seen(&twice);
            assert_eq!(seen.len(), 2);
            for (made, seen) in twice.iter().zip(&seen) {
                assert_eq!((made.stream(), made.partition()), (seen.stream(), seen.partition()));
                assert_eq!((made.setup(), made.online()), (seen.setup(), seen.online()));
                let data = |timeslice: &Timeslice| {
                    timeslice.raw().map(|raw| (raw.data().clone(), raw.readout().clone()))
                };
                assert_eq!(data(made).is_some(), from == "raw");
                assert_eq!(data(made), data(seen));
            }
        }
    }

    #[test]
    fn memory_without_timeslices_is_refused() {
        let refused = |bytes: &[u8]| {
            let memory = SharedMemory::filled(|file| file.write_all(bytes)).expect("memory");
            timeslices(memory.into_inherited()).expect_err("refused").to_string()
        };
        assert!(refused(b"short").contains("too short"));
        assert!(refused(&[0xff; 64]).contains("too short"));
        let header = [&2_u64.to_le_bytes()[..], b"{}"].concat();
        assert!(refused(&header).contains("missing field"));
    }
}
