//! Layout of arrays in a block of memory.

use std::ops::Range;

use super::field::{FIELDS, Per};

/// Alignment of arrays in bytes: no two share a cache line, and bursts over a link are complete.
pub const ALIGNMENT: usize = 256;

/// Numbers of entries of the arrays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// Entries of arrays of [`Per::Row`].
    pub rows: usize,
    /// Entries of arrays of [`Per::Track`].
    pub tracks: usize,
    /// Entries of arrays of [`Per::Attached`].
    pub attached: usize,
    /// Entries of arrays of [`Per::Difference`].
    pub differences: usize,
    /// Entries of arrays of [`Per::Unattached`].
    pub unattached: usize,
}

/// Offsets of the arrays of all [`FIELDS`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    ranges: Vec<Range<usize>>,
    bytes: usize,
}

impl Entries {
    /// Number of entries for this entity.
    pub fn count(&self, per: Per) -> usize {
        match per {
            Per::Row => self.rows,
            Per::Track => self.tracks,
            Per::Attached => self.attached,
            Per::Difference => self.differences,
            Per::Unattached => self.unattached,
        }
    }

    /// Bytes of all of them, without any between arrays.
    pub fn bytes(&self) -> usize {
        let bytes = FIELDS.iter().map(|field| field.bytes * self.count(field.per));
        bytes.sum()
    }
}

impl Layout {
    /// Layout of consecutive arrays with these numbers of entries.
    pub fn new(entries: &Entries) -> Self {
        let mut next = 0;
        let ranges = FIELDS.iter().map(|field| {
            let start = next;
            let end = start + field.bytes * entries.count(field.per);
            next = end.next_multiple_of(ALIGNMENT);
            start..end
        });
        let ranges = ranges.collect();
        Layout {
            ranges,
            // Vector loads may read past the end of the last array.
            bytes: next + ALIGNMENT,
        }
    }

    /// The bytes of the array of a field, by its number.
    pub fn range(&self, field: usize) -> Range<usize> {
        self.ranges[field].clone()
    }

    /// Bytes of the whole block: at least [`ALIGNMENT`] more than up to the end of the last array.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_aligned_and_disjoint() {
        let entries =
            Entries { rows: 3, tracks: 5, attached: 1001, differences: 996, unattached: 0 };
        let layout = Layout::new(&entries);
        let mut end = 0;
        for (index, field) in FIELDS.iter().enumerate() {
            let range = layout.range(index);
            assert!(range.start >= end && range.start.is_multiple_of(ALIGNMENT));
            assert_eq!(range.len(), field.bytes * entries.count(field.per));
            end = range.end;
        }
        assert!(layout.bytes() >= end + ALIGNMENT);
    }
}
