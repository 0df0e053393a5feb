//! Binary files: little-endian numbers and bytes, read piece by piece. Errors name the file, the offset
//! and what was expected there; no more memory is taken than the file has, whatever it claims.

use std::io::{self, BufRead, Read};
use std::path::Path;

use text::Untrusted;

use super::compressed::buffered;
use super::content_limit::{self, check_kept};
use super::file::open;
use super::zstd_frames::ZstdFrames;
use crate::DataError;

/// Bytes of one read.
const PORTION: u64 = 1 << 24;
/// Bytes that are allocated at once.
const RESERVED: u64 = 1 << 20;

/// A file that is being read, and the offset that was reached.
pub struct Source<'a> {
    path: &'a Path,
    from: Box<dyn BufRead + Send + 'a>,
    offset: u64,
}

impl<'a> Source<'a> {
    /// A file from its beginning on, compressed or not, which is read as a whole.
    pub fn open(path: &'a Path) -> Result<Self, DataError> {
        Ok(Source::opened(path, open(path)?))
    }

    /// A file from its beginning on, which was opened before.
    pub fn opened(path: &'a Path, from: Box<dyn BufRead + Send + 'a>) -> Self {
        Source { path, from, offset: 0 }
    }

    /// The decompressed content of the rest, which is frames of zstd.
    pub fn decompressed(self) -> io::Result<Self> {
        let frames = ZstdFrames::new(self.from)?;
        Ok(Source { from: buffered(frames), ..self })
    }

    /// Path of the file.
    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Number of bytes that were read, decompressed.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Passes over the magic, which refuses files of another kind.
    pub fn magic(&mut self, magic: &[u8; 8]) -> Result<(), DataError> {
        let found = self.required::<8>("magic")?;
        if found == *magic {
            return Ok(());
        }
        let quoted = |bytes: &[u8]| bytes.escape_ascii().to_string().quoted().to_string();
        Err(self.at(0, format!("the magic is {}, not {}", quoted(&found), quoted(magic))))
    }

    /// Reads numbers of 32 bits.
    pub fn u32s<const N: usize>(&mut self, what: &str) -> Result<[u32; N], DataError> {
        let mut words = [[0; 4]; N];
        self.exactly(words.as_flattened_mut(), what)?;
        Ok(words.map(u32::from_le_bytes))
    }

    /// Reads numbers of 64 bits.
    pub fn u64s<const N: usize>(&mut self, what: &str) -> Result<[u64; N], DataError> {
        let mut words = [[0; 8]; N];
        self.exactly(words.as_flattened_mut(), what)?;
        Ok(words.map(u64::from_le_bytes))
    }

    /// Reads `count` numbers of `N` bytes each.
    pub fn numbers<T, const N: usize>(
        &mut self,
        count: u64,
        what: &str,
        number: fn([u8; N]) -> T,
    ) -> Result<Vec<T>, DataError> {
        let bytes = self.portion(count.saturating_mul(N as u64), what)?;
        let (words, _) = bytes.as_chunks::<N>();
        Ok(words.iter().map(|&word| number(word)).collect())
    }

    /// Reads bytes that must be there.
    pub fn required<const N: usize>(&mut self, what: &str) -> Result<[u8; N], DataError> {
        let mut bytes = [0; N];
        self.exactly(&mut bytes, what)?;
        Ok(bytes)
    }

    /// Reads an array; `None` if the file ends before its end.
    pub fn array<const N: usize>(&mut self) -> Result<Option<[u8; N]>, DataError> {
        let mut array = [0; N];
        Ok((self.fill(&mut array)? == N).then_some(array))
    }

    fn exactly(&mut self, buffer: &mut [u8], what: &str) -> Result<(), DataError> {
        if self.fill(buffer)? == buffer.len() { Ok(()) } else { Err(self.ends_within(what)) }
    }

    /// Fills the buffer, or as much of it as there is before the end; returns how much.
    pub fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, DataError> {
        self.read(buffer).map_err(|source| DataError::io(self.path, source))
    }

    /// Fills the buffer as [`Source::fill`] does. Compressed data that end too early end the file.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.from.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
            }
        }
        self.offset += filled as u64;
        Ok(filled)
    }

    /// Reads `length` bytes.
    pub fn portion(&mut self, length: u64, what: &str) -> Result<Vec<u8>, DataError> {
        let mut bytes = Vec::new();
        self.extend(&mut bytes, length, what)?;
        Ok(bytes)
    }

    /// Returns the last `length` bytes of `memory`, of which this source read all before them.
    pub fn rest_of<'m>(
        &mut self,
        memory: &'m [u8],
        length: u64,
        what: &str,
        last: &str,
    ) -> Result<&'m [u8], DataError> {
        let rest = &memory[self.offset as usize..];
        let end = length.min(rest.len() as u64);
        self.offset += end;
        if end < length {
            return Err(self.ends_within(what));
        }
        if end < rest.len() as u64 {
            return Err(self.continues_after(last));
        }
        Ok(rest)
    }

    /// Appends the next `length` bytes.
    pub fn extend(&mut self, to: &mut Vec<u8>, length: u64, what: &str) -> Result<(), DataError> {
        let appended =
            self.append(to, length).map_err(|source| DataError::io(self.path, source))?;
        if appended == length { Ok(()) } else { Err(self.ends_within(what)) }
    }

    /// Appends the next `length` bytes, fewer at the end of the file; returns how many.
    pub fn append(&mut self, to: &mut Vec<u8>, length: u64) -> io::Result<u64> {
        let mut appended = 0;
        while appended < length {
            let wanted = (length - appended).min(PORTION);
            let before = to.len();
            to.reserve(wanted.min(RESERVED) as usize);
            let result = self.from.by_ref().take(wanted).read_to_end(to);
            let read = (to.len() - before) as u64;
            self.offset += read;
            appended += read;
            content_limit::check(to.len() as u64)?;
            result?;
            if read < wanted {
                break;
            }
        }
        Ok(appended)
    }

    /// Passes over bytes; false if the file ends before.
    pub fn skip(&mut self, bytes: u64) -> Result<bool, DataError> {
        let skipped = io::copy(&mut self.from.by_ref().take(bytes), &mut io::sink());
        let skipped = skipped.map_err(|source| DataError::io(self.path, source))?;
        self.offset += skipped;
        Ok(skipped == bytes)
    }

    /// True if all bytes up to the end of the file are 0.
    pub fn only_zeros(&mut self) -> Result<bool, DataError> {
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

    /// True if all bytes were read.
    pub fn at_end(&mut self) -> io::Result<bool> {
        self.from.fill_buf().map(<[u8]>::is_empty)
    }

    /// Checks that the file has ended.
    pub fn end(&mut self, last: &str) -> Result<(), DataError> {
        if self.at_end().map_err(|source| DataError::io(self.path, source))? {
            return Ok(());
        }
        Err(self.continues_after(last))
    }

    /// Checks the number of bytes that are kept of the file.
    pub fn check_kept(&self, bytes: u64) -> Result<(), DataError> {
        check_kept(self.path, bytes)
    }

    fn continues_after(&self, last: &str) -> DataError {
        self.here(format!("there is more data after the last {last}"))
    }

    fn ends_within(&self, what: &str) -> DataError {
        self.here(format!("the file ends here, within its {what}"))
    }

    /// Error at the offset that was reached.
    pub fn here(&self, problem: impl Into<String>) -> DataError {
        self.at(self.offset, problem)
    }

    /// Error at an offset of the file.
    pub fn at(&self, offset: u64, problem: impl Into<String>) -> DataError {
        DataError::format(self.path, format!("byte {offset}"), problem)
    }
}
