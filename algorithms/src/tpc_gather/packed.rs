//! Arrays without gaps.

use generators::tpc::clusters::{Entries, Layout};

use super::sample::Sample;
use crate::all_cores::{copy, made};

/// The arrays of all fields without gaps, where their [`Layout`] wants them. What lies
/// between arrays means nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    blocks: Vec<Block>,
    sample: Sample,
}

/// Bytes that a vector register has: buffers begin at a multiple of so many.
pub(super) type Block = u128;

/// How many blocks hold all of a layout.
pub(super) fn blocks(layout: &Layout) -> usize {
    layout.bytes().div_ceil(size_of::<Block>())
}

impl Packed {
    /// Room for so many entries, all of them zeros.
    pub fn new(entries: &Entries) -> Self {
        Packed { blocks: made(blocks(&Layout::new(entries))), sample: Sample::ALL }
    }

    /// What some memory holds.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut blocks: Vec<Block> = made(bytes.len().div_ceil(size_of::<Block>()));
        copy(&mut bytemuck::cast_slice_mut(&mut blocks)[..bytes.len()], bytes);
        Packed::from_blocks(blocks)
    }

    /// A buffer, to be written and given back.
    pub(super) fn from_blocks(blocks: Vec<Block>) -> Self {
        Packed { blocks, sample: Sample::ALL }
    }

    /// The same with some pieces only.
    pub(super) fn of_sample(self, sample: Sample) -> Self {
        Packed { sample, ..self }
    }

    /// Which pieces are there.
    pub(super) fn sample(&self) -> Sample {
        self.sample
    }

    /// The buffer back.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.blocks)
    }

    /// All bytes, to be written.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.blocks)
    }
}
