//! What is known of the pages of a time frame before looking at them.

use generators::tpc::time::{BC_PER_ORBIT, BC_PER_TIME_BIN};
use generators::tpc::{Digit, ZsFormat};

/// What is known of the pages of a time frame before looking at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameBounds {
    /// The format of all pages.
    pub format: ZsFormat,
    /// The orbit at which the time frame begins.
    pub first_orbit: u32,
    /// The number of orbits; pages of later ones are damaged.
    pub orbits: u32,
}

impl FrameBounds {
    /// The most orbits that the time bins of a [`Digit`] can count.
    pub const MAX_ORBITS: u32 = (Digit::TIME_BINS as u64 * BC_PER_TIME_BIN / BC_PER_ORBIT) as u32;
}
