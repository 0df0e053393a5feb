//! Time frames of the TPC from a seed.
//!
//! | module | content |
//! |---|---|
//! | `shape`, `preset` | parameters |
//! | `generator` | a time frame, sector by sector |
//! | `calibrate` | the rate of particles for an occupancy |
//! | `physics` | the constants, with their sources |
//! | `collisions` | times and sizes of collisions |
//! | `track`, `looper`, `laser` | crossings of particles with the pad rows |
//! | `columns`, `cells` | the time bins of a frame, and the order of pads |
//! | `response`, `deposit` | charge of a crossing on pads and in time bins |
//! | `plane`, `deposits` | charge of all crossings on the pads of a region |
//! | `signal`, `threshold`, `samples` | the charge of one pad, and its samples |
//! | `noise` | samples without a particle |
//! | `truth` | the particles of the digits |
//! | `simulation` | constants of all frames |
//! | `particles`, `frame` | a heartbeat frame of a sector |
//! | `avx512` | detection of the vector instructions that some of these use |
//!
//! Each heartbeat frame of each sector is generated independently, from streams of random numbers
//! that belong to collisions, sectors and frames: the number of threads can't change a byte, and
//! memory holds one sector at a time.

mod avx512;
mod bad_pads;
mod calibrate;
mod cells;
mod collisions;
mod columns;
mod deposit;
mod deposits;
mod frame;
mod generator;
mod laser;
mod looper;
mod noise;
mod particles;
mod physics;
mod plane;
mod preset;
mod response;
mod samples;
mod shape;
mod signal;
mod simulation;
mod threshold;
mod track;
mod truth;

pub use generator::{Estimate, TimeFrameGenerator};
pub use preset::Preset;
pub use shape::{Beam, Load, TimeFrameShape};
pub use truth::{Mark, Marks, SectorTruth, TrueCluster};
