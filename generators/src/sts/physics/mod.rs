//! Digis of particles: from collisions to what the detector delivers.
//!
//! | module | holds |
//! |---|---|
//! | `scenario`, `preset` | what is to be simulated |
//! | `detector` | where modules are |
//! | `readout` | how channels are set, and how noisy that makes them |
//! | `generator` | timeslices, one after the other |
//! | `constants` | the constants, with their sources |
//! | `collisions`, `source` | when particles come, and which |
//! | `particle`, `tracker`, `sensor` | their ways, through which sensors and strips |
//! | `response`, `strips` | the charges that they leave there |
//! | `noise` | pulses without a particle |
//! | `channels`, `module` | what is measured of all that |
//! | `arrange` | the order in which it arrives |
//! | `crossing` | the truth |
//!
//! Collisions are made one by one, then modules are read out one by one, each from
//! streams of random numbers of its own: the number of threads can't change a byte.

mod arrange;
mod channels;
mod collisions;
mod constants;
mod crossing;
mod detector;
mod generator;
mod module;
mod noise;
mod particle;
mod preset;
mod readout;
mod response;
mod scenario;
mod sensor;
mod source;
mod strips;
mod tracker;

pub use crossing::{Crossing, Truth};
pub use detector::Detector;
pub use generator::{Estimate, Simulated, Simulation};
pub use preset::Preset;
pub use readout::Readout;
pub use scenario::Scenario;
pub use source::{Gold, Source, Window};
