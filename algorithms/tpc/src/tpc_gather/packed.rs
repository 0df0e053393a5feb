//! Arrays without gaps, and a sample of their pieces for a variant that would take too long with
//! all.

use std::borrow::Cow;

use generators_common::DataError;
use generators_common::io::Table;
use generators_tpc::clusters::{Clusters, Entries, FIELDS, Layout, Per, Pieces};

use parallel::{copy, par_default};

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

/// Maximum number of copies of a sample, with one for each piece of each array. A copy takes a
/// driver some microseconds, and there are ten million in a timeframe.
const MAX_COPIES: usize = 50_000;

/// Every `step`-th track and row, from the first on. Arrays that are one piece are only in the
/// sample of all pieces: they would make up most of the bytes of a sample, and few of its copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sample {
    step: usize,
}

impl Sample {
    /// All pieces.
    pub(super) const ALL: Sample = Sample { step: 1 };

    /// A sample that can be copied in a reasonable time: all pieces, if they are few.
    pub(super) fn for_input(input: &Clusters) -> Self {
        Sample { step: Sample::ALL.copies(input).div_ceil(MAX_COPIES).max(1) }
    }

    /// True if it has all pieces.
    pub(super) fn is_all(self) -> bool {
        self == Sample::ALL
    }

    /// Indices of the pieces of an array in the sample.
    pub(super) fn pieces(self, per: Per, pieces: usize) -> impl Iterator<Item = usize> {
        let is_one_piece = matches!(per, Per::Row | Per::Track);
        let end = if is_one_piece && !self.is_all() { 0 } else { pieces };
        (0..end).step_by(self.step)
    }

    /// The entries of its arrays without gaps.
    pub(super) fn packed(self, input: &Clusters) -> Entries {
        let attached = self.clusters(input.tracks());
        let tracks = input.tracks().len().div_ceil(self.step);
        let of_one_piece = |entries| if self.is_all() { entries } else { 0 };
        Entries {
            rows: of_one_piece(input.rows().len()),
            tracks: of_one_piece(tracks),
            attached,
            differences: attached - tracks,
            unattached: self.clusters(input.rows()),
        }
    }

    /// Number of copies, with one for each piece of each array.
    pub(super) fn copies(self, input: &Clusters) -> usize {
        let with = |pieces, min| self.counts(pieces).filter(|&count| count >= min).count();
        let of = |per| match per {
            Per::Row => usize::from(self.is_all() && !input.rows().is_empty()),
            Per::Track => usize::from(self.is_all()),
            Per::Attached => with(input.tracks(), 1),
            // The first cluster of a track has no difference to a previous one.
            Per::Difference => with(input.tracks(), 2),
            Per::Unattached => with(input.rows(), 1),
        };
        FIELDS.iter().map(|field| of(field.per)).sum()
    }

    fn clusters(self, pieces: &Pieces) -> usize {
        self.counts(pieces).sum()
    }

    fn counts(self, pieces: &Pieces) -> impl Iterator<Item = usize> + '_ {
        let counts = pieces.counts.iter().step_by(self.step);
        counts.map(|&count| count as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_gather::hard_inputs::clusters;

    #[test]
    fn few_pieces_are_all_taken() {
        let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
        assert!(Sample::for_input(&input).is_all());
        assert_eq!(Sample::ALL.packed(&input), input.packed());
        // Arrays of rows and of tracks, three tracks, two of them with differences, two rows.
        assert_eq!(Sample::ALL.copies(&input), 1 + 6 + 5 * 3 + 4 * 2 + 7 * 2);
    }

    #[test]
    fn sample_of_many_pieces_is_strided() {
        let tracks: Vec<_> = (0..10_000).map(|track| (3 * track, 3)).collect();
        let input = clusters(&tracks, &[1, 2, 3, 4, 5, 6], 9).expect("sound");
        let sample = Sample::for_input(&input);
        assert_eq!(sample, Sample { step: 2 });
        assert!(sample.pieces(Per::Unattached, 6).eq([0, 2, 4]));
        assert_eq!(sample.pieces(Per::Track, 1).count(), 0);
        let packed = sample.packed(&input);
        assert_eq!((packed.attached, packed.differences), (15_000, 10_000));
        assert_eq!((packed.tracks, packed.unattached), (0, 1 + 3 + 5));
        assert_eq!(sample.copies(&input), 9 * 5000 + 7 * 3);
    }
}
