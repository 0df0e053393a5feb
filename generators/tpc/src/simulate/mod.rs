//! Time frames of the TPC from a seed.
//!
//! | module | content |
//! |---|---|
//! | `shape` | parameters |
//! | `generator` | a time frame, sector by sector, with the rate of particles for an occupancy |
//! | `physics` | the constants, with their sources |
//! | `collisions` | times and sizes of collisions |
//! | `track`, `looper` | crossings of particles with the pad rows |
//! | `cells` | the time bins of a frame, and the order of pads |
//! | `response`, `deposit` | charge of a crossing on pads and in time bins |
//! | `plane` | charge of all crossings on the pads of a region |
//! | `threshold`, `samples` | the charge of one pad, its samples, and those without a particle |
//! | `truth` | the particles of the digits |
//! | `particles`, `frame` | a heartbeat frame of a sector |
//!
//! Each heartbeat frame of each sector is generated independently, from streams of random numbers
//! that belong to collisions, sectors and frames: the number of threads can't change a byte, and
//! memory holds one sector at a time.

mod bad_pads;
mod cells;
mod collisions;
mod deposit;
mod frame;
mod generator;
mod looper;
mod particles;
mod physics;
mod plane;
mod response;
mod samples;
mod shape;
mod threshold;
mod track;
mod truth;

pub use generator::{Estimate, TimeFrameGenerator};
pub use shape::{Beam, Load, Preset, TimeFrameShape};
pub use truth::{Mark, Marks, SectorTruth, TrueCluster};

/// Witness that this CPU has AVX-512 with masks for bytes and for shorter vectors, and POPCNT: only
/// [`Avx512::detect`] creates one, so functions with such a parameter need no other check.
#[derive(Clone, Copy, Debug)]
struct Avx512(());

impl Avx512 {
    #[cfg(target_arch = "x86_64")]
    fn detect() -> Option<Self> {
        let is_there = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("popcnt");
        is_there.then_some(Avx512(()))
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn detect() -> Option<Self> {
        None
    }
}
