//! A component: the microslices of a read-out board in a timeslice.

use std::ops::Range;

use super::{DESCRIPTOR_BYTES, Descriptor, MESSAGE_BYTES};

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
