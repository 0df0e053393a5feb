//! Arguments of a kernel.

use std::ffi::c_void;
use std::marker::PhantomData;

use bytemuck::NoUninit;

use super::memory::Allocation;

/// A value that a kernel takes, by its bytes.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    pub(super) value: *const c_void,
    pub(super) bytes: usize,
    of: PhantomData<&'a ()>,
}

impl<'a> Argument<'a> {
    /// A number, or a structure laid out as the kernel's.
    pub fn value<T: NoUninit>(value: &'a T) -> Self {
        Argument {
            value: (&raw const *value).cast(),
            bytes: size_of::<T>(),
            of: PhantomData,
        }
    }

    /// A pointer to device memory.
    pub fn pointer(allocation: &'a Allocation) -> Self {
        Self::value(&allocation.address)
    }
}
