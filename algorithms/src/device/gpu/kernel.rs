//! Kernels with typed arguments, as [`kernels`](crate::kernels) declares them:
//!
//! ```ignore
//! let arguments = BlockMergeSort { digis: digis.ptr(), scratch: scratch.ptr(), begins: begins.ptr() };
//! gpu.launch(&BLOCK_MERGE_SORT, Grid::blocks(segments), arguments)
//! ```

use std::marker::PhantomData;

use bytemuck::Pod;

use super::arguments::{Argument, Passed};
use super::{DeviceBuffer, Image, ManagedBuffer, MappedBuffer};

/// A kernel with the type of its arguments, and what a block of it has.
pub struct Kernel<A> {
    pub(super) image: &'static Image,
    pub(super) name: &'static str,
    pub(super) threads: u32,
    pub(super) shared_bytes: u32,
    arguments: PhantomData<fn(A)>,
}

impl<A> Kernel<A> {
    /// The kernel of that name, with blocks of so many threads, which have so many bytes of
    /// dynamic shared memory where a warp has 32 lanes.
    ///
    /// # Safety
    /// All of it must be as in its source.
    pub(crate) const unsafe fn new(
        image: &'static Image,
        name: &'static str,
        threads: u32,
        shared_bytes: u32,
    ) -> Self {
        Kernel { image, name, threads, shared_bytes, arguments: PhantomData }
    }

    /// Threads of a block.
    pub(crate) const fn threads(&self) -> u32 {
        self.threads
    }

    /// Blocks with a thread for each of so many items.
    pub(crate) fn thread_each(&self, items: usize) -> Grid {
        Grid::blocks(items.div_ceil(self.threads as usize) as u32)
    }
}

/// How much of a kernel is started.
#[derive(Clone, Copy, Debug)]
pub struct Grid {
    pub(crate) blocks: u32,
    pub(super) bytes: u64,
    pub(super) shared_bytes: u32,
}

impl Grid {
    /// So many blocks.
    pub(crate) fn blocks(blocks: u32) -> Self {
        Grid { blocks, bytes: 0, shared_bytes: 0 }
    }

    /// They read and write so many bytes of memory, each counted once: what is read again is in a
    /// cache. 0 where only the device knows. `tests/variants/traffic.rs` compares them with the
    /// bytes that the emulator counts.
    pub(crate) fn moving(self, bytes: u64) -> Self {
        Grid { bytes, ..self }
    }

    /// Each block has so many bytes of shared memory beyond what the kernel says.
    pub(crate) fn with_shared(self, shared_bytes: u32) -> Self {
        Grid { shared_bytes, ..self }
    }
}

/// Where kernels find elements.
pub struct Ptr<T> {
    address: u64,
    elements: PhantomData<fn(T)>,
}

impl<T> Clone for Ptr<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Ptr<T> {}

impl<T> Ptr<T> {
    /// No elements: null, which kernels look for that can do without.
    pub(crate) const NONE: Self = Ptr { address: 0, elements: PhantomData };

    /// At an address.
    pub(super) fn at(address: u64) -> Self {
        Ptr { address, elements: PhantomData }
    }

    /// The elements from one on.
    pub(crate) fn skipping(self, elements: usize) -> Self {
        Ptr { address: self.address + (elements * size_of::<T>()) as u64, ..self }
    }

    /// As elements of another type, which kernel and launcher have to agree on.
    pub(crate) fn cast<U>(self) -> Ptr<U> {
        Ptr { address: self.address, elements: PhantomData }
    }
}

impl<T> Passed for Ptr<T> {
    fn argument(self) -> Argument {
        Argument::Word { bits: self.address, bytes: size_of::<u64>() }
    }
}

/// Elements that kernels know as `K`.
///
/// # Safety
/// The fields must be of the same types, at the same offsets.
pub(crate) unsafe trait SameAs<K> {}

// SAFETY: nothing is more the same.
unsafe impl<T> SameAs<T> for T {}

/// So many bytes that kernels load and store at once: `uint4` and the like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<const BYTES: usize>;

// SAFETY: vectors have no fields of their own, but those of whatever they are loaded from.
unsafe impl<T: Pod, const BYTES: usize> SameAs<Vector<BYTES>> for T {}

/// `same_as!(Host { field, … } => kernels::Struct)`: a struct of the host has the fields of one that
/// kernels have, in the same order, of the same types and at the same offsets. Where a field has
/// another name in kernels, all are written as `field = kernel_field`.
macro_rules! same_as {
    ($host:ident { $($field:ident),+ } => $kernel:path) => {
        $crate::device::gpu::same_as!($host { $($field = $field),+ } => $kernel);
    };
    ($host:ident { $($field:ident = $kernel_field:ident),+ } => $kernel:path) => {
        const _: () = {
            assert!(size_of::<$host>() == size_of::<$kernel>());
            $(assert!(
                std::mem::offset_of!($host, $field) == std::mem::offset_of!($kernel, $kernel_field)
            );)+
            /// Compiles only if all fields of both are named, and each has the type of the other.
            const fn have_the_same_fields(host: &$host, kernel: &$kernel) {
                const fn have_the_same_type<T: $crate::device::gpu::SameAs<K>, K>(
                    _: *const T,
                    _: *const K,
                ) {
                }
                let $host { $($field: _),+ } = host;
                let $kernel { $($kernel_field: _),+ } = kernel;
                $(have_the_same_type(&raw const host.$field, &raw const kernel.$kernel_field);)+
            }
            let _ = have_the_same_fields;
        };
        // SAFETY: as was just checked.
        unsafe impl $crate::device::gpu::SameAs<$kernel> for $host {}
    };
}
pub(crate) use same_as;

impl<T: Pod> DeviceBuffer<T> {
    /// Where kernels find the elements.
    pub(crate) fn ptr<K>(&self) -> Ptr<K>
    where
        T: SameAs<K>,
    {
        Ptr { address: self.address(), elements: PhantomData }
    }
}

impl<T: Pod> MappedBuffer<T> {
    /// Where kernels find the elements, over the link.
    pub(crate) fn ptr<K>(&self) -> Ptr<K>
    where
        T: SameAs<K>,
    {
        Ptr { address: self.device_address(), elements: PhantomData }
    }
}

impl<T: Pod> ManagedBuffer<T> {
    /// Where kernels find the elements.
    pub(crate) fn ptr<K>(&self) -> Ptr<K>
    where
        T: SameAs<K>,
    {
        Ptr { address: self.address(), elements: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_the_sizes_of_their_types() {
        let word = Argument::Word { bits: 7, bytes: 4 };
        assert_eq!(7_u32.argument(), word);
        let pointer = Ptr::<u32> { address: 1 << 40, elements: PhantomData };
        let expected = Argument::Word { bits: 1 << 40, bytes: 8 };
        assert_eq!(pointer.cast::<u8>().argument(), expected);
    }
}
