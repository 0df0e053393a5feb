//! Inputs that are arrays, and nothing else: numbered as they are added.
//!
//! On the host, too, each array is a copy in a buffer of its own, so whatever a plugin does to
//! it, the input stays as it is.

use std::borrow::Cow;
use std::ffi::c_void;

use bytemuck::{NoUninit, cast_slice};

use super::task::{Addresses, Array, Description, Read, Room, Shown, Upload, changed_at_byte};

/// The arrays that a plugin reads and those that it writes.
#[derive(Default)]
pub(crate) struct Layout<'a> {
    arrays: Vec<Array<'a>>,
    outputs: Vec<Room>,
}

impl<'a> Layout<'a> {
    /// Adds an array to be read; gives its number.
    pub(crate) fn array<T: NoUninit>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        content: impl Into<Cow<'a, [T]>>,
    ) -> usize {
        let content = match content.into() {
            Cow::Borrowed(content) => Cow::Borrowed(cast_slice(content)),
            Cow::Owned(content) => Cow::Owned(cast_slice(&content).to_vec()),
        };
        self.arrays.push(Array { name: name.into(), content, changed: Some(changed_at_byte) });
        self.arrays.len() - 1
    }

    /// Adds room for so many elements to be written; gives its number.
    pub(crate) fn output<T>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        elements: usize,
    ) -> usize {
        self.outputs.push(Room { name: name.into(), bytes: elements * size_of::<T>() });
        self.outputs.len() - 1
    }

    /// The description. `shown` begins with the task's struct, and `point` has it point to the
    /// buffers; `read` reads the outputs by their numbers.
    pub(crate) fn describe<S: 'a, O>(
        self,
        shown: S,
        point: impl Fn(&mut S, &Addresses) + Send + 'a,
        read: Read<'a, O>,
    ) -> Description<'a, O> {
        let mut shown = Pointing { shown: Box::new(shown), point };
        shown.set(&Addresses::default());
        Description {
            shown: Box::new(shown),
            on_host: self.arrays.len(),
            arrays: self.arrays,
            outputs: self.outputs,
            upload: Upload::InRun,
            read,
        }
    }
}

/// A struct that points to buffers, and what has it do so.
struct Pointing<S, F> {
    shown: Box<S>,
    point: F,
}

// SAFETY: it points to buffers that go where it goes.
unsafe impl<S, F: Send> Send for Pointing<S, F> {}

impl<S, F: Fn(&mut S, &Addresses) + Send> Shown for Pointing<S, F> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const *self.shown).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        (self.point)(&mut self.shown, buffers);
    }
}
