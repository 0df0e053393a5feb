//! The arrays that clusters, tracks and rows have, and their layout in a block of memory.

use std::ops::Range;

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

/// Entity that an array has one entry for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Per {
    /// Each row of each sector.
    Row,
    /// Each track.
    Track,
    /// Each cluster on a track.
    Attached,
    /// Each cluster on a track but the first one.
    Difference,
    /// Each cluster on no track.
    Unattached,
}

/// An array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Entity that it has one entry for.
    pub per: Per,
    /// Bytes of an entry.
    pub bytes: usize,
}

const fn field(per: Per, name: &'static str, bytes: usize) -> Field {
    Field { name, per, bytes }
}

/// All arrays, in the order in memory: small ones first.
pub static FIELDS: [Field; 23] = [
    field(Per::Row, "row_n_clusters", 4),
    field(Per::Track, "track_n_clusters", 2),
    field(Per::Track, "track_q_pt", 1),
    field(Per::Track, "track_row", 1),
    field(Per::Track, "track_slice", 1),
    field(Per::Track, "track_time", 4),
    field(Per::Track, "track_pad", 2),
    field(Per::Attached, "attached_q_tot", 2),
    field(Per::Attached, "attached_q_max", 2),
    field(Per::Attached, "attached_flags", 1),
    field(Per::Attached, "attached_sigma_pad", 1),
    field(Per::Attached, "attached_sigma_time", 1),
    field(Per::Difference, "row_diff", 1),
    field(Per::Difference, "slice_leg_diff", 1),
    field(Per::Difference, "pad_residual", 2),
    field(Per::Difference, "time_residual", 4),
    field(Per::Unattached, "unattached_q_tot", 2),
    field(Per::Unattached, "unattached_q_max", 2),
    field(Per::Unattached, "unattached_flags", 1),
    field(Per::Unattached, "pad_diff", 2),
    field(Per::Unattached, "time_diff", 4),
    field(Per::Unattached, "unattached_sigma_pad", 1),
    field(Per::Unattached, "unattached_sigma_time", 1),
];

/// Indices of the fields that hold the lengths of pieces.
pub(super) const CLUSTERS_OF_ROW: usize = 0;
pub(super) const CLUSTERS_OF_TRACK: usize = 1;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

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

    fn bytes_of(per: Per) -> usize {
        let fields = FIELDS.iter().filter(|field| field.per == per);
        fields.map(|field| field.bytes).sum()
    }

    #[test]
    fn entries_have_the_bytes_of_the_experiment() {
        assert_eq!(bytes_of(Per::Row), 4);
        assert_eq!(bytes_of(Per::Track), 11);
        assert_eq!(bytes_of(Per::Attached), 7);
        assert_eq!(bytes_of(Per::Difference), 8);
        assert_eq!(bytes_of(Per::Unattached), 13);
    }

    #[test]
    fn names_are_unique_and_counts_where_they_should_be() {
        let names: HashSet<_> = FIELDS.iter().map(|field| field.name).collect();
        assert_eq!(names.len(), FIELDS.len());
        assert_eq!(FIELDS[CLUSTERS_OF_ROW].name, "row_n_clusters");
        assert_eq!(FIELDS[CLUSTERS_OF_TRACK].name, "track_n_clusters");
    }
}
