//! Raw data of LHCb's vertex locator (VELO).
//!
//! | module | content |
//! |---|---|
//! | [`geometry`] | sensors: positions of columns and rows, transformations |
//! | [`mod@format`] | content and versions of banks |
//! | [`words`] | words of banks: super-pixels and clusters of the FPGA |
//! | [`pixel`] | a pixel of the detector, and its identifier |
//! | [`events`] | events: the banks of each, and truth |
//! | [`truth`] | particles, and the pixels that they hit |
//! | [`simulate`] | events from a seed |
//! | [`io`] | files: MDF, cases |
//!
//! `docs/velo.md` describes the formats.

pub mod events;
pub mod format;
pub mod geometry;
pub mod io;
pub mod pixel;
pub mod simulate;
pub mod truth;
pub mod words;

pub use events::{Bank, Event, Events};
pub use format::{BankFormat, BankKind};
pub use geometry::Geometry;
pub use pixel::Pixel;
pub use words::{ClusterWord, SuperPixel};
