//! What all candidates on an input have in common on a GPU, and no run changes.
//!
//! All candidates on an input copy the same bytes to the device, and their kernels look things
//! up in the same tables. So these are made once, and go from one candidate to the next
//! through the arena of the input.

use std::mem::ManuallyDrop;
use std::ops::{Deref, Range};
use std::sync::Arc;

use bytemuck::Pod;

use super::{DeviceError, FromHost, Gpu, PinnedBuffer};
use crate::all_cores::convert;
use crate::device::{Arena, InputId};

/// Something that was made for a GPU of something else. There is no way to change it.
/// Dropped, it is there for the next candidate.
pub(crate) struct Lent<'a, T: Send + 'static> {
    made: ManuallyDrop<Made<T>>,
    arena: &'a Arena,
}

/// What lies in the arena.
struct Made<T> {
    source: Source,
    gpu: Arc<Gpu>,
    thing: T,
}

/// Identity of a cached thing: two with equal sources are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Source {
    input: InputId,
    /// Which of the things that are made of this part of the input.
    role: &'static str,
    /// The part of the input: its first byte, and how many. An input lies where it is as long as it
    /// has its id.
    address: usize,
    bytes: usize,
}

/// A part of an input, page-locked for a GPU.
pub(crate) type Pristine<'a, T> = Lent<'a, PinnedBuffer<T>>;

impl<'a, T: Send + 'static> Lent<'a, T> {
    /// What `make` makes of a part of the input that the arena belongs to: it was made before,
    /// or else is now. All that is made of the same part in the same `role` is the same.
    ///
    /// # Errors
    /// Those of making it.
    pub(crate) fn of<S: ?Sized>(
        role: &'static str,
        source: &S,
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        make: impl FnOnce(&Gpu) -> Result<T, DeviceError>,
    ) -> Result<Self, DeviceError> {
        let source = Source {
            input: arena.input(),
            role,
            address: (&raw const *source).addr(),
            bytes: size_of_val(source),
        };
        let fits = |other: &Made<T>| other.source == source && Arc::ptr_eq(&other.gpu, gpu);
        let made =
            arena.take_other(fits, || Ok(Made { source, gpu: Arc::clone(gpu), thing: make(gpu)? }));
        Ok(Lent { made: ManuallyDrop::new(made?), arena })
    }
}

impl<T: Send + 'static> Drop for Lent<'_, T> {
    fn drop(&mut self) {
        // SAFETY: it is not used after this.
        let made = unsafe { ManuallyDrop::take(&mut self.made) };
        self.arena.give_other(made);
    }
}

impl<'a, T: Pod + Send + Sync> Pristine<'a, T> {
    /// A page-locked copy of a part of the input that the arena belongs to.
    ///
    /// # Errors
    /// If there is no room for another one.
    pub(crate) fn take(
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        input: &[T],
        part: Range<usize>,
    ) -> Result<Self, DeviceError> {
        Self::converted(arena, gpu, &input[part], |&element| element)
    }

    /// The same of elements that kernels know in another form.
    ///
    /// # Errors
    /// If there is no room for another one.
    pub(crate) fn converted<S: Sync>(
        arena: &'a Arena,
        gpu: &Arc<Gpu>,
        input: &[S],
        make: impl Fn(&S) -> T + Sync,
    ) -> Result<Self, DeviceError> {
        Lent::of("page-locked copy", input, arena, gpu, |gpu| {
            let mut pinned = gpu.pinned(input.len())?;
            convert(&mut pinned, input, make);
            Ok(pinned)
        })
    }
}

impl<'a, T: Pod + Send> From<&'a Pristine<'_, T>> for FromHost<'a, T> {
    fn from(buffer: &'a Pristine<'_, T>) -> Self {
        FromHost::from(&**buffer)
    }
}

impl<T: Send + 'static> Deref for Lent<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.made.thing
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::emulator::{self, Config};

    /// Two GPUs, if this build has an emulator.
    fn gpus() -> Option<[Arc<Gpu>; 2]> {
        let gpu = || emulator::gpu_for_tests(Config::default());
        Some([gpu()?, gpu()?])
    }

    #[test]
    fn a_copy_goes_from_one_to_the_next_while_the_arena_has_it() {
        let Some(gpus) = gpus() else { return };
        let (arena, input) = (Arena::default(), (0..1000).collect::<Vec<u32>>());
        let take = |gpu, part| Pristine::take(&arena, gpu, &input, part).expect("room");
        let first = take(&gpus[0], 10..500);
        assert_eq!(first[..], input[10..500]);
        let place = first.as_ptr();
        let meanwhile = take(&gpus[0], 10..500);
        assert_ne!(meanwhile.as_ptr(), place, "the other one is taken");
        drop(first);
        for (gpu, part) in [(1, 10..500), (0, 10..499), (0, 11..501), (0, 0..0)] {
            let other = take(&gpus[gpu], part.clone());
            assert_ne!(other.as_ptr(), place);
            assert_eq!(other[..], input[part]);
        }
        let again = take(&gpus[0], 10..500);
        assert_eq!((again.as_ptr(), &again[..]), (place, &input[10..500]));
        drop(again);
        arena.clear();
        assert_eq!(take(&gpus[0], 10..500)[..], input[10..500], "made anew");
    }

    #[test]
    fn what_was_made_of_something_else_or_is_something_else_is_not_lent() {
        let Some([gpu, _]) = gpus() else { return };
        let (arena, inputs) = (Arena::default(), [1_u32, 2]);
        let of = |input: &u32| Lent::of("number", input, &arena, &gpu, |_| Ok(u64::from(*input)));
        drop(of(&inputs[0]).expect("made"));
        assert_eq!(*of(&inputs[1]).expect("made"), 2);
        let text = Lent::of("number", &inputs[0], &arena, &gpu, |_| Ok("one".to_owned()));
        assert_eq!(*text.expect("made"), "one");
        let known = Lent::of("number", &inputs[0], &arena, &gpu, |_| Ok(0_u64));
        assert_eq!(*known.expect("known"), 1);
        let other = Lent::of("twice", &inputs[0], &arena, &gpu, |_| Ok(2_u64));
        assert_eq!(*other.expect("made"), 2, "of the same type and part");
        let next = arena.for_another_input();
        let other = Lent::of("number", &inputs[0], &next, &gpu, |_| Ok(3_u64));
        assert_eq!(*other.expect("made"), 3, "another input that lies there now");
    }
}
