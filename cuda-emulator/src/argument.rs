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
        Argument { value: (&raw const *value).cast(), bytes: size_of::<T>(), of: PhantomData }
    }

    /// The first bytes of a word, which is the value in little endian.
    pub fn first_bytes(word: &'a u64, bytes: usize) -> Self {
        Argument {
            value: (&raw const *word).cast(),
            bytes: bytes.min(size_of::<u64>()),
            of: PhantomData,
        }
    }

    /// A structure, by its bytes.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Argument { value: bytes.as_ptr().cast(), bytes: bytes.len(), of: PhantomData }
    }

    /// A pointer to device memory.
    pub fn pointer(allocation: &'a Allocation) -> Self {
        Self::value(&allocation.address)
    }
}
