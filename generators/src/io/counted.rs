//! A source that counts its bytes.

use std::io::{self, BufRead, Read};

pub(super) struct Counted<R> {
    source: R,
    consumed: u64,
}

impl<R> Counted<R> {
    pub(super) fn new(source: R) -> Self {
        Counted { source, consumed: 0 }
    }

    /// Bytes that were read.
    pub(super) fn consumed(&self) -> u64 {
        self.consumed
    }
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.consumed += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.source.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.source.consume(bytes);
        self.consumed += bytes as u64;
    }
}
