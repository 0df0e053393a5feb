//! The digis of a timeslice, by module side.

use super::Digi;
use crate::partition::Partition;

/// All digis of a timeslice in one flat array, segment after segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentedDigis {
    digis: Vec<Digi>,
    partition: Partition,
}

impl SegmentedDigis {
    /// Builds digis from the order of their segments.
    ///
    /// # Panics
    /// If the partition has another number of elements.
    pub fn new(digis: Vec<Digi>, partition: Partition) -> Self {
        assert_eq!(digis.len(), partition.elements(), "digis outside segments");
        SegmentedDigis { digis, partition }
    }

    /// Builds digis from one list per segment.
    pub fn from_segments<S: AsRef<[Digi]>>(segments: &[S]) -> Self {
        let lengths = segments.iter().map(|segment| segment.as_ref().len());
        let partition = Partition::from_lengths(lengths);
        let digis = segments.iter().flat_map(|segment| segment.as_ref());
        Self::new(digis.copied().collect(), partition)
    }

    /// The flat array.
    pub fn digis(&self) -> &[Digi] {
        &self.digis
    }

    /// Offsets of the segments in the flat array.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// The digis of one segment.
    pub fn segment(&self, segment: usize) -> &[Digi] {
        &self.digis[self.partition.range(segment)]
    }

    /// The digis of all segments, in order.
    pub fn segments(&self) -> impl Iterator<Item = &[Digi]> {
        self.partition.ranges().map(|range| &self.digis[range])
    }
}
