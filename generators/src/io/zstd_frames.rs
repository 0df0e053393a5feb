//! Reader of zstd data: any number of frames, one after the other.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::counted::Counted;

/// First bytes of a frame.
pub(super) const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Largest window that a frame may ask for, as in zstd itself.
const MAX_WINDOW_BYTES: u64 = 128 << 20;
/// Detector data shrink by less than 10: more than this many times the bytes that were read is
/// refused.
const MAX_RATIO: u64 = 1000;
/// Decompressed bytes that are allowed whatever was read.
const ALLOWANCE: u64 = 16 << 20;

/// Decompressed content of all frames. Skippable frames are skipped; an end within a frame is
/// [`io::ErrorKind::UnexpectedEof`], and damage [`io::ErrorKind::InvalidData`].
pub(super) struct ZstdFrames<R> {
    source: Counted<R>,
    decoder: FrameDecoder,
    in_frame: bool,
    written: u64,
}

impl<R: BufRead> ZstdFrames<R> {
    pub(super) fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MAX_WINDOW_BYTES);
        ZstdFrames { source: Counted::new(source), decoder, in_frame: false, written: 0 }
    }

    /// Reads the header of the next frame; false at the end.
    fn begin_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => self.skip(length.into())?,
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    fn skip(&mut self, length: u64) -> io::Result<()> {
        let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
        if skipped < length { Err(cut()) } else { Ok(()) }
    }

    /// An end of the data within a frame, or damage.
    fn failed(&mut self, error: impl std::error::Error + Send + Sync + 'static) -> io::Error {
        match self.source.fill_buf() {
            Ok([]) => cut(),
            Ok(_) => io::Error::new(io::ErrorKind::InvalidData, error),
            Err(error) => error,
        }
    }

    /// Compares the checksum of a frame, if it has one.
    fn check_frame(&self) -> io::Result<()> {
        let expected = self.decoder.get_checksum_from_data();
        if expected.is_some() && expected != self.decoder.get_calculated_checksum() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum differs"));
        }
        Ok(())
    }
}

impl<R: BufRead> Read for ZstdFrames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            if !self.in_frame {
                if !self.begin_frame()? {
                    return Ok(0);
                }
                self.in_frame = true;
            }
            let read = self.decoder.read(buffer)?;
            if read > 0 {
                self.written += read as u64;
                if self.written > self.source.consumed().saturating_mul(MAX_RATIO) + ALLOWANCE {
                    let problem = format!(
                        "it expands to more than {MAX_RATIO} times its size, as no data do"
                    );
                    return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
                }
                return Ok(read);
            }
            if self.decoder.is_finished() {
                self.check_frame()?;
                self.in_frame = false;
                continue;
            }
            let one = BlockDecodingStrategy::UptoBlocks(1);
            if let Err(error) = self.decoder.decode_blocks(&mut self.source, one) {
                return Err(self.failed(error));
            }
        }
    }
}

fn cut() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the compressed data end too early")
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    /// Last frame of streams that the Boost libraries write.
    const EMPTY_FRAME: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0, 1, 0, 0];

    fn content() -> Vec<u8> {
        (0..300_000_u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 20).to_le_bytes()).collect()
    }

    fn read(compressed: &[u8]) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        ZstdFrames::new(compressed).read_to_end(&mut all).map(|_| all)
    }

    #[test]
    fn frames_are_joined_and_skippable_ones_left_out() {
        let content = content();
        let (first, second) = content.split_at(123_457);
        let frame = |part: &[u8]| compress_to_vec(part, CompressionLevel::Fastest);
        let skippable = [&[0x53, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let all =
            [&skippable[..], &frame(first), &skippable, &frame(second), &EMPTY_FRAME].concat();
        assert!(read(&all).expect("sound") == content);
        assert!(read(&[]).expect("empty").is_empty());
    }

    #[test]
    fn cut_frames_and_damage_are_told_apart() {
        let frame = compress_to_vec(&content()[..], CompressionLevel::Fastest);
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
        let zeros = compress_to_vec(&vec![0; 64 << 20][..], CompressionLevel::Fastest);
        let error = read(&zeros).expect_err("expands").to_string();
        assert!(error.contains("1000 times"), "{} bytes: {error}", zeros.len());
    }
}
