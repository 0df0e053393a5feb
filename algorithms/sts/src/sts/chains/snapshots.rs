//! Outputs of stages in the buffers of a chain, saved for the next run without the gaps.

use std::any::Any;

use generators_common::partition::Partition;

use parallel::{map, par_concat, par_copy_to_slices};
use portable_gpu::DeviceError;

/// Output of a stage in a buffer, on the host or on a device, which can be saved and restored.
pub(in crate::sts) trait Snapshot {
    /// Bytes that a copy takes.
    fn bytes(&self) -> u64;
    /// A copy. On a GPU it is only started.
    fn copied(&self) -> Result<SavedBuffer, DeviceError>;
    /// Copies that back.
    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError>;
}

/// A copy of the output of a stage.
pub(in crate::sts) type SavedBuffer = Box<dyn Any + Send>;

/// A small value on the host, whose bytes do not count.
struct Value<'a, T>(&'a mut T);

/// Snapshot of a small value on the host.
pub(in crate::sts) fn value<T: Clone + Send + 'static>(value: &mut T) -> Box<dyn Snapshot + '_> {
    Box::new(Value(value))
}

impl<T: Clone + Send + 'static> Snapshot for Value<'_, T> {
    fn bytes(&self) -> u64 {
        0
    }

    fn copied(&self) -> Result<SavedBuffer, DeviceError> {
        Ok(Box::new(self.0.clone()))
    }

    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError> {
        if let Some(saved) = saved.downcast_ref::<T>() {
            self.0.clone_from(saved);
        }
        Ok(())
    }
}

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
    fn bytes(&self) -> u64 {
        self.0.iter().map(|part| size_of_val(&**part) as u64).sum()
    }

    fn copied(&self) -> Result<SavedBuffer, DeviceError> {
        let parts: Vec<&[T]> = self.0.iter().map(|part| &**part).collect();
        Ok(Box::new(par_concat(&parts)))
    }

    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError> {
        if let Some(saved) = saved.downcast_ref::<Vec<T>>() {
            par_copy_to_slices(saved, self.0);
        }
        Ok(())
    }
}

impl<T: Clone + Send + Sync + 'static> Snapshot for Lists<'_, T> {
    /// Does not include the heap memory of objects.
    fn bytes(&self) -> u64 {
        let lists = self.0.iter().map(|list| size_of_val(list.as_slice()) as u64);
        lists.sum()
    }

    fn copied(&self) -> Result<SavedBuffer, DeviceError> {
        Ok(Box::new(map(self.0.iter(), Vec::clone)))
    }

    fn restore(self: Box<Self>, saved: &SavedBuffer) -> Result<(), DeviceError> {
        if let Some(saved) = saved.downcast_ref::<Vec<Vec<T>>>() {
            *self.0 = map(saved, Vec::clone);
        }
        Ok(())
    }
}
