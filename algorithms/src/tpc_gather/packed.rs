//! Arrays without gaps.

use std::borrow::Cow;

use generators::DataError;
use generators::io::Table;
use generators::tpc::clusters::{Clusters, Entries, FIELDS, Layout};

use super::sample::Sample;
use crate::all_cores::{copy, par_default};

/// The arrays of all fields without gaps, at the offsets of their [`Layout`]. The bytes between
/// arrays are undefined.
#[derive(Clone, Debug, PartialEq)]
pub struct Packed {
    blocks: Vec<Block>,
    sample: Sample,
}

/// Alignment of buffers, at least that of vector registers.
pub(super) type Block = u128;

/// Number of blocks that contain all of a layout.
pub(super) fn blocks(layout: &Layout) -> usize {
    layout.bytes().div_ceil(size_of::<Block>())
}

impl Packed {
    /// An output for these entries, all zeros.
    pub fn new(entries: &Entries) -> Self {
        Packed { blocks: par_default(blocks(&Layout::new(entries))), sample: Sample::ALL }
    }

    /// An output with the content of some memory.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let mut blocks: Vec<Block> = par_default(bytes.len().div_ceil(size_of::<Block>()));
        copy(&mut bytemuck::cast_slice_mut(&mut blocks)[..bytes.len()], bytes);
        Packed::from_blocks(blocks)
    }

    /// An output that owns this buffer.
    pub(super) fn from_blocks(blocks: Vec<Block>) -> Self {
        Packed { blocks, sample: Sample::ALL }
    }

    /// This output, limited to the pieces of a sample.
    pub(super) fn of_sample(self, sample: Sample) -> Self {
        Packed { sample, ..self }
    }

    /// The pieces that it contains.
    pub(super) fn sample(&self) -> Sample {
        self.sample
    }

    /// Returns the buffer.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// A row for each entry of each array.
    ///
    /// # Errors
    /// If the output contains a sample of the pieces only.
    pub(super) fn table(&self, input: &Clusters) -> Result<Table, DataError> {
        if self.sample != Sample::ALL {
            let problem = "this variant gathers a sample of the clusters on inputs of this size; \
                 use another --variant";
            return Err(DataError::Shape(problem.to_owned()));
        }
        let layout = Layout::new(&input.packed());
        let mut arrays = Vec::new();
        let mut indices = Vec::new();
        let mut values = Vec::new();
        for (number, field) in FIELDS.iter().enumerate() {
            let entries = self.bytes()[layout.range(number)].chunks_exact(field.bytes);
            for (index, entry) in (0_u32..).zip(entries) {
                let mut word = [0; 4];
                word[..field.bytes].copy_from_slice(entry);
                arrays.push(Cow::Borrowed(field.name));
                indices.push(index);
                values.push(u32::from_le_bytes(word));
            }
        }
        let table = Table::new().with("array", arrays).with("index", indices);
        Ok(table.with("value", values))
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.blocks)
    }

    /// All bytes, mutable.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        bytemuck::cast_slice_mut(&mut self.blocks)
    }
}
