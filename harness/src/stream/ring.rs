//! Prepared timeslices in memory shared by all workers.
//!
//! A header in JSON has the layout; a description by the task and the arrays of all timeslices
//! follow in their memory format, page-aligned. Workers read them without copies, whatever their
//! number.

use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tasks::open_loop::{Frames, LentBytes, OpenLoop};

use crate::platform::shared_memory::{Inherited, SharedMemory};

/// Alignment of arrays, in bytes.
const PAGE: usize = 4096;
/// Bytes of the number that holds the length of the header.
const LENGTH: usize = size_of::<u64>();

/// Layout of the memory; offsets are in bytes from the end of the header's last page.
#[derive(Serialize, Deserialize)]
struct Header {
    /// Description of the timeslices by their task.
    description: Range<usize>,
    /// Arrays of each timeslice.
    timeslices: Vec<Vec<Range<usize>>>,
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
pub(super) fn share(frames: &dyn Frames) -> io::Result<SharedMemory> {
    let description = frames.describe().map_err(io::Error::other)?;
    let arrays = frames.arrays();
    let mut end = 0;
    let mut next = |bytes: &[u8]| {
        let begin = end;
        end = (begin + bytes.len()).next_multiple_of(PAGE);
        begin..begin + bytes.len()
    };
    let header = Header {
        description: next(&description),
        timeslices: arrays
            .iter()
            .map(|arrays| arrays.iter().map(|bytes| next(bytes)).collect())
            .collect(),
    };
    let header = serde_json::to_vec(&header)?;
    SharedMemory::filled(|file| {
        file.set_len((data_begin(header.len()) + end) as u64)?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        pad(file, LENGTH + header.len())?;
        write(file, &description)?;
        arrays.iter().flatten().try_for_each(|bytes| write(file, bytes))
    })
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

/// Timeslices of a task in shared memory, without copies.
pub(super) fn attach(memory: Inherited, task: &dyn OpenLoop) -> Result<Box<dyn Frames>, RingError> {
    let memory = Arc::new(memory);
    let (Header { description, timeslices }, begin) = header(&memory)?;
    let lent = |layout: Range<usize>| {
        let bytes = begin.saturating_add(layout.start)..begin.saturating_add(layout.end);
        LentBytes::new(&memory, bytes)
            .ok_or_else(|| RingError::Content(format!("{layout:?} is out of bounds")))
    };
    let description = lent(description)?;
    let of_timeslice = |arrays: Vec<Range<usize>>| arrays.into_iter().map(lent).collect();
    let arrays = timeslices.into_iter().map(of_timeslice).collect::<Result<_, _>>()?;
    task.attach_frames(&description, arrays).map_err(RingError::Content)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::open_loop_task;

    fn sts() -> &'static dyn OpenLoop {
        open_loop_task("sts").expect("known")
    }

    #[test]
    fn workers_read_identical_data() {
        for from in ["digis", "raw"] {
            let given = [("preset", "mcbm-2024"), ("scale", "0.0005"), ("from", from)];
            let params = sts().plan(given.into_iter().collect()).expect("sensible").params;
            let plan = sts().frame(&params).expect("sensible");
            let made = sts().generate_frames(&plan, &[None, None], 1).expect("made");
            let memory = share(&*made).expect("memory").into_inherited();
            let seen = attach(memory, sts()).expect("timeslices");
            assert_eq!(made.arrays(), seen.arrays());
            assert_eq!(made.arrays()[1].len(), if from == "raw" { 2 } else { 1 });
            assert_eq!(made.describe(), seen.describe());
        }
    }

    #[test]
    fn memory_without_timeslices_is_refused() {
        let refused = |bytes: &[u8]| {
            let memory = SharedMemory::filled(|file| file.write_all(bytes)).expect("memory");
            let attached = attach(memory.into_inherited(), sts());
            attached.map(drop).expect_err("refused").to_string()
        };
        assert!(refused(b"short").contains("too short"));
        assert!(refused(&[0xff; 64]).contains("too short"));
        let header = |text: &str| {
            let length = (text.len() as u64).to_le_bytes();
            refused(&[&length[..], text.as_bytes()].concat())
        };
        assert!(header("{}").contains("missing field"));
        let outside = r#"{"description":{"start":0,"end":1},"timeslices":[]}"#;
        assert!(header(outside).contains("0..1 is out of bounds"));
    }
}
