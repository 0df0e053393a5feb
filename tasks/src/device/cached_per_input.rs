//! GPU data that all candidates on an input share and no run changes.
//!
//! All candidates on an input copy the same bytes to the device, and their kernels use the same
//! tables. So these are made once, and go from one candidate to the next through the arena of the
//! input.

use std::mem::ManuallyDrop;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;
use parallel::par_convert;
use portable_gpu::{DeviceError, FromHost, Gpu, PinnedBuffer};

use crate::device::{Arena, InputId};

/// A cached, immutable value that was made for a GPU from a part of an input. Dropped, it is
/// available to the next candidate.
pub struct CachedPerInput<'a, T: Send + 'static> {
    made: ManuallyDrop<CachedValue<T>>,
    arena: &'a Arena,
}

/// A value in the arena.
struct CachedValue<T> {
    key: CacheKey,
    gpu: Arc<Gpu>,
    thing: T,
}

/// Key of a cached value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct CacheKey {
    input: InputId,
    /// Role of the value among those that are made from this part of the input.
    role: &'static str,
    /// The part of the input: address of its first byte, and its length. The address identifies it
    /// as long as the input's id is valid.
    address: usize,
    bytes: usize,
}

/// A page-locked copy of a part of an input.
pub type PinnedInput<'a, T> = CachedPerInput<'a, PinnedBuffer<T>>;

impl<'a, T: Send + 'static> CachedPerInput<'a, T> {
    /// Returns the value that `make` makes from a part of the input that the arena belongs to: a
    /// cached one, or else a new one. Calls with the same part and the same `role` must make equal
    /// values.
    pub fn get_or_make<S: ?Sized>(
        role: &'static str,
        part: &S,
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        make: impl FnOnce(&Gpu) -> Result<T, DeviceError>,
    ) -> Result<Self, DeviceError> {
        let key = CacheKey {
            input: arena.input(),
            role,
            address: (&raw const *part).addr(),
            bytes: size_of_val(part),
        };
        let fits = |other: &CachedValue<T>| other.key == key && Arc::ptr_eq(&other.gpu, gpu);
        let made = arena
            .take_other(fits, || Ok(CachedValue { key, gpu: Arc::clone(gpu), thing: make(gpu)? }));
        Ok(CachedPerInput { made: ManuallyDrop::new(made?), arena })
    }
}

impl<T: Send + 'static> Drop for CachedPerInput<'_, T> {
    fn drop(&mut self) {
        // SAFETY: `self.made` is not used after this.
        let made = unsafe { ManuallyDrop::take(&mut self.made) };
        self.arena.give_other(made);
    }
}

impl<'a, T: Pod + Send + Sync> PinnedInput<'a, T> {
    /// Returns a page-locked copy of a part of the input that the arena belongs to.
    pub fn take(
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        input: &[T],
        part: Range<usize>,
    ) -> Result<Self, DeviceError> {
        Self::converted(arena, gpu, &input[part], |&element| element)
    }

    /// Returns a page-locked copy of a part of the input, with its elements converted to the
    /// kernel's type.
    pub fn converted<S: Sync>(
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        input: &[S],
        make: impl Fn(&S) -> T + Sync,
    ) -> Result<Self, DeviceError> {
        CachedPerInput::get_or_make("page-locked copy", input, arena, gpu, |gpu| {
            let mut pinned = gpu.pinned(input.len())?;
            par_convert(&mut pinned, input, make);
            Ok(pinned)
        })
    }
}

impl<'a, T: Pod + Send> From<&'a PinnedInput<'_, T>> for FromHost<'a, T> {
    fn from(buffer: &'a PinnedInput<'_, T>) -> Self {
        FromHost::from(&**buffer)
    }
}

impl<T: Send + 'static> Deref for CachedPerInput<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.made.thing
    }
}

#[cfg(test)]
mod tests {
    use portable_gpu::emulator::{self, Config};

    use super::*;

    /// Two GPUs, if this build has an emulator.
    fn gpus() -> Option<[Arc<Gpu>; 2]> {
        let gpu = || emulator::gpu_for_tests(Config::default());
        Some([gpu()?, gpu()?])
    }

    #[test]
    fn a_copy_is_reused_while_the_arena_exists() {
        let Some(gpus) = gpus() else { return };
        let arena = Arena::default();
        let input = (0..1000).collect::<Vec<u32>>();
        let take = |gpu, part| PinnedInput::take(&arena, gpu, &input, part).expect("memory");
        let first = take(&gpus[0], 10..500);
        assert_eq!(first[..], input[10..500]);
        let address = first.as_ptr();
        let meanwhile = take(&gpus[0], 10..500);
        assert_ne!(meanwhile.as_ptr(), address, "the other one is taken");
        drop(first);
        for (gpu, part) in [(1, 10..500), (0, 10..499), (0, 11..501), (0, 0..0)] {
            let other = take(&gpus[gpu], part.clone());
            assert_ne!(other.as_ptr(), address);
            assert_eq!(other[..], input[part]);
        }
        let again = take(&gpus[0], 10..500);
        assert_eq!((again.as_ptr(), &again[..]), (address, &input[10..500]));
        drop(again);
        arena.clear();
        assert_eq!(take(&gpus[0], 10..500)[..], input[10..500], "made anew");
    }

    #[test]
    fn a_value_of_another_source_or_type_is_not_reused() {
        let Some([gpu, _]) = gpus() else { return };
        let arena = Arena::default();
        let inputs = [1_u32, 2];
        let of = |input: &u32| {
            CachedPerInput::get_or_make("number", input, &arena, &gpu, |_| Ok(u64::from(*input)))
        };
        drop(of(&inputs[0]).expect("made"));
        assert_eq!(*of(&inputs[1]).expect("made"), 2);
        let text = CachedPerInput::get_or_make("number", &inputs[0], &arena, &gpu, |_| {
            Ok("one".to_owned())
        });
        assert_eq!(*text.expect("made"), "one");
        let known = CachedPerInput::get_or_make("number", &inputs[0], &arena, &gpu, |_| Ok(0_u64));
        assert_eq!(*known.expect("known"), 1);
        let other = CachedPerInput::get_or_make("twice", &inputs[0], &arena, &gpu, |_| Ok(2_u64));
        assert_eq!(*other.expect("made"), 2, "of the same type and part");
        let next = arena.for_another_input();
        let other = CachedPerInput::get_or_make("number", &inputs[0], &next, &gpu, |_| Ok(3_u64));
        assert_eq!(*other.expect("made"), 3, "another input that lies there now");
    }
}
