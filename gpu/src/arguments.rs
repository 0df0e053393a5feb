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
    /// A struct.
    Struct {
        /// The bytes of the struct.
        bytes: Box<[u8]>,
        /// Its fields, if some of them are pointers, for devices without pointers.
        fields: Vec<Argument>,
    },
}

impl Argument {
    /// Address and size in bytes of the value.
    pub(super) fn bytes(&self) -> (*const u8, usize) {
        match self {
            // Little endian: the lowest bytes are the first.
            Argument::Word { bits, bytes } => ((&raw const *bits).cast(), *bytes),
            Argument::Struct { bytes, .. } => (bytes.as_ptr(), bytes.len()),
        }
    }

    /// A struct without pointers that a kernel takes by value.
    pub fn from_struct<T: Pod>(value: &T) -> Self {
        Argument::Struct { bytes: bytemuck::bytes_of(value).into(), fields: Vec::new() }
    }

    /// A struct of `size` bytes that a kernel takes by value, given the offset of each field.
    pub fn from_fields(size: usize, fields: Vec<(usize, Argument)>) -> Self {
        let mut bytes = vec![0; size].into_boxed_slice();
        for (offset, field) in &fields {
            field.write_to(&mut bytes[*offset..]);
        }
        Argument::Struct { bytes, fields: fields.into_iter().map(|(_, field)| field).collect() }
    }

    fn write_to(&self, to: &mut [u8]) {
        match self {
            Argument::Word { bits, bytes } => {
                to[..*bytes].copy_from_slice(&bits.to_le_bytes()[..*bytes]);
            }
            Argument::Struct { bytes, .. } => to[..bytes.len()].copy_from_slice(bytes),
        }
    }
}

/// The arguments of a kernel.
pub trait Arguments {
    /// Values in the order of the parameters.
    fn values(&self) -> Vec<Argument>;
}

/// A struct can be all that a kernel takes.
impl<A: KernelArg + Copy> Arguments for A {
    fn values(&self) -> Vec<Argument> {
        vec![self.argument()]
    }
}

/// Types of arguments.
pub trait KernelArg {
    /// Converts to the value that the kernel receives.
    fn argument(self) -> Argument;
}

impl KernelArg for u32 {
    fn argument(self) -> Argument {
        Argument::Word { bits: self.into(), bytes: size_of::<u32>() }
    }
}

impl KernelArg for i32 {
    fn argument(self) -> Argument {
        self.cast_unsigned().argument()
    }
}

impl KernelArg for f32 {
    fn argument(self) -> Argument {
        self.to_bits().argument()
    }
}
