//! Decompression by content, whatever the name of a file is: gzip, zstd, LZ4 and xz.
//!
//! A file may have several members, one after the other, which are joined. Zeros after the last one
//! are padding; anything else is refused with its byte.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::GzDecoder;
use lz4_flex::frame::FrameDecoder;
use lzma_rust2::XzReader;

use super::zstd_frames::{self, Counted, ZstdFrames};

const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];
const LZ4_MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];
/// Bytes of the buffer of decompressed data.
const BUFFER_BYTES: usize = 1 << 18;
const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];

/// Decompresses a file if its first bytes are those of a compressed one.
pub fn decompressed(
    mut source: impl BufRead + Send + 'static,
) -> io::Result<Box<dyn BufRead + Send>> {
    let first = source.fill_buf()?;
    Ok(if first.starts_with(&GZIP_MAGIC) {
        buffered(Members::new(source, Gzip))
    } else if first.starts_with(&LZ4_MAGIC) {
        buffered(Members::new(source, Lz4))
    } else if first.starts_with(&XZ_MAGIC) {
        buffered(Members::new(source, Xz))
    } else if first.starts_with(&zstd_frames::MAGIC) {
        buffered(ZstdFrames::new(source)?)
    } else {
        Box::new(source)
    })
}

/// A buffer for short reads, which are slow from a decoder; longer ones do not go through it.
pub fn buffered<'a>(decoder: impl Read + Send + 'a) -> Box<dyn BufRead + Send + 'a> {
    Box::new(BufReader::with_capacity(BUFFER_BYTES, decoder))
}

/// A format of members.
trait Format {
    /// Decoder of one member.
    type Decoder<R: BufRead>: Read;
    const MAGIC: &'static [u8];
    const NAME: &'static str;

    fn begin<R: BufRead>(source: R) -> Self::Decoder<R>;
    fn end<R: BufRead>(decoder: Self::Decoder<R>) -> R;
}

struct Gzip;
struct Lz4;
struct Xz;

impl Format for Gzip {
    type Decoder<R: BufRead> = GzDecoder<R>;
    const MAGIC: &'static [u8] = &GZIP_MAGIC;
    const NAME: &'static str = "gzip";

    fn begin<R: BufRead>(source: R) -> GzDecoder<R> {
        GzDecoder::new(source)
    }

    fn end<R: BufRead>(decoder: GzDecoder<R>) -> R {
        decoder.into_inner()
    }
}

impl Format for Lz4 {
    type Decoder<R: BufRead> = FrameDecoder<R>;
    const MAGIC: &'static [u8] = &LZ4_MAGIC;
    const NAME: &'static str = "LZ4";

    fn begin<R: BufRead>(source: R) -> FrameDecoder<R> {
        FrameDecoder::new(source)
    }

    fn end<R: BufRead>(decoder: FrameDecoder<R>) -> R {
        decoder.into_inner()
    }
}

impl Format for Xz {
    type Decoder<R: BufRead> = XzReader<R>;
    const MAGIC: &'static [u8] = &XZ_MAGIC;
    const NAME: &'static str = "xz";

    fn begin<R: BufRead>(source: R) -> XzReader<R> {
        XzReader::new(source, false)
    }

    fn end<R: BufRead>(decoder: XzReader<R>) -> R {
        decoder.into_inner()
    }
}

struct Members<R: BufRead, F: Format> {
    state: State<R, F>,
}

enum State<R: BufRead, F: Format> {
    InMember(F::Decoder<Counted<R>>),
    Between(Counted<R>),
    /// Within a change of the state, and after an error.
    Ended,
}

impl<R: BufRead, F: Format> Members<R, F> {
    fn new(source: R, _: F) -> Self {
        Members { state: State::Between(Counted::new(source)) }
    }
}

impl<R: BufRead, F: Format> Read for Members<R, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.state, State::Ended) {
                State::InMember(mut decoder) => {
                    let read = decoder.read(buffer).map_err(damaged::<F>)?;
                    self.state = match read {
                        0 => State::Between(F::end(decoder)),
                        _ => State::InMember(decoder),
                    };
                    if read > 0 {
                        return Ok(read);
                    }
                }
                State::Between(mut source) => {
                    let first = source.fill_buf()?;
                    if first.starts_with(F::MAGIC) {
                        self.state = State::InMember(F::begin(source));
                    } else {
                        source.check_padding(F::NAME)?;
                        return Ok(0);
                    }
                }
                State::Ended => return Ok(0),
            }
        }
    }
}

/// An end within a member, or damage.
fn damaged<F: Format>(error: io::Error) -> io::Error {
    let kind = error.kind();
    if kind == io::ErrorKind::UnexpectedEof {
        let problem = "the compressed data end too early; is the file cut off?";
        return io::Error::new(kind, problem);
    }
    io::Error::new(kind, format!("damaged {} data: {error}", F::NAME))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(content: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(content).expect("memory");
        encoder.finish().expect("memory")
    }

    fn read(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut all = Vec::new();
        decompressed(Cursor::new(bytes))?.read_to_end(&mut all).map(|_| all)
    }

    /// "digis\n", by `xz` and `lz4`.
    const XZ: &[u8] = include_bytes!("digis.xz");
    const LZ4: &[u8] = include_bytes!("digis.lz4");

    #[test]
    fn every_format_is_known_by_its_content() {
        let zstd = zstd_frames::zstd_frame(b"digis\n", 1).expect("memory");
        for bytes in [b"digis\n".to_vec(), gzip(b"digis\n"), zstd, XZ.to_vec(), LZ4.to_vec()] {
            assert_eq!(read(bytes).expect("sound"), b"digis\n");
        }
        assert_eq!(read([LZ4, LZ4].concat()).expect("two frames"), b"digis\ndigis\n");
        assert_eq!(read([XZ, XZ].concat()).expect("two streams"), b"digis\ndigis\n");
    }

    #[test]
    fn members_are_joined_and_zeros_ignored() {
        let two = [gzip(b"di"), gzip(b"gis")].concat();
        assert_eq!(read(two.clone()).expect("two"), b"digis");
        assert_eq!(read([&two[..], &[0; 1000]].concat()).expect("padded"), b"digis");
        let error = read([&two[..], &[0, 0, 7]].concat()).expect_err("garbage").to_string();
        let byte = two.len() + 2;
        assert!(error.contains(&format!("gzip data, from byte {byte} on")), "{error}");
    }

    #[test]
    fn cut_members_are_named_as_such() {
        let whole = gzip(&[7; 1000]);
        for end in [3, 12, whole.len() - 1] {
            let error = read(whole[..end].to_vec()).expect_err("cut");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof, "{end}: {error}");
        }
    }
}
