//! One heartbeat frame of one sector.

use super::bad_pads::{BadPads, FrameName};
use super::cells::CellOrder;
use super::collisions::Collisions;
use super::grid::{Dealt, Grid};
use super::noise;
use super::particles::Particles;
use super::physics::THRESHOLD;
use super::plane::Plane;
use super::response::Response;
use super::truth::FrameTruth;
use crate::random::{Exponential, stream};
use crate::tpc::geometry::{ENDPOINTS, Region};
use crate::tpc::time::time_bins_of;
use crate::tpc::{Endpoint, ZsFormat};

/// Names the streams of noise.
const NOISE: u64 = 2;

/// What does not differ from frame to frame.
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

impl Simulation {
    /// An empty grid that is large enough for any region.
    pub(super) fn grid(&self) -> Grid {
        Grid::new(self.cells.largest_region(), self.cells.largest_half())
    }

    /// Visits each endpoint with its samples, in order. The grid must be empty.
    pub(super) fn frame(
        &self,
        sector: usize,
        frame: u32,
        grid: &mut Grid,
        visit: impl FnMut(Endpoint, &Dealt),
    ) {
        self.frame_with_truth(sector, frame, grid, None, visit);
    }

    /// The same, and takes down what crosses, if wanted.
    pub(super) fn frame_with_truth(
        &self,
        sector: usize,
        frame: u32,
        grid: &mut Grid,
        mut truth: Option<&mut FrameTruth<'_>>,
        mut visit: impl FnMut(Endpoint, &Dealt),
    ) {
        grid.begin(time_bins_of(frame));
        let particles = Particles::seen_in(sector, frame, self);
        for region in Region::all() {
            let cells = self.cells.region(region);
            Plane::new(self, region, cells, grid, truth.as_deref_mut()).add_all(&particles);
            let name = [NOISE, (sector * ENDPOINTS + region.number()) as u64, frame.into()];
            let mut stream = stream(self.seed, name);
            noise::add(grid, cells.len(), self.noise, THRESHOLD, &self.gaps, &mut stream);
            let name = FrameName { seed: self.seed, sector, number: frame };
            self.bad_pads.add(grid, region, cells, THRESHOLD, name);
            for endpoint in region.endpoints() {
                let (first, places) = cells.half(endpoint);
                visit(endpoint, grid.take(first, places, THRESHOLD, self.format));
            }
        }
    }
}
