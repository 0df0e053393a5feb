//! Quality of hits against the simulated truth.
//!
//! | file | holds |
//! |---|---|
//! | `crossings` | crossings of particles, as far as hits can reproduce them |
//! | `matching` | assignment of hits to crossings |
//! | `figures` | efficiency, ghosts, residuals and pulls |
//!
//! A hit belongs to the nearest crossing whose strips are within two of its own on either side, and
//! whose time is near. It is a *ghost* if there is none. A crossing is *found* if a hit belongs to
//! it. Only crossings that left digis on both sides count, because the reconstruction cannot find
//! what the detector did not see.

mod crossings;
mod figures;
mod matching;

pub use crossings::Crossings;
pub(super) use figures::FIGURES;
pub use figures::figures;
