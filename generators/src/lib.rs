//! Detector data for recobench: types, generators, readers and writers.
//!
//! | module | content |
//! |---|---|
//! | [`sts`] | digis of CBM's Silicon Tracking System, and its setup |
//! | [`tpc`] | digits of ALICE's time projection chamber, and the raw pages that carry them |
//! | [`Array`] | an owned array, or one in shared memory |
//! | [`partition`] | many segments in one flat array |
//! | [`random`] | reproducible random streams |
//! | [`io`] | data sets as files: CSV and binary |
//!
//! All generated data are a function of a seed: the same bytes for any number of threads on any
//! machine.

mod array;
mod error;
pub mod io;
mod named;
pub mod partition;
pub mod random;
pub mod sts;
pub mod tpc;

pub use array::{Array, Lender};
pub use error::DataError;
