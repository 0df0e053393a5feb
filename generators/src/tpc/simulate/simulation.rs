//! Constants of all frames of a simulation.

use super::bad_pads::BadPads;
use super::cells::CellOrder;
use super::collisions::Collisions;
use super::response::Response;
use crate::random::Exponential;
use crate::tpc::ZsFormat;

/// Constants of all frames.
pub(super) struct Simulation {
    pub(super) format: ZsFormat,
    pub(super) collisions: Collisions,
    pub(super) noise: f64,
    pub(super) bad_pads: BadPads,
    pub(super) gain: f64,
    pub(super) cells: CellOrder,
    pub(super) gaps: Exponential,
    pub(super) response: Response,
    pub(super) seed: u64,
}
