//! Time frames of the TPC from a seed.
//!
//! | module | holds |
//! |---|---|
//! | `shape`, `preset` | what is to be made |
//! | `generator` | a time frame, sector by sector |
//! | `calibrate` | how many particles make an occupancy |
//! | `physics` | the constants, with their sources |
//! | `collisions` | when particles come, and how many |
//! | `track`, `looper`, `laser` | where they cross the pad rows |
//! | `columns`, `cells` | the time bins of a frame, and the order of pads |
//! | `response`, `deposit` | what a crossing leaves on pads and in time bins |
//! | `plane`, `deposits` | what all crossings leave on the pads of a region |
//! | `signal`, `found`, `samples` | the charge of one pad, and the samples of it |
//! | `noise` | samples without a particle |
//! | `truth` | what is known of the particles behind the digits |
//! | `particles`, `frame` | a heartbeat frame of a sector |
//! | `avx512` | whether the processor has instructions that some of these use |
//!
//! Each heartbeat frame of each sector is made by itself, from streams of random
//! numbers that belong to collisions, sectors and frames: the number of threads
//! can't change a byte, and memory holds one sector at a time.

mod avx512;
mod bad_pads;
mod calibrate;
mod cells;
mod collisions;
mod columns;
mod deposit;
mod deposits;
mod found;
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
mod track;
mod truth;

pub use generator::{Estimate, TimeFrameGenerator};
pub use preset::Preset;
pub use shape::{Beam, Load, TimeFrameShape};
pub use truth::{Mark, Marks, SectorTruth, TrueCluster};
