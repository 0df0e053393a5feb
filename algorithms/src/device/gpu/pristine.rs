//! Inputs in page-locked memory that no run changes.
//!
//! All candidates on an input copy the same bytes to the device. So the page-locked copy of
//! them is made once, and goes from one to the next through the arena of the input.

use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;

use super::{DeviceError, Gpu, PinnedBuffer};
use crate::all_cores::copy;
use crate::device::Arena;

/// A part of an input, page-locked for a GPU. There is no way to write it.
pub(crate) struct Pristine<T> {
    /// Where the part lies, which nothing else does while the arena of its input is there.
    source: *const T,
    gpu: Arc<Gpu>,
    copy: PinnedBuffer<T>,
}

// SAFETY: the pointer is compared and never followed.
unsafe impl<T: Send> Send for Pristine<T> {}

impl<T: Pod + Send + Sync> Pristine<T> {
    /// A copy of a part of the input that the arena belongs to: one that was made before, or
    /// else a new one.
    ///
    /// # Errors
    /// If there is no room for another one.
    pub(crate) fn take(
        arena: &Arena,
        gpu: &Arc<Gpu>,
        input: &[T],
        part: Range<usize>,
    ) -> Result<Self, DeviceError> {
        let part = &input[part];
        let source = part.as_ptr();
        let fits = |other: &Self| {
            other.source == source && other.copy.len() == part.len() && Arc::ptr_eq(&other.gpu, gpu)
        };
        arena.take_other(fits, || {
            let mut pinned = gpu.pinned(part.len())?;
            copy(&mut pinned, part);
            Ok(Pristine {
                source,
                gpu: Arc::clone(gpu),
                copy: pinned,
            })
        })
    }

    /// Leaves the copy to the next candidate.
    pub(crate) fn give(self, arena: &Arena) {
        arena.give_other(self);
    }
}

impl<T: Pod> Deref for Pristine<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.copy
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulator::{self, Config};

    #[test]
    fn a_copy_goes_from_one_to_the_next_while_the_arena_has_it() {
        if let Some(reason) = emulator::unavailable() {
            eprintln!("skipped: {reason}");
            return;
        }
        let gpus = [(); 2].map(|()| Arc::new(Gpu::emulated(Config::default()).expect("one")));
        let (arena, input) = (Arena::default(), (0..1000).collect::<Vec<u32>>());
        let take = |gpu, part| Pristine::take(&arena, gpu, &input, part).expect("room");
        let first = take(&gpus[0], 10..500);
        assert_eq!(first[..], input[10..500]);
        let place = first.as_ptr();
        let meanwhile = take(&gpus[0], 10..500);
        assert_ne!(meanwhile.as_ptr(), place, "the other one is taken");
        first.give(&arena);
        for (gpu, part) in [(1, 10..500), (0, 10..499), (0, 11..501), (0, 0..0)] {
            let other = take(&gpus[gpu], part.clone());
            assert_ne!(other.as_ptr(), place);
            assert_eq!(other[..], input[part]);
        }
        let again = take(&gpus[0], 10..500);
        assert_eq!((again.as_ptr(), &again[..]), (place, &input[10..500]));
        again.give(&arena);
        arena.clear();
        assert_eq!(take(&gpus[0], 10..500)[..], input[10..500], "made anew");
    }
}
