//! A binary file that is read piece by piece.

use std::io::Read;
use std::path::Path;

use text::Untrusted;

use super::content_limit::check_kept;
use super::file::open;
use crate::DataError;

/// Bytes of one read: no more is allocated than the file turns out to have, rounded up to this.
pub(super) const PORTION: u64 = 1 << 24;

/// A file that is being read, and how far.
pub(super) struct Source<'a> {
    path: &'a Path,
    from: Box<dyn Read>,
    offset: u64,
}

impl<'a> Source<'a> {
    /// A file from its beginning on, compressed or not.
    ///
    /// # Errors
    /// If it can't be opened.
    pub(super) fn open(path: &'a Path) -> Result<Self, DataError> {
        Ok(Source { path, from: open(path)?, offset: 0 })
    }

    /// A file from its beginning on, which was opened before.
    pub(super) fn opened(path: &'a Path, from: Box<dyn Read>) -> Self {
        Source { path, from, offset: 0 }
    }

    /// Passes over the magic.
    ///
    /// # Errors
    /// If the file is of another kind.
    pub(super) fn magic(&mut self, magic: &[u8; 8]) -> Result<(), DataError> {
        let found = self.portion(magic.len() as u64, "magic")?;
        if found == magic {
            return Ok(());
        }
        let quoted = |bytes: &[u8]| bytes.escape_ascii().to_string().quoted().to_string();
        let problem = format!("the magic is {}, not {}", quoted(&found), quoted(magic));
        Err(DataError::format(self.path, "byte 0", problem))
    }

    /// The next numbers, of 32 bits each.
    ///
    /// # Errors
    /// If the file ends before.
    pub(super) fn u32s<const N: usize>(&mut self, what: &str) -> Result<[u32; N], DataError> {
        let bytes = self.portion(size_of::<[u32; N]>() as u64, what)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(std::array::from_fn(|index| u32::from_le_bytes(numbers[index])))
    }

    /// Reads `N` little-endian words of 64 bits.
    ///
    /// # Errors
    /// If the file ends before.
    pub(super) fn u64s<const N: usize>(&mut self, what: &str) -> Result<[u64; N], DataError> {
        let bytes = self.portion(size_of::<[u64; N]>() as u64, what)?;
        let (numbers, _) = bytes.as_chunks();
        Ok(std::array::from_fn(|index| u64::from_le_bytes(numbers[index])))
    }

    /// The next bytes.
    ///
    /// # Errors
    /// If the file ends before.
    pub(super) fn portion(&mut self, length: u64, what: &str) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        self.extend(&mut bytes, length, what)?;
        Ok(bytes)
    }

    /// Appends the next bytes.
    ///
    /// # Errors
    /// If the file ends before.
    pub(super) fn extend(
        &mut self,
        to: &mut Vec<u8>,
        length: u64,
        what: &str,
    ) -> Result<(), DataError> {
        let mut left = length;
        while left > 0 {
            let wanted = left.min(PORTION);
            let portion = self.from.by_ref().take(wanted).read_to_end(to);
            let read = portion.map_err(|source| DataError::io(self.path, source))? as u64;
            self.offset += read;
            check_kept(self.path, to.len() as u64)?;
            if read < wanted {
                return Err(self.here(format!("the file ends here, within its {what}")));
            }
            left -= read;
        }
        Ok(())
    }

    /// Checks that the file has ended.
    ///
    /// # Errors
    /// If it has not.
    pub(super) fn end(&mut self, last: &str) -> Result<(), DataError> {
        let mut more = Vec::new();
        let read = self.from.by_ref().take(1).read_to_end(&mut more);
        match read.map_err(|source| DataError::io(self.path, source))? {
            0 => Ok(()),
            _ => Err(self.here(format!("there is more data after the last {last}"))),
        }
    }

    /// Checks the number of bytes that are kept of the file.
    ///
    /// # Errors
    /// If there are more than the caller's limit.
    pub(super) fn check_kept(&self, bytes: u64) -> Result<(), DataError> {
        check_kept(self.path, bytes)
    }

    /// Error at the position read last.
    pub(super) fn here(&self, problem: impl Into<String>) -> DataError {
        DataError::format(self.path, format!("byte {}", self.offset), problem)
    }
}
