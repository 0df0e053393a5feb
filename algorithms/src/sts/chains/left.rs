//! What stages left in the buffers of a chain, to be kept for the next run without the gaps.

use std::any::Any;

use generators::partition::Partition;

use crate::all_cores::{joined, spread};
use crate::parallel::map;

/// What stages left in a buffer.
pub(in crate::sts) trait Left {
    /// Bytes that a copy takes.
    fn bytes(&self) -> usize;
    /// A copy.
    fn copied(&self) -> Kept;
    /// Copies that back.
    fn bring_back(self: Box<Self>, kept: &Kept);
}

/// A copy of what was left.
pub(in crate::sts) type Kept = Box<dyn Any + Send>;

/// Elements at some places, which lie behind each other in a copy.
pub(super) struct Places<'a, T>(pub(super) Vec<&'a mut [T]>);

/// Lists of objects. A copy takes as many allocations as there are objects with lists of their
/// own: still a part of what finding them takes.
pub(super) struct Lists<'a, T>(pub(super) &'a mut Vec<Vec<T>>);

/// The first so many elements of each side.
pub(super) fn filled<'a, T>(
    all: &'a mut [T],
    sides: &Partition,
    counts: &[usize],
) -> Places<'a, T> {
    let sides = sides.split_mut(&mut all[..sides.elements()]).into_iter();
    let filled = sides.zip(counts).map(|(all, &count)| &mut all[..count]);
    Places(filled.collect())
}

impl<T: Copy + Default + Send + Sync + 'static> Left for Places<'_, T> {
    fn bytes(&self) -> usize {
        self.0.iter().map(|place| size_of_val(&**place)).sum()
    }

    fn copied(&self) -> Kept {
        let places: Vec<&[T]> = self.0.iter().map(|place| &**place).collect();
        Box::new(joined(&places))
    }

    fn bring_back(self: Box<Self>, kept: &Kept) {
        if let Some(kept) = kept.downcast_ref::<Vec<T>>() {
            spread(kept, self.0);
        }
    }
}

impl<T: Clone + Send + Sync + 'static> Left for Lists<'_, T> {
    /// Without what objects hold.
    fn bytes(&self) -> usize {
        let lists = self.0.iter().map(|list| size_of_val(list.as_slice()));
        lists.sum()
    }

    fn copied(&self) -> Kept {
        Box::new(map(self.0.iter(), Vec::clone))
    }

    fn bring_back(self: Box<Self>, kept: &Kept) {
        if let Some(kept) = kept.downcast_ref::<Vec<Vec<T>>>() {
            *self.0 = map(kept, Vec::clone);
        }
    }
}
