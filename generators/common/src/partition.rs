//! Many segments in one flat array.
//!
//! Detector data come in parts (module sides, pads, sectors). They are stored one after the other
//! in a single array, with the offset of each part: one allocation, one transfer to a device, and
//! no part can be lost.

use std::ops::Range;

/// Offsets of the segments of a flat array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Start of each segment, then the end of the last one.
    offsets: Vec<usize>,
}

impl Partition {
    /// Builds a partition from the lengths of consecutive segments.
    pub fn from_lengths(lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut offsets = vec![0];
        let mut end = 0;
        for length in lengths {
            end += length;
            offsets.push(end);
        }
        Partition { offsets }
    }

    /// Number of segments.
    #[inline]
    pub fn segments(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of elements of all segments.
    pub fn elements(&self) -> usize {
        self.offsets[self.segments()]
    }

    /// Returns the segment that contains an index of the flat array, or the last one if the index
    /// is past the end.
    #[inline]
    pub fn segment_of(&self, position: usize) -> usize {
        let starts = &self.offsets[..self.segments()];
        let until = starts.partition_point(|&start| start <= position);
        until.saturating_sub(1)
    }

    /// The positions of a segment in the flat array.
    #[inline]
    pub fn range(&self, segment: usize) -> Range<usize> {
        self.offsets[segment]..self.offsets[segment + 1]
    }

    /// The positions of all segments, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        self.offsets.windows(2).map(|pair| pair[0]..pair[1])
    }

    /// The lengths of all segments, in order.
    pub fn lengths(&self) -> impl Iterator<Item = usize> {
        self.ranges().map(|range| range.len())
    }

    /// The flat array as one slice for each segment.
    pub fn split<'a, T>(&self, mut flat: &'a [T]) -> Vec<&'a [T]> {
        let mut parts = Vec::with_capacity(self.segments());
        for length in self.lengths() {
            let (part, rest) = flat.split_at(length);
            parts.push(part);
            flat = rest;
        }
        parts
    }

    /// The flat array as one mutable slice for each segment.
    pub fn split_mut<'a, T>(&self, mut flat: &'a mut [T]) -> Vec<&'a mut [T]> {
        let mut parts = Vec::with_capacity(self.segments());
        for length in self.lengths() {
            let (part, rest) = flat.split_at_mut(length);
            parts.push(part);
            flat = rest;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_segments_keep_their_index() {
        let partition = Partition::from_lengths([2, 0, 3]);
        assert_eq!(partition.segments(), 3);
        assert_eq!(partition.elements(), 5);
        assert_eq!(partition.range(1), 2..2);
        let parts = partition.split(&[1, 2, 3, 4, 5]);
        assert_eq!(parts, [&[1, 2][..], &[], &[3, 4, 5]]);
    }

    #[test]
    fn positions_know_their_segments() {
        let partition = Partition::from_lengths([0, 2, 0, 0, 3, 0]);
        let segments: Vec<_> = (0..5).map(|at| partition.segment_of(at)).collect();
        assert_eq!(segments, [1, 1, 4, 4, 4]);
        assert_eq!(partition.segment_of(5), 5);
    }

    #[test]
    fn mutable_parts_cover_the_array() {
        let partition = Partition::from_lengths([1, 2]);
        let mut flat = [0; 3];
        for (index, part) in partition.split_mut(&mut flat).into_iter().enumerate() {
            part.fill(index + 1);
        }
        assert_eq!(flat, [1, 2, 2]);
    }
}
