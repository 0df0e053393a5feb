//! Which segments are sorted in which way.

use generators::partition::Partition;

use crate::kernels::sts_sort_channel_bucket::{self as kernels, CAPACITY};

/// Positions in the array of all digis.
pub(super) type Range = std::ops::Range<u32>;

/// The segments by size; those of one digi or none are in order.
pub(super) struct Division {
    /// They fit into shared memory.
    pub(super) small: Vec<Range>,
    /// They don't.
    pub(super) large: Vec<Range>,
}

impl Division {
    pub(super) fn new(partition: &Partition) -> Self {
        let ranges = partition.ranges().filter(|range| range.len() > 1);
        let (small, large) = ranges
            .map(|range| range.start as u32..range.end as u32)
            .partition(|range| range.len() <= CAPACITY as usize);
        Division { small, large }
    }
}

/// As kernels know them.
pub(super) fn on_device(ranges: &[Range]) -> impl Iterator<Item = kernels::Range> {
    ranges.iter().map(|range| kernels::Range { begin: range.start, end: range.end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_divided_by_what_fits() {
        let fits = CAPACITY as usize;
        let lengths = [0, 1, 2, fits, fits + 1, 100 * fits];
        let Division { small, large } = Division::new(&Partition::from_lengths(lengths));
        let lengths = |ranges: &[Range]| ranges.iter().map(Range::len).collect::<Vec<_>>();
        assert_eq!(lengths(&small), [2, fits]);
        assert_eq!(lengths(&large), [fits + 1, 100 * fits]);
    }
}
