//! What kernels are given.

/// The value of a parameter, in its lowest bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The value.
    pub bits: u64,
    /// How many bytes the parameter has.
    pub bytes: usize,
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
        Argument { bits: self.into(), bytes: size_of::<u32>() }
    }
}
