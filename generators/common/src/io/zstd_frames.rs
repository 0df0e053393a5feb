//! Zstd data: reading any number of frames, one after the other, and writing one; and a source that
//! counts the bytes of compressed data.

use std::io::{self, BufRead, Read};

use zstd::bulk::Compressor;
use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

/// First bytes of a frame.
pub const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Largest window that a frame may ask for, as in zstd itself: 128 MiB.
const MAX_WINDOW_LOG: u32 = 27;
/// Detector data shrink by less than 10: more than this many times the bytes that were read is
/// refused.
const MAX_RATIO: u64 = 1000;
/// Decompressed bytes that are allowed whatever was read.
const ALLOWANCE: u64 = 16 << 20;

/// Decompressed content of all frames. Skippable frames are skipped; an end within a frame is
/// [`io::ErrorKind::UnexpectedEof`], and damage [`io::ErrorKind::InvalidData`].
pub struct ZstdFrames<R> {
    source: Counted<R>,
    decoder: Decoder<'static>,
    in_frame: bool,
    written: u64,
}

/// One call of the decoder.
struct Step {
    consumed: usize,
    written: usize,
    /// True if the frame has ended and all of it is written.
    ends_frame: bool,
}

impl<R: BufRead> ZstdFrames<R> {
    pub fn new(source: R) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
        Ok(ZstdFrames { source: Counted::new(source), decoder, in_frame: false, written: 0 })
    }

    /// Returns true if no frame follows: at the end, and before zeros up to the end.
    fn is_at_end(&mut self) -> io::Result<bool> {
        match self.source.fill_buf()? {
            [] => Ok(true),
            [0, ..] => self.source.check_padding("zstd").map(|()| true),
            _ => Ok(false),
        }
    }

    /// Decodes the bytes that the source has buffered, as far as the output has capacity.
    fn step(&mut self, buffer: &mut [u8]) -> io::Result<Step> {
        let byte = self.source.consumed();
        let mut input = InBuffer::around(self.source.fill_buf()?);
        let mut output = OutBuffer::around(buffer);
        let left = self.decoder.run(&mut input, &mut output);
        let left = left.map_err(|error| damaged(&error, byte))?;
        let step = Step { consumed: input.pos(), written: output.pos(), ends_frame: left == 0 };
        self.source.consume(step.consumed);
        self.in_frame = !step.ends_frame;
        self.written += step.written as u64;
        Ok(step)
    }

    fn check_expansion(&self) -> io::Result<()> {
        if self.written <= self.source.consumed().saturating_mul(MAX_RATIO) + ALLOWANCE {
            return Ok(());
        }
        let problem = format!("it expands to more than {MAX_RATIO} times its size, as no data do");
        Err(io::Error::new(io::ErrorKind::InvalidData, problem))
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame && self.is_at_end()? {
                return Ok(0);
            }
            let step = self.step(buffer)?;
            if step.written > 0 {
                self.check_expansion()?;
                return Ok(step.written);
            }
            if step.consumed == 0 && !step.ends_frame {
                return Err(cut());
            }
        }
    }
}

/// Compresses content as one frame with a checksum.
pub fn zstd_frame(content: &[u8], level: i32) -> io::Result<Vec<u8>> {
    let mut compressor = Compressor::new(level)?;
    compressor.include_checksum(true)?;
    compressor.compress(content)
}

fn damaged(error: &io::Error, byte: u64) -> io::Error {
    let problem = format!("damaged zstd data behind byte {byte}: {error}");
    io::Error::new(io::ErrorKind::InvalidData, problem)
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the compressed data end too early")
}

pub struct Counted<R> {
    source: R,
    consumed: u64,
}

impl<R> Counted<R> {
    pub fn new(source: R) -> Self {
        Counted { source, consumed: 0 }
    }

    /// Bytes that were read.
    pub fn consumed(&self) -> u64 {
        self.consumed
    }
}

impl<R: BufRead> Counted<R> {
    /// Passes over zeros up to the end, given the name of the format before them.
    pub fn check_padding(&mut self, format: &str) -> io::Result<()> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Last frame of streams that the Boost libraries write.
    const EMPTY_FRAME: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];

    fn content() -> Vec<u8> {
        (0..300_000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 20).to_le_bytes()).collect()
    }

    fn frame(content: &[u8]) -> Vec<u8> {
        zstd_frame(content, 1).expect("memory")
    }

    fn read(compressed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        ZstdFrames::new(compressed)?.read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn frames_are_joined_and_skippable_ones_left_out() {
        let content = content();
        let (first, second) = content.split_at(123_457);
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let all =
            [&skippable[..], &frame(first), &skippable, &frame(second), &EMPTY_FRAME].concat();
        assert!(read(&all).expect("sound") == content);
        assert!(read(&[]).expect("empty").is_empty());
        let padded = [&all[..], &[0; 1000]].concat();
        assert!(read(&padded).expect("padded") == content);
        let error = read(&[&padded[..], &[7]].concat()).expect_err("other data").to_string();
        assert!(error.contains(&format!("from byte {} on", padded.len())), "{error}");
    }

    #[test]
    fn cut_frames_and_damage_are_told_apart() {
        let frame = self::frame(&content());
        for end in [1, 3, 5, 9, frame.len() / 2, frame.len() - 1] {
            let error = read(&frame[..end]).expect_err("cut");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}: {error}");
        }
        let mut wrong = frame.clone();
        wrong[0] ^= 1;
        assert_eq!(read(&wrong).expect_err("damaged").kind(), io::ErrorKind::InvalidData);
        let mut wrong = frame;
        let middle = wrong.len() / 2;
        wrong[middle..middle + 64].fill(0xff);
        assert!(read(&wrong).is_err());
    }

    #[test]
    fn bombs_are_refused() {
        let zeros = frame(&vec![0; 64 << 20]);
        let error = read(&zeros).expect_err("expands").to_string();
        assert!(error.contains("1000 times"), "{} bytes: {error}", zeros.len());
    }
}
