//! Raw data of ALICE's time projection chamber (TPC).
//!
//! | module | holds |
//! |---|---|
//! | [`geometry`] | sectors, rows, regions, endpoints |
//! | [`mapping`] | which pad a channel reads |
//! | [`time`] | bunch crossings, orbits and time bins |
//! | [`digit`] | what a pad delivers in a time bin |
//! | [`charges`] | the same, corrected, and how clusters are to be found in it |
//! | [`mod@format`] | the five versions of the zero-suppressed format |
//! | [`page`] | the headers of pages |
//! | [`encode`] | from digits to pages |
//! | [`pages`] | pages by stream: what is stored and decoded |
//! | [`simulate`] | time frames from a seed |
//! | [`slice_tracks`] | tracks of single sectors, to be merged |
//! | [`clusters`] | compressed clusters in pieces, to be gathered |
//!
//! `docs/tpc-pages.md` describes the formats.

pub mod charges;
pub mod clusters;
pub mod digit;
pub mod encode;
pub mod format;
pub mod geometry;
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
