//! Detector data for recobench: what it looks like, how to make it, how to
//! read and write it.
//!
//! | module | holds |
//! |---|---|
//! | [`sts`] | digis of CBM's Silicon Tracking System, and its setup |
//! | [`tpc`] | digits of ALICE's time projection chamber, and the raw pages that carry them |
//! | [`Array`] | an array of its own, or in memory that others have, too |
//! | [`partition`] | many segments in one flat array |
//! | [`random`] | reproducible random streams |
//! | [`io`] | data sets as files: CSV and binary |
//!
//! Everything made here is a function of a seed: the same bytes for any number
//! of threads on any machine.

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
