//! Kernels with typed parameters.
//!
//! A kernel is declared once, beside its launcher:
//!
//! ```ignore
//! static SORT: Kernel<(Ptr<u64>, Ptr<u32>, u32)> = Kernel::new(&IMAGE, "sort");
//! ```
//!
//! and then takes `(&DeviceBuffer<u64>, &DeviceBuffer<u32>, u32)` and nothing else.

use std::marker::PhantomData;

use super::{DeviceBuffer, Image, MappedBuffer};

/// A kernel by name, with the types of its parameters.
pub struct Kernel<P> {
    pub(super) image: &'static Image,
    pub(super) name: &'static str,
    parameters: PhantomData<fn(P)>,
}

impl<P> Kernel<P> {
    /// The kernel of that name. `P` must be as in its source.
    pub const fn new(image: &'static Image, name: &'static str) -> Self {
        Kernel {
            image,
            name,
            parameters: PhantomData,
        }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

/// The value of a parameter, in its lowest bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The value.
    pub bits: u64,
    /// How many bytes the parameter has.
    pub bytes: usize,
}

/// The type of a parameter.
pub trait Parameter {
    /// What is given for it.
    type Given<'a>;
    /// What the kernel gets.
    fn argument(given: Self::Given<'_>) -> Argument;
}

/// A pointer to elements in device memory.
pub struct Ptr<T>(PhantomData<fn(T)>);

impl<T: 'static> Parameter for Ptr<T> {
    type Given<'a> = &'a DeviceBuffer<T>;

    fn argument(given: &DeviceBuffer<T>) -> Argument {
        Argument {
            bits: given.address(),
            bytes: size_of::<u64>(),
        }
    }
}

/// A pointer to elements in memory of the host, which kernels reach over the link.
pub struct HostPtr<T>(PhantomData<fn(T)>);

impl<T: 'static> Parameter for HostPtr<T> {
    type Given<'a> = &'a MappedBuffer<T>;

    fn argument(given: &MappedBuffer<T>) -> Argument {
        Argument {
            bits: given.device_address(),
            bytes: size_of::<u64>(),
        }
    }
}

impl Parameter for u32 {
    type Given<'a> = u32;

    fn argument(given: u32) -> Argument {
        Argument {
            bits: given.into(),
            bytes: size_of::<u32>(),
        }
    }
}

/// The types of all parameters.
pub trait Parameters {
    /// What is given for them.
    type Given<'a>;
    /// What the kernel gets.
    fn arguments(given: Self::Given<'_>) -> Vec<Argument>;
}

macro_rules! parameters {
    ($($name:ident)+) => {
        impl<$($name: Parameter),+> Parameters for ($($name,)+) {
            type Given<'a> = ($($name::Given<'a>,)+);

            #[allow(non_snake_case, reason = "a value is named after its type")]
            fn arguments(($($name,)+): Self::Given<'_>) -> Vec<Argument> {
                vec![$($name::argument($name)),+]
            }
        }
    };
}

parameters!(A);
parameters!(A B);
parameters!(A B C);
parameters!(A B C D);
parameters!(A B C D E);
parameters!(A B C D E F);
parameters!(A B C D E F G);
parameters!(A B C D E F G H);
parameters!(A B C D E F G H I);
parameters!(A B C D E F G H I J);
parameters!(A B C D E F G H I J K);
parameters!(A B C D E F G H I J K L);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_have_the_sizes_of_their_types() {
        let arguments = <(u32, u32)>::arguments((7, u32::MAX));
        let argument = |bits| Argument { bits, bytes: 4 };
        assert_eq!(arguments, [argument(7), argument(u64::from(u32::MAX))]);
    }
}
