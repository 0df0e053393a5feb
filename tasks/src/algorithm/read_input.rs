//! An input that was read from files.

use crate::axis::Params;

/// An input that was read from files.
#[derive(Debug)]
pub struct ReadInput<T> {
    /// The input.
    pub input: T,
    /// Parameters that describe it.
    pub params: Params,
    /// Notes for users on how it was read.
    pub notes: Vec<String>,
}

impl<T> From<ReadInput<T>> for (T, Params) {
    fn from(read: ReadInput<T>) -> Self {
        (read.input, read.params)
    }
}
