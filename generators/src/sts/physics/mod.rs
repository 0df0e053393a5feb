//! Digis of particles: from collisions to the output of the detector.
//!
//! | module | content |
//! |---|---|
//! | `scenario`, `preset` | parameters |
//! | `detector` | positions of modules |
//! | `readout` | settings of channels, and their noise |
//! | `generator` | timeslices, one after the other |
//! | `constants` | the constants, with their sources |
//! | `collisions`, `source` | times and kinds of particles |
//! | `particle`, `tracker`, `sensor` | their trajectories through sensors and strips |
//! | `response`, `strips` | the charges on strips |
//! | `noise` | pulses without a particle |
//! | `channels`, `module` | measurement of charges and times |
//! | `arrange` | order of arrival |
//! | `crossing` | the truth |
//!
//! Collisions are generated one by one, then modules are read out one by one, each from its own
//! streams of random numbers: the number of threads can't change a byte.

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
