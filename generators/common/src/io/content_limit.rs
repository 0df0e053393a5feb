//! Maximum number of bytes that readers keep of a file.
//!
//! The caller knows how much memory there is, and how much a byte of a file needs. Files that are
//! read as a whole are bounded while they are decompressed; of those that are read piece by piece,
//! such as archives of timeslices, only what is selected counts.

use std::cell::Cell;
use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::DataError;

thread_local! {
    static MAX_BYTES: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Calls a reader of files, none of which keeps more than `max_bytes` bytes of content.
pub fn with_content_limit<T>(max_bytes: u64, read: impl FnOnce() -> T) -> T {
    struct Restore(u64);
    impl Drop for Restore {
        fn drop(&mut self) {
            MAX_BYTES.set(self.0);
        }
    }
    let _restore = Restore(MAX_BYTES.replace(max_bytes));
    read()
}

/// Error of a reader that reached the limit; [`DataError::io`] makes [`DataError::TooLarge`] of it.
#[derive(Debug, thiserror::Error)]
#[error("more than {max_bytes} bytes of content")]
pub struct ContentTooLarge {
    /// The limit that the caller set.
    pub max_bytes: u64,
}

/// Checks the bytes of a file that are kept against the limit.
///
/// # Errors
/// If they exceed it.
pub fn check_kept(path: &Path, bytes: u64) -> Result<(), DataError> {
    check(bytes).map_err(|source| DataError::io(path, source))
}

/// As [`check_kept`], for readers that don't know the name of the file.
pub fn check(bytes: u64) -> io::Result<()> {
    let max_bytes = MAX_BYTES.get();
    if bytes <= max_bytes {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::FileTooLarge, ContentTooLarge { max_bytes }))
}

/// A file that is read as a whole.
pub struct Limited<R> {
    source: R,
    bytes: u64,
}

impl<R: Read> Limited<R> {
    /// Limits what is read from `source`.
    pub fn new(source: R) -> Self {
        Limited { source, bytes: 0 }
    }
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.bytes += read as u64;
        check(self.bytes)?;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Limited<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        check(self.bytes)?;
        self.source.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.source.consume(bytes);
        self.bytes += bytes as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_end_with_an_error_at_the_limit() {
        let read = |bytes: usize| {
            let mut all = Vec::new();
            Limited::new(&vec![7; bytes][..]).read_to_end(&mut all)
        };
        with_content_limit(1000, || {
            assert_eq!(read(1000).expect("at the limit"), 1000);
            let error = read(1001).expect_err("above the limit");
            let error = DataError::io(Path::new("d.csv"), error);
            assert!(matches!(error, DataError::TooLarge { max_bytes: 1000, .. }), "{error}");
        });
        assert_eq!(read(1001).expect("there is no limit any more"), 1001);
    }
}
