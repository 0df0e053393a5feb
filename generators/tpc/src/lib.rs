//! Raw data of ALICE's time projection chamber (TPC).
//!
//! | module | content |
//! |---|---|
//! | [`geometry`] | sectors, rows, regions, endpoints |
//! | [`mapping`] | pads of channels |
//! | [`time`] | bunch crossings, orbits and time bins |
//! | [`digit`] | the sample of a pad in a time bin |
//! | [`charges`] | corrected samples, and the settings of the cluster finder |
//! | [`mod@format`] | the five versions of the zero-suppressed format |
//! | [`page`] | the headers of pages |
//! | [`encode`] | encoding of digits as pages |
//! | [`pages`] | pages by stream: the stored data and the input of decoders |
//! | [`simulate`] | time frames from a seed |
//! | [`slice_tracks`] | tracks of single sectors, to be merged |
//! | [`clusters`] | compressed clusters in pieces, to be gathered |
//!
//! `docs/tpc-pages.md` describes the formats.

pub mod charges;
pub mod clusters;
pub mod digit;
mod element;
pub mod encode;
pub mod format;
pub mod geometry;
pub mod io;
pub mod mapping;
pub mod page;
pub mod pages;
pub mod simulate;
pub mod slice_tracks;
pub mod time;

pub use digit::{Digit, PadId};
pub use format::{Layout, ZsFormat};
pub use geometry::{Cru, Endpoint, Region};
pub use mapping::{LinkChannel, MappingError, PadMapping};
