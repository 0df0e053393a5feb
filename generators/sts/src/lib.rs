//! Digis of CBM's Silicon Tracking System.
//!
//! A module has two sides with 1024 channels each; a module side is a
//! *segment*. Segment `m` is the front of module `m`, segment `modules + m`
//! its back, so an odd number of segments leaves the last module without back.

mod digi;
mod element;
mod generate;
pub mod io;
mod jitter;
pub mod physics;
mod rates;
pub mod raw;
pub mod setup;
mod shape;

pub use digi::{Address, Digi, ModuleSide, SegmentedDigis};
pub use generate::generate;
pub use rates::Rates;
pub use shape::{DigiShape, Order, Skew};

/// Channels on one side of a module.
pub const CHANNELS_PER_SIDE: u16 = 1024;
/// Charges are 0 to 31 ADC units.
pub const MAX_ADC: u8 = 31;
/// Times have 31 bits: the latest, in ns.
pub const MAX_TIME_NS: u32 = (1 << 31) - 1;
/// Each of the 2^17 addresses is a module with two sides.
pub const MAX_SEGMENTS: usize = 2 << 17;
