//! Raw data of LHCb's vertex locator (VELO).
//!
//! | module | content |
//! |---|---|
//! | [`geometry`] | sensors: positions of columns and rows, transformations |
//! | [`words`] | words of banks: super-pixels and clusters of the FPGA |
//! | [`pixel`] | a pixel of the detector, and its identifier |
//! | [`events`] | events: the banks of each, and truth |
//! | [`truth`] | particles, and the pixels that they hit |
//! | [`simulate`] | events from a seed |
//! | [`io`] | files: MDF, cases, geometry |
//!
//! `docs/velo.md` describes the formats.

pub mod events;
pub mod geometry;
pub mod io;
pub mod pixel;
pub mod simulate;
pub mod truth;
pub mod words;

pub use events::{Bank, BankFormat, BankKind, Event, Events};
pub use geometry::Geometry;
pub use pixel::Pixel;
pub use words::{ClusterWord, SuperPixel};
