//! Banks of an event: a header of eight bytes, and a body that is padded to words of 32 bits.

use super::frame::Content;
use super::problem::MdfProblem;

/// First 16 bits of each bank.
const MAGIC: u16 = 0xCBCB;
/// Bytes of the header.
pub(super) const HEADER: usize = 8;
/// Largest length of a body, of whole words.
pub(super) const MAX_BODY: usize = (u16::MAX as usize - HEADER) / 4 * 4;

/// Types of banks.
pub(super) mod bank_type {
    /// Run and event number.
    pub(in super::super) const ODIN: u8 = 16;
    /// Particles of the simulation.
    pub(in super::super) const PARTICLES: u8 = 32;
    /// Vertices of the simulation.
    pub(in super::super) const VERTICES: u8 = 33;
    /// Super-pixels.
    pub(in super::super) const SUPER_PIXEL: u8 = 63;
    /// Clusters of the readout.
    pub(in super::super) const RETINA: u8 = 73;
}

/// Bank of any type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileBank<'a> {
    /// The type.
    pub bank_type: u8,
    /// The version.
    pub version: u8,
    /// The source: a sensor, or the index of a part.
    pub source: u16,
    /// The body without padding.
    pub body: &'a [u8],
}

impl FileBank<'_> {
    /// Appends the bank.
    ///
    /// # Panics
    /// If the body is longer than [`MAX_BODY`].
    pub(super) fn write(&self, to: &mut Vec<u8>) {
        let length = u16::try_from(HEADER + self.body.len()).expect("at most MAX_BODY");
        to.extend(MAGIC.to_le_bytes());
        to.extend(length.to_le_bytes());
        to.extend([self.bank_type, self.version]);
        to.extend(self.source.to_le_bytes());
        to.extend(self.body);
        to.resize(to.len().next_multiple_of(4), 0);
    }
}

/// The banks of an event, in order. Nothing follows the first problem.
pub(super) struct Banks<'a>(Content<'a>);

impl<'a> Banks<'a> {
    /// The banks of an event.
    pub(super) fn new(content: Content<'a>) -> Self {
        Banks(content)
    }

    fn bank(&self) -> Result<FileBank<'a>, MdfProblem> {
        let Content { offset, bytes } = self.0;
        let beyond = |length| MdfProblem::BankBeyondEvent { offset, length, rest: bytes.len() };
        let [m0, m1, l0, l1, bank_type, version, s0, s1] =
            *bytes.first_chunk::<HEADER>().ok_or(beyond(HEADER as u16))?;
        let magic = u16::from_le_bytes([m0, m1]);
        if magic != MAGIC {
            return Err(MdfProblem::Magic { offset, magic });
        }
        let length = u16::from_le_bytes([l0, l1]);
        if usize::from(length) < HEADER {
            return Err(MdfProblem::BankTooShort { offset, length });
        }
        let body = bytes.get(HEADER..usize::from(length)).ok_or(beyond(length))?;
        Ok(FileBank { bank_type, version, source: u16::from_le_bytes([s0, s1]), body })
    }
}

impl<'a> Iterator for Banks<'a> {
    type Item = Result<FileBank<'a>, MdfProblem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.bytes.is_empty() {
            return None;
        }
        let bank = self.bank();
        let padded = bank.as_ref().map(|bank| (HEADER + bank.body.len()).next_multiple_of(4));
        // The last bank may lack its padding.
        let length = padded.unwrap_or(usize::MAX).min(self.0.bytes.len());
        self.0.bytes = &self.0.bytes[length..];
        self.0.offset += length as u64;
        Some(bank)
    }
}
