//! A component: the microslices of a read-out board in a timeslice, each with a header of 32 bytes.

use std::ops::Range;

use super::MESSAGE_BYTES;

/// Maximum number of messages of all timeslices together: 32-bit counters hold it.
pub const MAX_MESSAGES: u64 = u32::MAX as u64;

/// Output of a read-out board in a timeslice: descriptors, then contents.
#[derive(Clone, Copy, Debug)]
pub struct Component<'a> {
    pub(super) block: &'a [u8],
    pub(super) first_byte: usize,
    pub(super) microslices: usize,
}

/// A component that can't be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ComponentProblem {
    /// No microslice, so no first descriptor to identify the board.
    #[error("it has no microslice")]
    Empty,
    /// The block ends within the descriptors.
    #[error("{microslices} descriptors of 32 bytes don't fit into its {bytes} bytes")]
    Descriptors {
        /// Descriptors.
        microslices: u64,
        /// Bytes of the block.
        bytes: usize,
    },
    /// A content is not in the block.
    #[error(
        "microslice {microslice} points outside: {size} bytes from byte {begin} on, of {bytes}"
    )]
    Outside {
        /// Index of the microslice.
        microslice: usize,
        /// Offset of the content.
        begin: u64,
        /// Bytes of the content.
        size: u32,
        /// Bytes of the block.
        bytes: usize,
    },
    /// A block outside of the given memory.
    #[error("its block is from byte {begin} to {end}, of {bytes}")]
    Block {
        /// Offset of the block.
        begin: usize,
        /// End of the block.
        end: usize,
        /// Bytes of the memory.
        bytes: usize,
    },
    /// More than can be counted.
    #[error("with it there are more than {MAX_MESSAGES} messages; use fewer timeslices")]
    Messages,
}

/// Builds the block of a component of these microslices, one after the other; returns their number
/// and the bytes. Sizes and offsets of descriptors are computed here.
pub fn block_of<'c>(
    microslices: impl Iterator<Item = (Descriptor, &'c [u8])> + Clone,
) -> (u64, Vec<u8>) {
    let mut block = Vec::new();
    let mut offset = 0;
    let mut count = 0;
    for (descriptor, content) in microslices.clone() {
        let size = content.len() as u32;
        block.extend(Descriptor { size, offset, ..descriptor }.to_bytes());
        offset += u64::from(size);
        count += 1;
    }
    microslices.for_each(|(_, content)| block.extend(content));
    (count, block)
}

/// The messages of a component, if it can be one.
pub(super) fn check(microslices: u64, block: &[u8]) -> Result<u64, ComponentProblem> {
    if microslices == 0 {
        return Err(ComponentProblem::Empty);
    }
    let bytes = block.len();
    if microslices > (bytes / DESCRIPTOR_BYTES) as u64 {
        return Err(ComponentProblem::Descriptors { microslices, bytes });
    }
    let component = Component { block, first_byte: 0, microslices: microslices as usize };
    let mut messages = 0;
    for (microslice, descriptor) in component.descriptors().enumerate() {
        let begin = component.begin(descriptor.offset);
        let size = descriptor.size;
        if begin.checked_add(size.into()).is_none_or(|end| end > bytes as u64) {
            return Err(ComponentProblem::Outside { microslice, begin, size, bytes });
        }
        messages += u64::from(size) / MESSAGE_BYTES as u64;
    }
    Ok(messages)
}

impl<'a> Component<'a> {
    /// Descriptors, contents and gaps.
    pub fn block(&self) -> &'a [u8] {
        self.block
    }

    /// Range of the block in [`RawData::bytes`](super::RawData::bytes).
    pub fn range(&self) -> Range<usize> {
        self.first_byte..self.first_byte + self.block.len()
    }

    /// Number of microslices: at least one.
    pub fn microslices(&self) -> usize {
        self.microslices
    }

    /// The descriptor of a microslice.
    ///
    /// # Panics
    /// If there is none of that number.
    #[inline]
    pub fn descriptor(&self, microslice: usize) -> Descriptor {
        let (descriptors, _) = self.block.as_chunks();
        Descriptor::from_bytes(&descriptors[..self.microslices][microslice])
    }

    /// All descriptors.
    pub fn descriptors(&self) -> impl ExactSizeIterator<Item = Descriptor> + use<'a> {
        let (descriptors, _) = self.block.as_chunks();
        descriptors[..self.microslices].iter().map(Descriptor::from_bytes)
    }

    /// The content of the microslice with this descriptor, which is one of the component.
    pub fn content(&self, descriptor: &Descriptor) -> &'a [u8] {
        &self.block[self.begin(descriptor.offset) as usize..][..descriptor.size as usize]
    }

    /// Offset of that content in the bytes of all components.
    #[inline]
    pub fn byte_offset(&self, descriptor: &Descriptor) -> usize {
        self.first_byte + self.begin(descriptor.offset) as usize
    }

    /// Offset of a content in the block; offsets wrap.
    #[inline]
    fn begin(&self, offset: u64) -> u64 {
        let first = self.descriptor(0).offset;
        let descriptors = (DESCRIPTOR_BYTES * self.microslices) as u64;
        descriptors.wrapping_add(offset.wrapping_sub(first))
    }
}

/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 32;
/// The system id of the STS.
pub const STS_SYSTEM: u8 = 0x10;
/// The only version of its data that is unpacked.
pub const SYSTEM_VERSION: u8 = 0x20;

const HEADER_ID: u8 = 0xdd;
const HEADER_VERSION: u8 = 1;

/// The fields of a descriptor that are used, and the others unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Header id and header version.
    pub header: [u8; 2],
    /// ID of the read-out board that sent it.
    pub equipment: u16,
    /// Bits: 1 checksum is right, 2 cut by the board's link, 4 cut by user logic, 8 data error.
    pub flags: u16,
    /// The detector.
    pub system: u8,
    /// The version of its data.
    pub version: u8,
    /// Start of the microslice, in ns of Unix time.
    pub index: u64,
    /// CRC-32C of the content.
    pub crc: u32,
    /// Bytes of the content.
    pub size: u32,
    /// Offset of the content, relative to the offset of the component's first microslice.
    pub offset: u64,
}

impl Descriptor {
    /// Descriptor of a microslice of the STS, from a board and starting at a time, without a
    /// checksum.
    pub fn of_sts(equipment: u16, index: u64) -> Self {
        Descriptor {
            header: [HEADER_ID, HEADER_VERSION],
            equipment,
            flags: 0,
            system: STS_SYSTEM,
            version: SYSTEM_VERSION,
            index,
            crc: 0,
            size: 0,
            offset: 0,
        }
    }

    /// The descriptor in these bytes.
    #[inline]
    pub fn from_bytes(bytes: &[u8; DESCRIPTOR_BYTES]) -> Self {
        Descriptor {
            header: part(bytes, 0),
            equipment: u16::from_le_bytes(part(bytes, 2)),
            flags: u16::from_le_bytes(part(bytes, 4)),
            system: bytes[6],
            version: bytes[7],
            index: u64::from_le_bytes(part(bytes, 8)),
            crc: u32::from_le_bytes(part(bytes, 16)),
            size: u32::from_le_bytes(part(bytes, 20)),
            offset: u64::from_le_bytes(part(bytes, 24)),
        }
    }

    /// Its bytes.
    pub fn to_bytes(self) -> [u8; DESCRIPTOR_BYTES] {
        let mut bytes = [0; DESCRIPTOR_BYTES];
        let mut put = |at: usize, part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        put(0, &self.header);
        put(2, &self.equipment.to_le_bytes());
        put(4, &self.flags.to_le_bytes());
        put(6, &[self.system, self.version]);
        put(8, &self.index.to_le_bytes());
        put(16, &self.crc.to_le_bytes());
        put(20, &self.size.to_le_bytes());
        put(24, &self.offset.to_le_bytes());
        bytes
    }
}

#[inline]
fn part<const N: usize>(bytes: &[u8; DESCRIPTOR_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|byte| bytes[at + byte])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_come_back() {
        let bytes: [u8; DESCRIPTOR_BYTES] = std::array::from_fn(|byte| byte as u8);
        let descriptor = Descriptor::from_bytes(&bytes);
        assert_eq!((descriptor.equipment, descriptor.index), (0x0302, 0x0f0e_0d0c_0b0a_0908));
        assert_eq!((descriptor.size, descriptor.version), (0x1716_1514, 7));
        assert_eq!(descriptor.to_bytes(), bytes);
    }
}
