//! Outputs of stages in the buffers of a chain, saved for the next run without the gaps.

use std::any::Any;

use generators::partition::Partition;

use crate::all_cores::{par_concat, par_copy_to_slices};
use crate::parallel::map;

/// Output of a stage in a buffer, which can be saved and restored.
pub(in crate::sts) trait Snapshot {
    /// Bytes that a copy takes.
    fn bytes(&self) -> usize;
    /// A copy.
    fn copied(&self) -> SavedStage;
    /// Copies that back.
    fn restore(self: Box<Self>, saved: &SavedStage);
}

/// A copy of the output of a stage.
pub(in crate::sts) type SavedStage = Box<dyn Any + Send>;

/// Parts of a buffer, which are contiguous in a copy.
pub(super) struct BufferParts<'a, T>(pub(super) Vec<&'a mut [T]>);

/// Lists of objects. A copy takes one allocation for each object with lists: only a part of the
/// time that finding them takes.
pub(super) struct Lists<'a, T>(pub(super) &'a mut Vec<Vec<T>>);

/// The first `counts[side]` elements of each side.
pub(super) fn filled<'a, T>(
    all: &'a mut [T],
    sides: &Partition,
    counts: &[usize],
) -> BufferParts<'a, T> {
    let sides = sides.split_mut(&mut all[..sides.elements()]).into_iter();
    let filled = sides.zip(counts).map(|(all, &count)| &mut all[..count]);
    BufferParts(filled.collect())
}

impl<T: Copy + Default + Send + Sync + 'static> Snapshot for BufferParts<'_, T> {
    fn bytes(&self) -> usize {
        self.0.iter().map(|part| size_of_val(&**part)).sum()
    }

    fn copied(&self) -> SavedStage {
        let parts: Vec<&[T]> = self.0.iter().map(|part| &**part).collect();
        Box::new(par_concat(&parts))
    }

    fn restore(self: Box<Self>, saved: &SavedStage) {
        if let Some(saved) = saved.downcast_ref::<Vec<T>>() {
            par_copy_to_slices(saved, self.0);
        }
    }
}

impl<T: Clone + Send + Sync + 'static> Snapshot for Lists<'_, T> {
    /// Does not include the heap memory of objects.
    fn bytes(&self) -> usize {
        let lists = self.0.iter().map(|list| size_of_val(list.as_slice()));
        lists.sum()
    }

    fn copied(&self) -> SavedStage {
        Box::new(map(self.0.iter(), Vec::clone))
    }

    fn restore(self: Box<Self>, saved: &SavedStage) {
        if let Some(saved) = saved.downcast_ref::<Vec<Vec<T>>>() {
            *self.0 = map(saved, Vec::clone);
        }
    }
}
