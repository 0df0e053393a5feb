//! A file that is read piece by piece.

use std::io::{self, Read};
use std::path::Path;

use crate::DataError;

/// A file, and the offset that was reached.
pub(super) struct Bytes<'a> {
    pub(super) path: &'a Path,
    from: Box<dyn Read>,
    offset: u64,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(path: &'a Path, from: Box<dyn Read>) -> Self {
        Bytes { path, from, offset: 0 }
    }

    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills the buffer, or as much of it as there is before the end; returns how much.
    pub(super) fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, DataError> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.from.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(DataError::io(self.path, error)),
            }
        }
        self.offset += filled as u64;
        Ok(filled)
    }

    /// Reads an array; `None` if the file ends before its end.
    pub(super) fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, DataError> {
        let mut array = [0; N];
        Ok((self.fill(&mut array)? == N).then_some(array))
    }

    /// Reads an array that must be there.
    pub(super) fn required<const N: usize>(&mut self, what: &str) -> Result<[u8; N], DataError> {
        match self.array()? {
            Some(array) => Ok(array),
            None => Err(self.here(format!("the file ends here, within its {what}"))),
        }
    }

    /// Passes over bytes; false if the file ends before.
    pub(super) fn skip(&mut self, bytes: u64) -> Result<bool, DataError> {
        let skipped = io::copy(&mut self.from.by_ref().take(bytes), &mut io::sink());
        let skipped = skipped.map_err(|source| DataError::io(self.path, source))?;
        self.offset += skipped;
        Ok(skipped == bytes)
    }

    /// True if all bytes up to the end of the file are 0.
    pub(super) fn only_zeros(&mut self) -> Result<bool, DataError> {
        let mut buffer = [0; 1 << 13];
        loop {
            let read = self.fill(&mut buffer)?;
            if buffer[..read].iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            if read < buffer.len() {
                return Ok(true);
            }
        }
    }

    /// Error at the offset that was reached.
    pub(super) fn here(&self, problem: impl Into<String>) -> DataError {
        self.at(self.offset, problem)
    }

    /// Error at an offset.
    pub(super) fn at(&self, offset: u64, problem: impl Into<String>) -> DataError {
        DataError::format(self.path, format!("byte {offset}"), problem)
    }
}
