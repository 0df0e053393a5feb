//! Many segments in one array, with the address of each.

use generators::partition::Partition;
use generators::sts::{Address, ModuleSide};

use crate::all_cores::par_concat;
use crate::parallel::map;

/// Items of all segments of a detector in one flat array. Data common to a segment are kept once
/// per segment and not in each item.
#[derive(Clone, Debug, PartialEq)]
pub struct Partitioned<T> {
    items: Vec<T>,
    partition: Partition,
    addresses: Vec<Address>,
}

impl<T: Clone + Default + Send + Sync> Partitioned<T> {
    /// From one list for each side of each module: the fronts, then the backs. All cores copy them.
    pub fn of_sides<L: AsRef<[T]>>(sides: &[L]) -> Self {
        let count = sides.len();
        let address = |side| Address::of_module(ModuleSide::of_segment(side, count).module);
        Self::new(sides, (0..count).map(address).collect())
    }

    /// From one list for each module. All cores copy them.
    pub fn of_modules<L: AsRef<[T]>>(modules: &[L]) -> Self {
        let addresses = (0..modules.len()).map(Address::of_module).collect();
        Self::new(modules, addresses)
    }

    /// Other items in segments with the same addresses.
    pub(in crate::sts) fn with_segments<L: AsRef<[T]>>(&self, segments: &[L]) -> Self {
        Self::new(segments, self.addresses.clone())
    }

    /// Concatenates, segment by segment, these items and those of `others`.
    pub(in crate::sts) fn followed_by(&self, others: &Self) -> Self {
        let of_segment = |segment| [self.segment(segment), others.segment(segment)].concat();
        self.with_segments(&map(0..self.segments(), of_segment))
    }

    fn new<L: AsRef<[T]>>(segments: &[L], addresses: Vec<Address>) -> Self {
        let segments: Vec<&[T]> = segments.iter().map(AsRef::as_ref).collect();
        Partitioned {
            items: par_concat(&segments),
            partition: Partition::from_lengths(segments.iter().map(|segment| segment.len())),
            addresses,
        }
    }
}

impl<T> Partitioned<T> {
    /// All items, segment after segment.
    pub fn items(&self) -> &[T] {
        &self.items
    }

    /// Partition of the items into segments.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.partition.segments()
    }

    /// The items of one segment.
    pub fn segment(&self, segment: usize) -> &[T] {
        &self.items[self.partition.range(segment)]
    }

    /// The items of one segment, mutable.
    pub fn segment_mut(&mut self, segment: usize) -> &mut [T] {
        &mut self.items[self.partition.range(segment)]
    }

    /// The address of the module that a segment belongs to.
    pub fn address(&self, segment: usize) -> Address {
        self.addresses[segment]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_know_their_modules() {
        let sides = Partitioned::of_sides(&[vec![1, 2], vec![], vec![3], vec![4]]);
        assert_eq!((sides.segments(), sides.items().len()), (4, 4));
        assert_eq!(sides.segment(2), [3]);
        assert_eq!(sides.address(2), Address::of_module(0));
        assert_eq!(sides.address(3), Address::of_module(1));
    }
}
