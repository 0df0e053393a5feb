//! Kernels with typed arguments, as `include_kernels!` declares them:
//!
//! ```ignore
//! let arguments = BlockMergeSort { digis: digis.ptr(), scratch: scratch.ptr(), begins: begins.ptr() };
//! gpu.launch(&BLOCK_MERGE_SORT, LaunchConfig::blocks(segments), arguments)
//! ```

use std::marker::PhantomData;

use bytemuck::Pod;

use super::arguments::{Argument, KernelArg};
use super::{DeviceBuffer, Image, ManagedBuffer, MappedBuffer};

/// A kernel with the type of its arguments and the size of its blocks.
pub struct Kernel<A> {
    pub(super) image: &'static Image,
    pub(super) name: &'static str,
    pub(super) threads: u32,
    pub(super) shared_bytes: u32,
    arguments: PhantomData<fn(A)>,
}

impl<A> Kernel<A> {
    /// Declares the kernel of that name, with blocks of `threads` threads and, where a warp has 32
    /// lanes, `shared_bytes` bytes of dynamic shared memory.
    ///
    /// # Safety
    /// All values must agree with its source.
    pub const unsafe fn new(
        image: &'static Image,
        name: &'static str,
        threads: u32,
        shared_bytes: u32,
    ) -> Self {
        Kernel { image, name, threads, shared_bytes, arguments: PhantomData }
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        self.threads
    }

    /// A grid with a thread for each of `items` items.
    pub fn grid_for(&self, items: usize) -> LaunchConfig {
        LaunchConfig::blocks(items.div_ceil(self.threads as usize) as u32)
    }
}

/// Blocks of a launch, in up to three dimensions, with the memory that they use.
///
/// ```
/// use portable_gpu::LaunchConfig;
///
/// let line = LaunchConfig::blocks(100);
/// let tiles = LaunchConfig::grid(40, 30, 1).with_block(16, 16, 1);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    /// Number of blocks along x: all of them, unless it is a [grid](LaunchConfig::grid).
    pub blocks: u32,
    /// Number of blocks along y and z.
    pub(super) rows: [u32; 2],
    /// Threads of a block along x, y and z; `None` for those of the kernel along x.
    pub(super) block: Option<[u32; 3]>,
    pub(super) bytes: u64,
    pub(super) shared_bytes: u32,
}

impl LaunchConfig {
    /// `blocks` blocks in one dimension.
    pub fn blocks(blocks: u32) -> Self {
        Self::grid(blocks, 1, 1)
    }

    /// A grid of `x` · `y` · `z` blocks: kernels find their block's index in `blockIdx`, shaders in
    /// `invocation.group`.
    pub fn grid(x: u32, y: u32, z: u32) -> Self {
        LaunchConfig { blocks: x, rows: [y, z], block: None, bytes: 0, shared_bytes: 0 }
    }

    /// Blocks of `x` · `y` · `z` threads, at most as many as the kernel declares by
    /// `__launch_bounds__`. Shaders declare exactly these by `@workgroup_size`.
    pub fn with_block(self, x: u32, y: u32, z: u32) -> Self {
        LaunchConfig { block: Some([x, y, z]), ..self }
    }

    /// Declares the bytes of device memory that the kernel reads and writes, each counted once:
    /// repeated reads hit a cache. 0 if only the device knows. `tests/variants/traffic.rs` compares
    /// them with the bytes that the emulator counts.
    pub fn with_traffic(self, bytes: u64) -> Self {
        LaunchConfig { bytes, ..self }
    }

    /// Gives each block `shared_bytes` bytes of shared memory in addition to those that the kernel
    /// declares.
    pub fn with_shared(self, shared_bytes: u32) -> Self {
        LaunchConfig { shared_bytes, ..self }
    }

    /// True if it has no blocks.
    pub(super) fn is_empty(&self) -> bool {
        self.blocks == 0 || self.rows.contains(&0)
    }
}

/// A device pointer to elements of a type of the kernel.
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
    /// A null pointer, for kernels with optional arguments.
    pub const NONE: Self = Ptr { address: 0, elements: PhantomData };

    /// A pointer to an address.
    pub(super) fn at(address: u64) -> Self {
        Ptr { address, elements: PhantomData }
    }

    /// Pointer to the element `elements` further on.
    pub fn skipping(self, elements: usize) -> Self {
        Ptr { address: self.address + (elements * size_of::<T>()) as u64, ..self }
    }

    /// Casts to a pointer to another type, which kernel and launcher have to agree on.
    pub fn cast<U>(self) -> Ptr<U> {
        Ptr { address: self.address, elements: PhantomData }
    }
}

impl<T> KernelArg for Ptr<T> {
    fn argument(self) -> Argument {
        Argument::Word { bits: self.address, bytes: size_of::<u64>() }
    }
}

/// Types with the layout of the kernel's type `K`.
///
/// # Safety
/// The fields must be of the same types, at the same offsets.
pub unsafe trait LayoutCompatible<K> {}

// SAFETY: a type has its own layout.
unsafe impl<T> LayoutCompatible<T> for T {}

/// A type of `BYTES` bytes that kernels load and store at once: `uint4` and the like.
#[derive(Clone, Copy, Debug)]
pub struct Vector<const BYTES: usize>;

// SAFETY: vectors have no fields; kernels reinterpret the bytes that they load.
unsafe impl<T: Pod, const BYTES: usize> LayoutCompatible<Vector<BYTES>> for T {}

/// `same_as!(Host { field, … } => kernels::Struct)`: declares that a struct of the host has the
/// fields of a struct of kernels, in the same order, of the same types and at the same offsets. If
/// a field has another name in kernels, all are written as `field = kernel_field`; a field that wraps
/// the kernels' type transparently is written as `field as Type`.
#[macro_export]
macro_rules! same_as {
    ($host:ident { $($field:ident $(as $inner:ty)?),+ } => $kernel:path) => {
        $crate::same_as!($host { $($field = $field $(as $inner)?),+ } => $kernel);
    };
    (@pointer $field:expr) => { &raw const $field };
    (@pointer $field:expr, $inner:ty) => {
        $crate::launchers::bytemuck::TransparentWrapper::<$inner>::peel_ref(&$field)
    };
    ($host:ident { $($field:ident = $kernel_field:ident $(as $inner:ty)?),+ } => $kernel:path) => {
        const _: () = {
            assert!(size_of::<$host>() == size_of::<$kernel>());
            $(assert!(
                std::mem::offset_of!($host, $field) == std::mem::offset_of!($kernel, $kernel_field)
            );)+
            /// Compiles only if all fields of both are listed and have the same types.
            fn have_the_same_fields(host: &$host, kernel: &$kernel) {
                fn have_the_same_type<T: $crate::LayoutCompatible<K>, K>(
                    _: *const T,
                    _: *const K,
                ) {
                }
                let $host { $($field: _),+ } = host;
                let $kernel { $($kernel_field: _),+ } = kernel;
                $(have_the_same_type(
                    $crate::same_as!(@pointer host.$field $(, $inner)?),
                    &raw const kernel.$kernel_field,
                );)+
            }
            let _ = have_the_same_fields;
        };
        // SAFETY: types and offsets of all fields were just checked.
        unsafe impl $crate::LayoutCompatible<$kernel> for $host {}
    };
}

impl<T: Pod> DeviceBuffer<T> {
    /// Device pointer to the elements.
    pub fn ptr<K>(&self) -> Ptr<K>
    where
        T: LayoutCompatible<K>,
    {
        Ptr { address: self.address(), elements: PhantomData }
    }
}

impl<T: Pod> MappedBuffer<T> {
    /// Pointer to the elements for kernels, which access them over the link.
    pub fn ptr<K>(&self) -> Ptr<K>
    where
        T: LayoutCompatible<K>,
    {
        Ptr { address: self.device_address(), elements: PhantomData }
    }
}

impl<T: Pod> ManagedBuffer<T> {
    /// Pointer to the elements for kernels.
    pub fn ptr<K>(&self) -> Ptr<K>
    where
        T: LayoutCompatible<K>,
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
