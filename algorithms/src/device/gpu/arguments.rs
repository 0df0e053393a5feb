//! Arguments of kernels.

use bytemuck::Pod;

/// The value of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number or a pointer.
    Word {
        /// The value, in the lowest bytes.
        bits: u64,
        /// Size of the parameter in bytes.
        bytes: usize,
    },
    /// A struct, as its bytes.
    Struct(Box<[u8]>),
}

impl Argument {
    /// Address and size in bytes of the value.
    pub(super) fn bytes(&self) -> (*const u8, usize) {
        match self {
            // Little endian: the lowest bytes are the first.
            Argument::Word { bits, bytes } => ((&raw const *bits).cast(), *bytes),
            Argument::Struct(bytes) => (bytes.as_ptr(), bytes.len()),
        }
    }

    /// A struct that a kernel takes by value.
    pub(crate) fn from_struct<T: Pod>(value: &T) -> Self {
        Argument::Struct(bytemuck::bytes_of(value).into())
    }
}

/// The arguments of a kernel.
pub trait Arguments {
    /// Values in the order of the parameters.
    fn values(&self) -> Vec<Argument>;
}

/// Types of arguments.
pub(crate) trait KernelArg {
    /// Converts to the value that the kernel receives.
    fn argument(self) -> Argument;
}

impl KernelArg for u32 {
    fn argument(self) -> Argument {
        Argument::Word { bits: self.into(), bytes: size_of::<u32>() }
    }
}

impl KernelArg for f32 {
    fn argument(self) -> Argument {
        self.to_bits().argument()
    }
}
