//! Bounds of the pages of a time frame, known before they are read.

use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators::tpc::{Digit, ZsFormat};

/// Bounds of the pages of a time frame, known before they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBounds {
    /// The format of all pages.
    pub format: ZsFormat,
    /// First orbit of the time frame.
    pub first_orbit: u32,
    /// The number of orbits; pages of later ones are damaged.
    pub orbits: u32,
}

impl FrameBounds {
    /// Maximum number of orbits that the time bins of a [`Digit`] can represent.
    pub const MAX_ORBITS: u32 = (Digit::TIME_BINS as u64 * BC_PER_TIME_BIN / BC_PER_ORBIT) as u32;
}
