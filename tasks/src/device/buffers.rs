//! Buffers of a variant during a run.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use generators_common::element::Poison;
use generators_common::partition::Partition;
use parallel::fill;
use portable_gpu::{DeviceBuffer, DeviceError, ManagedBuffer, MappedBuffer, PinnedBuffer};

use super::Arena;
use crate::device::CachedPerInput;

/// Buffers that a variant keeps between untimed moments. Dropped, they are available to other
/// variants again. `buffers!` implements this from the fields of a
/// struct.
pub trait Buffers: Send {
    /// Overwrites all memory that a run may write, so that a check can't see the right output of an
    /// earlier run. On a GPU this is started and not waited for.
    fn poison(&mut self) -> Result<(), DeviceError>;

    /// Bytes of device memory that the variant uses.
    fn bytes(&self) -> u64;
}

/// Declares a struct of buffers, each with its allocation, which may use the values after `;`; or
/// implements [`Buffers`] for a struct from the named fields, those that no run writes last; or for
/// an enum whose variants each hold one value.
#[macro_export]
#[doc(hidden)]
macro_rules! __buffers {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident($gpu:ident $(, $argument:ident: $type:ty)*) {
            $($(#[$doc:meta])* $field_vis:vis $field:ident: $buffer:ty = $make:expr,)*
            $(; $($(#[$value_doc:meta])* $value_vis:vis $value:ident: $kind:ty = $set:expr,)*)?
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$doc])* $field_vis $field: $buffer,)*
            $($($(#[$value_doc])* $value_vis $value: $kind,)*)?
        }

        $crate::device::buffers!($name: $($field),*);

        impl $name {
            $vis fn new(
                $gpu: &$crate::gpu::Gpu,
                $($argument: $type),*
            ) -> Result<Self, $crate::gpu::DeviceError> {
                $($(let $value: $kind = $set;)*)?
                Ok($name { $($field: $make,)* $($($value,)*)? })
            }
        }
    };
    (enum $holder:ident $(<$life:lifetime>)?: $($variant:ident),*) => {
        impl $crate::device::Buffers for $holder $(<$life>)? {
            fn poison(&mut self) -> Result<(), $crate::gpu::DeviceError> {
                match self {
                    $($holder::$variant(held) => $crate::device::Buffers::poison(held),)*
                }
            }

            fn bytes(&self) -> u64 {
                match self {
                    $($holder::$variant(held) => $crate::device::Buffers::bytes(held),)*
                }
            }
        }
    };
    ($holder:ty: $($field:ident),* $(; kept: $($kept:ident),*)?) => {
        impl $crate::device::Buffers for $holder {
            fn poison(&mut self) -> Result<(), $crate::gpu::DeviceError> {
                $($crate::device::Buffers::poison(&mut self.$field)?;)*
                Ok(())
            }

            fn bytes(&self) -> u64 {
                0 $(+ $crate::device::Buffers::bytes(&self.$field))*
                    $($(+ $crate::device::Buffers::bytes(&self.$kept))*)?
            }
        }
    };
}
pub use __buffers as buffers;

/// A vector on the host from the arena of an input.
pub struct ArenaVec<'a, T: Send + 'static> {
    vector: Vec<T>,
    arena: &'a Arena,
}

impl Arena {
    /// Takes a vector as [`Arena::take`] does; it returns to the arena when it is dropped.
    pub fn vector<T: Copy + Default + Send + Sync + 'static>(
        &self,
        length: usize,
    ) -> ArenaVec<'_, T> {
        ArenaVec { vector: self.take(length), arena: self }
    }
}

impl<T: Send + 'static> Drop for ArenaVec<'_, T> {
    fn drop(&mut self) {
        self.arena.give(std::mem::take(&mut self.vector));
    }
}

impl<T: Send + 'static> Deref for ArenaVec<'_, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.vector
    }
}

impl<T: Send + 'static> DerefMut for ArenaVec<'_, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.vector
    }
}

impl<T: Poison> Buffers for ArenaVec<'_, T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        fill(self, T::POISON);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        size_of_val(self.as_slice()) as u64
    }
}

impl<T: Pod + Send> Buffers for DeviceBuffer<T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.overwrite(portable_gpu::POISON)
    }

    fn bytes(&self) -> u64 {
        DeviceBuffer::bytes(self)
    }
}

macro_rules! page_locked {
    ($($buffer:ident),*) => {
        $(/// It is on the host, so it takes nothing of the device's memory.
        impl<T: Pod + Send> Buffers for $buffer<T> {
            fn poison(&mut self) -> Result<(), DeviceError> {
                fill(bytemuck::cast_slice_mut::<T, u8>(self), portable_gpu::POISON);
                Ok(())
            }

            fn bytes(&self) -> u64 {
                0
            }
        })*
    };
}
page_locked!(PinnedBuffer, MappedBuffer);

/// It occupies as much memory on the device.
impl<T: Pod + Send> Buffers for ManagedBuffer<T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        fill(bytemuck::cast_slice_mut::<T, u8>(self), portable_gpu::POISON);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.size()
    }
}

/// Not poisoned: no run writes it, and other variants use it next.
impl<T: Buffers + 'static> Buffers for CachedPerInput<'_, T> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        T::bytes(self)
    }
}

/// No buffers.
impl Buffers for () {
    fn poison(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

/// Segment boundaries that a run has found, on the host; poisoned, they are empty.
impl Buffers for Partition {
    fn poison(&mut self) -> Result<(), DeviceError> {
        *self = Partition::from_lengths([]);
        Ok(())
    }

    fn bytes(&self) -> u64 {
        0
    }
}

impl<B: Buffers> Buffers for Option<B> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.iter_mut().try_for_each(B::poison)
    }

    fn bytes(&self) -> u64 {
        self.iter().map(B::bytes).sum()
    }
}

impl<B: Buffers + ?Sized> Buffers for Box<B> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        (**self).poison()
    }

    fn bytes(&self) -> u64 {
        (**self).bytes()
    }
}

impl<B: Buffers> Buffers for Vec<B> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.iter_mut().try_for_each(B::poison)
    }

    fn bytes(&self) -> u64 {
        self.iter().map(B::bytes).sum()
    }
}

impl<B: Buffers, const N: usize> Buffers for [B; N] {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.iter_mut().try_for_each(B::poison)
    }

    fn bytes(&self) -> u64 {
        self.iter().map(B::bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use portable_gpu::emulator;

    use super::*;

    #[test]
    fn dropped_vectors_return_to_their_arena() {
        let arena = Arena::default();
        let mut vector = arena.vector::<u16>(100);
        let address = vector.as_ptr();
        vector.poison().expect("on the host");
        assert_eq!((vector.bytes(), &vector[..2]), (200, &[0xa5a5; 2][..]));
        drop(vector);
        assert_eq!(arena.vector::<u16>(80).as_ptr(), address);
    }

    #[test]
    fn all_fields_are_poisoned_and_counted() {
        let Some(gpu) = emulator::gpu_for_tests(Default::default()) else {
            return;
        };
        struct TestBuffers<'a> {
            host: ArenaVec<'a, u8>,
            device: [DeviceBuffer<u32>; 2],
            result: PinnedBuffer<u32>,
        }
        buffers!(TestBuffers<'_>: host, device, result);
        let arena = Arena::default();
        let mut buffers = TestBuffers {
            host: arena.vector(3),
            device: [(); 2].map(|()| gpu.buffer(10).expect("memory")),
            result: gpu.pinned(10).expect("memory"),
        };
        assert_eq!(buffers.bytes(), 3 + 2 * 40);
        buffers.poison().expect("memory");
        for buffer in &buffers.device {
            gpu.download(&mut buffers.result, buffer).expect("there");
            gpu.finish().expect("nothing wrong");
            assert_eq!(buffers.result[..], [u32::POISON; 10]);
        }
        assert_eq!(buffers.host[..], [u8::POISON; 3]);
    }
}
