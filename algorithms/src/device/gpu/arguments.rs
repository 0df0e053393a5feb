//! What kernels are given.

use bytemuck::Pod;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number or a pointer.
    Word {
        /// The value, in the lowest bytes.
        bits: u64,
        /// How many bytes the parameter has.
        bytes: usize,
    },
    /// A struct, by its bytes.
    Struct(Box<[u8]>),
}

impl Argument {
    /// Where the value begins, and how many bytes it has.
    pub(super) fn bytes(&self) -> (*const u8, usize) {
        match self {
            // Little endian: the lowest bytes are the first.
            Argument::Word { bits, bytes } => ((&raw const *bits).cast(), *bytes),
            Argument::Struct(bytes) => (bytes.as_ptr(), bytes.len()),
        }
    }

    /// A struct that a kernel takes by value.
    pub(crate) fn of_struct<T: Pod>(value: &T) -> Self {
        Argument::Struct(bytemuck::bytes_of(value).into())
    }
}

/// The arguments of a kernel.
pub trait Arguments {
    /// In the order of its parameters.
    fn values(&self) -> Vec<Argument>;
}

/// What can be an argument.
pub(crate) trait Passed {
    /// As the kernel gets it.
    fn argument(self) -> Argument;
}

impl Passed for u32 {
    fn argument(self) -> Argument {
        Argument::Word { bits: self.into(), bytes: size_of::<u32>() }
    }
}

impl Passed for f32 {
    fn argument(self) -> Argument {
        self.to_bits().argument()
    }
}
