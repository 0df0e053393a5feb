//! Numbers, texts and class marks of an archive.

use std::io;

use crate::io::source::Source;

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

/// The bytes of an archive, decompressed.
pub(super) struct Bytes<'a>(Source<'a>);

impl<'a> Bytes<'a> {
    pub(super) fn new(source: Source<'a>) -> Self {
        Bytes(source)
    }

    /// Number of bytes that were read.
    pub(super) fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Continues with the decompressed content of the rest.
    pub(super) fn decompressed(self) -> Result<Self, Problem> {
        Ok(Bytes(self.0.decompressed()?))
    }

    /// True if all bytes were read.
    pub(super) fn at_end(&mut self) -> Result<bool, Problem> {
        Ok(self.0.at_end()?)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], Problem> {
        let mut array = [0; N];
        if self.0.read(&mut array)? < N { Err(Problem::Cut) } else { Ok(array) }
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
        if self.0.append(block, length)? < length { Err(Problem::Cut) } else { Ok(()) }
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

/// A class of an archive: a mark with its version precedes its first object, and no others.
#[derive(Default)]
pub(super) struct Class {
    version: Option<u32>,
}

impl Class {
    /// Reads the mark, if the object that begins here is the first one; returns the class version.
    pub(super) fn begin(
        &mut self,
        from: &mut Bytes<'_>,
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
