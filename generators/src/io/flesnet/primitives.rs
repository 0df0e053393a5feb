//! Numbers, texts and class marks of an archive.

use std::io::{self, BufRead, BufReader, Read};

use crate::io::content_limit;
use crate::io::source::PORTION;
use crate::io::zstd_frames::ZstdFrames;

/// Reason why reading stopped.
pub(super) enum Problem {
    /// The file ends.
    Cut,
    /// The content does not follow the format; the text describes how.
    Wrong(String),
    /// The operating system refused.
    Io(io::Error),
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => Problem::Cut,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                Problem::Wrong(format!("damaged compressed data: {error}"))
            }
            _ => Problem::Io(error),
        }
    }
}

/// Bytes that are allocated at once, whatever length a file claims.
const RESERVED: u64 = 1 << 20;
/// Bytes of the buffer: longer reads do not go through it.
const BUFFER_BYTES: usize = 1 << 18;

/// The bytes of an archive, decompressed.
pub(super) struct Bytes {
    from: Box<dyn BufRead>,
    offset: u64,
}

impl Bytes {
    pub(super) fn new(from: Box<dyn Read>) -> Self {
        Bytes { from: buffered(from), offset: 0 }
    }

    /// Bytes that were read.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Continues with the decompressed content of the rest.
    pub(super) fn decompressed(self) -> Result<Self, Problem> {
        let frames = ZstdFrames::new(self.from)?;
        Ok(Bytes { from: buffered(Box::new(frames)), offset: self.offset })
    }

    /// True if all bytes were read.
    pub(super) fn at_end(&mut self) -> Result<bool, Problem> {
        self.from.fill_buf().map(<[u8]>::is_empty).map_err(Problem::from)
    }

    /// Reads up to `N` bytes: fewer at the end of the file.
    pub(super) fn up_to<const N: usize>(&mut self) -> Result<Vec<u8>, Problem> {
        let mut bytes = Vec::with_capacity(N);
        self.append(&mut bytes, N as u64)?;
        Ok(bytes)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        self.up_to::<N>()?.try_into().map_err(|_| Problem::Cut)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Problem> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Problem> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Problem> {
        self.array().map(u64::from_le_bytes)
    }

    /// Replaces `block` by the next `length` bytes.
    pub(super) fn block(&mut self, block: &mut Vec<u8>, length: u64) -> Result<(), Problem> {
        block.clear();
        if self.append(block, length)? < length { Err(Problem::Cut) } else { Ok(()) }
    }

    /// Appends the next bytes, and returns how many there were. No more is allocated than the file
    /// turns out to have, rounded up to a portion.
    fn append(&mut self, to: &mut Vec<u8>, length: u64) -> Result<u64, Problem> {
        let mut appended = 0;
        while appended < length {
            let wanted = (length - appended).min(PORTION);
            let before = to.len();
            to.reserve(wanted.min(RESERVED) as usize);
            let read = self.from.by_ref().take(wanted).read_to_end(to);
            let read_bytes = (to.len() - before) as u64;
            self.offset += read_bytes;
            appended += read_bytes;
            content_limit::check(to.len() as u64)?;
            match read {
                Ok(_) if read_bytes == wanted => {}
                Ok(_) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(appended)
    }

    /// Reads a text of at most `max` bytes.
    pub(super) fn text(&mut self, name: &str, max: u64) -> Result<Vec<u8>, Problem> {
        let length = self.u64()?;
        if length > max {
            return Err(Problem::Wrong(format!("the {name} has {length} bytes, more than {max}")));
        }
        let mut text = Vec::new();
        self.block(&mut text, length)?;
        Ok(text)
    }
}

fn buffered(from: Box<dyn Read>) -> Box<dyn BufRead> {
    Box::new(BufReader::with_capacity(BUFFER_BYTES, from))
}

/// A class of an archive: a mark with its version precedes its first object, and no others.
#[derive(Default)]
pub(super) struct Class {
    version: Option<u32>,
}

impl Class {
    /// Reads the mark, if the object that begins here is the first one; returns the class version.
    pub(super) fn begin(
        &mut self,
        from: &mut Bytes,
        name: &str,
        newest: u32,
    ) -> Result<u32, Problem> {
        if let Some(version) = self.version {
            return Ok(version);
        }
        let [tracking] = from.array()?;
        let version = from.u32()?;
        if tracking != 0 {
            let problem = format!("the class mark of the {name} has tracking {tracking}, not 0");
            return Err(Problem::Wrong(problem));
        }
        if version > newest {
            return Err(Problem::Wrong(format!(
                "class version {version} of the {name} is not supported; 0 to {newest} are"
            )));
        }
        self.version = Some(version);
        Ok(version)
    }
}
