//! How good hits are, where it is known what really happened.
//!
//! | file | holds |
//! |---|---|
//! | `crossings` | the particles that crossed, as far as hits can tell of them |
//! | `matching` | which hit is of which crossing |
//! | `figures` | efficiency, ghosts, residuals and pulls |
//!
//! A hit belongs to the nearest crossing whose strips are within two of its own on
//! either side, and whose time is near. It is a *ghost* if there is none. A crossing is
//! *found* if a hit belongs to it. Only those that left digis on both sides are asked
//! for: what the detector did not see is no fault of the reconstruction.

mod crossings;
mod figures;
mod matching;

pub use crossings::Crossings;
pub(super) use figures::FIGURES;
pub use figures::figures;
