//! Code that the generators of all experiments share.
//!
//! | module | content |
//! |---|---|
//! | [`Array`] | an owned array, or one in shared memory |
//! | [`partition`] | many segments in one flat array |
//! | [`random`] | reproducible random streams |
//! | [`element`] | elements of arrays, as checks of algorithms change them |
//! | [`io`] | files: read piece by piece within limits, compressed or not, and written as a whole |
//! | [`DataError`] | what is wrong with data, or with a request for them |
//!
//! All generated data are a function of a seed: the same bytes for any number of threads on any
//! machine.

mod array;
pub mod element;
mod error;
pub mod io;
mod named;
pub mod partition;
pub mod random;

pub use array::{Array, Lender};
pub use error::DataError;
