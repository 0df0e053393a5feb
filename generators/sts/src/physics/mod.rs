//! Digis of particles: from collisions to the output of the detector.
//!
//! | module | content |
//! |---|---|
//! | `scenario` | parameters, of channels too; published scenarios |
//! | `detector` | positions of modules |
//! | `generator` | timeslices, one after the other |
//! | `constants` | the constants, with their sources |
//! | `source` | times and kinds of particles |
//! | `tracker`, `sensor` | their trajectories through sensors and strips |
//! | `response` | the charges on strips |
//! | `noise` | pulses without a particle |
//! | `channels`, `module` | measurement of charges and times; order of arrival |
//! | `crossing` | the truth |
//!
//! Collisions are generated one by one, then modules are read out one by one, each from its own
//! streams of random numbers: the number of threads can't change a byte.

mod channels;
mod constants;
mod crossing;
mod detector;
mod generator;
mod module;
mod noise;
mod response;
mod scenario;
mod sensor;
mod source;
mod tracker;

pub use crossing::{Crossing, Truth};
pub use detector::Detector;
pub use generator::{Estimate, Simulated, Simulation};
pub use scenario::{Preset, Readout, Scenario};
pub use source::{Gold, Source, Window};
