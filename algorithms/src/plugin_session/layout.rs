//! Inputs that consist of arrays only, indexed in the order in which they are added.
//!
//! On the host, too, each array is copied to a separate buffer, so that a plugin can't change the
//! input.

use std::borrow::Cow;
use std::ffi::c_void;

use bytemuck::{NoUninit, cast_slice};

use super::task::{
    AbiInput, Addresses, Array, Description, OutputSpec, Read, Upload, changed_at_byte,
};

/// Arrays that a plugin reads, and arrays that it writes.
#[derive(Default)]
pub(crate) struct Layout<'a> {
    arrays: Vec<Array<'a>>,
    outputs: Vec<OutputSpec>,
}

impl<'a> Layout<'a> {
    /// Adds an array to be read; returns its index.
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

    /// Adds an array of `length` elements to be written; returns its index.
    pub(crate) fn output<T>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        elements: usize,
    ) -> usize {
        self.outputs.push(OutputSpec { name: name.into(), bytes: elements * size_of::<T>() });
        self.outputs.len() - 1
    }

    /// Builds the description. `shown` is the initial value of the task's struct, and `point` sets
    /// its pointers to the buffers; `read` reads the outputs by index.
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

/// A struct with pointers to buffers, and the function that sets them.
struct Pointing<S, F> {
    shown: Box<S>,
    point: F,
}

// SAFETY: its pointers are to buffers that move between threads together with it.
unsafe impl<S, F: Send> Send for Pointing<S, F> {}

impl<S, F: Fn(&mut S, &Addresses) + Send> AbiInput for Pointing<S, F> {
    fn as_ptr(&self) -> *const c_void {
        (&raw const *self.shown).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        (self.point)(&mut self.shown, buffers);
    }
}
