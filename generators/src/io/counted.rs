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

impl<R: BufRead> Counted<R> {
    /// Passes over zeros up to the end, given the name of the format before them.
    ///
    /// # Errors
    /// If other bytes follow.
    pub(super) fn check_padding(&mut self, format: &str) -> io::Result<()> {
        loop {
            let rest = self.source.fill_buf()?;
            if rest.is_empty() {
                return Ok(());
            }
            let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
            if zeros < rest.len() {
                let byte = self.consumed + zeros as u64;
                let problem = format!("other data follow the {format} data, from byte {byte} on");
                return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
            }
            self.consume(zeros);
        }
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
