//! Events of a file as bytes: three sizes, a checksum, a header, and banks.

use std::io;

use generators_common::DataError;
use generators_common::io::source::Source;

use super::problem::MdfProblem;

/// Bytes of the sizes.
const SIZES: usize = 12;
/// Bytes up to the end of the checksum.
pub(super) const UNCHECKED: usize = 16;
/// Bytes up to the first bank.
pub(super) const HEADER: usize = 48;
/// Version of the header.
pub(super) const HEADER_VERSION: u8 = 3;
/// Words of the sub-header.
pub(super) const SUB_HEADER_WORDS: u8 = 7;
/// Type of events that consist of banks.
pub(super) const BANKS: u8 = 1;

/// The events of a file, one after the other.
pub(super) struct Frames<'a> {
    source: Source<'a>,
    next_event: u64,
    /// The current event from its sizes on.
    bytes: Vec<u8>,
    is_damaged: bool,
}

/// Event of a file.
pub(super) struct Frame<'a> {
    /// Index in the file.
    pub event: u64,
    /// The banks, or a problem of what is around them.
    pub content: Result<Content<'a>, MdfProblem>,
}

/// Banks of an event as bytes.
#[derive(Clone, Copy)]
pub(super) struct Content<'a> {
    /// Offset of the first bank in the file.
    pub offset: u64,
    /// The banks.
    pub bytes: &'a [u8],
}

impl<'a> Frames<'a> {
    /// The events of a file that was opened.
    pub(super) fn new(source: Source<'a>) -> Self {
        Frames { source, next_event: 0, bytes: Vec::new(), is_damaged: false }
    }

    /// Reads the next event; `None` after the last one, and after one whose size is not known.
    ///
    /// # Errors
    /// If the file can't be read.
    pub(super) fn next(&mut self) -> Result<Option<Frame<'_>>, DataError> {
        if self.is_damaged {
            return Ok(None);
        }
        let offset = self.source.offset();
        let is_complete = self.read_bytes()?;
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let event = self.next_event;
        self.next_event += 1;
        if let Err(problem) = is_complete {
            self.is_damaged = true;
            return Ok(Some(Frame { event, content: Err(problem) }));
        }
        Ok(Some(Frame { event, content: content(&self.bytes, offset) }))
    }

    /// Checks the number of bytes that are kept against the limit.
    pub(super) fn check_kept(&self, bytes: u64) -> Result<(), DataError> {
        self.source.check_kept(bytes)
    }

    /// Reads an event into the buffer, which is empty at the end of the file.
    fn read_bytes(&mut self) -> Result<Result<(), MdfProblem>, DataError> {
        let offset = self.source.offset();
        self.bytes.clear();
        let has_sizes = self.append(SIZES as u64)?;
        let Some(sizes) = self.bytes.first_chunk::<SIZES>().filter(|_| has_sizes) else {
            return Ok(Err(MdfProblem::Truncated { offset: self.source.offset() }));
        };
        let sizes: [u32; 3] = std::array::from_fn(|index| u32_at(sizes, 4 * index));
        let size = sizes[0];
        if sizes != [size; 3] {
            return Ok(Err(MdfProblem::Sizes { offset, sizes }));
        }
        if (size as usize) < HEADER {
            return Ok(Err(MdfProblem::TooSmall { offset, size }));
        }
        if !self.append(u64::from(size) - SIZES as u64)? {
            return Ok(Err(MdfProblem::Truncated { offset: self.source.offset() }));
        }
        Ok(Ok(()))
    }

    /// Appends bytes of the file; false if it ends before.
    fn append(&mut self, length: u64) -> Result<bool, DataError> {
        match self.source.append(&mut self.bytes, length) {
            Ok(appended) => Ok(appended == length),
            // Compressed data that are truncated.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
            Err(error) => Err(DataError::io(self.source.path(), error)),
        }
    }
}

/// Checks what is around the banks of an event, at an offset of the file.
fn content(bytes: &[u8], offset: u64) -> Result<Content<'_>, MdfProblem> {
    let stored = u32_at(bytes, SIZES);
    if stored != 0 {
        let computed = checksum(&bytes[UNCHECKED..]);
        if computed != stored {
            return Err(MdfProblem::Checksum { offset: offset + SIZES as u64, stored, computed });
        }
    }
    let at = |index: u64| offset + UNCHECKED as u64 + index;
    let [level, lengths, data_type] = [bytes[16], bytes[17], bytes[18]];
    let words = lengths & 0xF;
    let version = lengths >> 4;
    if version != HEADER_VERSION {
        return Err(MdfProblem::HeaderVersion { offset: at(1), version });
    }
    if words != SUB_HEADER_WORDS {
        return Err(MdfProblem::SubHeader { offset: at(1), words });
    }
    if level != 0 {
        return Err(MdfProblem::Compressed { offset: at(0), level });
    }
    if data_type != BANKS {
        return Err(MdfProblem::DataType { offset: at(2), data_type });
    }
    Ok(Content { offset: offset + HEADER as u64, bytes: &bytes[HEADER..] })
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    let word = bytes[offset..].first_chunk::<4>();
    u32::from_le_bytes(*word.expect("the size was checked"))
}

/// Checksum of the bytes after it (Jenkins' one-at-a-time hash, of signed bytes).
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut hash = bytes.iter().fold(0_u32, |hash, &byte| {
        let hash = hash.wrapping_add_signed(i32::from(byte as i8));
        let hash = hash.wrapping_add(hash << 10);
        hash ^ hash >> 6
    });
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}
