//! From crossings to charge on the pads of a region.

use std::ops::Range;

use super::cells::{PADDING, RegionCells};
use super::columns::Columns;
use super::deposit::{Deposit, PadDeposit};
use super::deposits::Deposits;
use super::laser::Ray;
use super::looper::Looper;
use super::particles::Particles;
use super::physics::{
    BINS_PER_MM, DIFFUSION_VARIANCE, DRIFT_LENGTH, DRIFT_TIME, FLASH_CHARGE, PAD_PLANES,
    PAD_VARIANCE, PadPlane, SHAPER_VARIANCE,
};
use super::response::{BELOW, BINS, Response};
use super::simulation::Simulation;
use super::track::{Crossing, Track};
use super::truth::FrameTruth;
use crate::random::mix;
use crate::tpc::geometry::{Region, pads_in_row};

/// The pads of a region, and the charge on them.
pub(super) struct Plane<'a, 't> {
    simulation: &'a Simulation,
    /// When charge must arrive to be seen.
    window: Range<f64>,
    plane: PadPlane,
    pads_per_mm: f64,
    region: Region,
    cells: &'a RegionCells,
    columns: &'a Columns,
    deposits: &'a mut Deposits,
    /// Recorder of crossings, if requested.
    truth: Option<&'a mut FrameTruth<'t>>,
}

impl<'a, 't> Plane<'a, 't> {
    pub(super) fn new(
        simulation: &'a Simulation,
        region: Region,
        cells: &'a RegionCells,
        columns: &'a Columns,
        deposits: &'a mut Deposits,
        truth: Option<&'a mut FrameTruth<'t>>,
    ) -> Self {
        let plane = PAD_PLANES[region.number()];
        Plane {
            simulation,
            window: columns.window(),
            plane,
            pads_per_mm: 1.0 / plane.pad_pitch,
            region,
            cells,
            columns,
            deposits,
            truth,
        }
    }

    pub(super) fn add_all(&mut self, particles: &Particles) {
        for track in &particles.tracks {
            self.add_track(track);
        }
        for looper in &particles.loopers {
            self.add_looper(looper);
        }
        for ray in &particles.rays {
            self.add_ray(ray);
        }
        for shot in &particles.shots {
            self.add_flash(*shot);
        }
    }

    fn add_track(&mut self, track: &Track) {
        for row in self.region.rows() {
            if let Some(crossing) = track.crossing(self.distance(row), &self.window) {
                self.add(row, &crossing);
            }
        }
    }

    fn add_looper(&mut self, looper: &Looper) {
        for row in self.rows_between(looper.distances()) {
            let distance = self.distance(row);
            let window = self.window.clone();
            looper.crossings(distance, &window, |crossing| self.add(row, crossing));
        }
    }

    fn add_ray(&mut self, ray: &Ray) {
        for row in self.region.rows() {
            self.add(row, &ray.crossing(self.distance(row)));
        }
    }

    /// Adds charge on all pads at once: light that hits the central electrode.
    fn add_flash(&mut self, shot: f64) {
        let Some((column, in_bin)) = self.columns.column(shot + DRIFT_TIME) else {
            return;
        };
        let in_time = Response::shape(in_bin, self.time_variance(DRIFT_LENGTH, 0.0));
        for &cell in self.cells.of_pads() {
            let column = column as u16;
            let charge = FLASH_CHARGE;
            self.deposits.push(PadDeposit { cell, column, charge, in_time });
        }
    }

    /// Adds the charge of a crossing to the pads around it.
    #[inline]
    fn add(&mut self, row: usize, crossing: &Crossing) {
        let Some(deposit) = self.deposit(row, crossing) else {
            return;
        };
        let row = row - self.region.rows().start;
        let cells = self.cells.of_row(row, deposit.shifted_pad + PADDING - BINS - BELOW);
        self.deposits.push_on_cells(&deposit, cells);
        if let Some(truth) = &mut self.truth {
            let in_time = self.simulation.response.shares(deposit.in_time);
            let first_bin = self.columns.time_bin(deposit.column);
            truth.add(&deposit, in_time, first_bin, crossing.particle);
        }
    }

    /// The deposit of a crossing, if any of it may reach a pad of the row in this frame.
    #[inline]
    fn deposit(&self, row: usize, crossing: &Crossing) -> Option<Deposit<'a>> {
        let (column, in_bin) = self.columns.column(crossing.arrival)?;
        let pads = pads_in_row(row);
        // Shifted, so that a crossing just outside the row has a valid index too.
        let position = crossing.y * self.pads_per_mm + 0.5 * (pads - 1) as f64 + BINS as f64;
        if !(0.0..(pads + 2 * BINS) as f64).contains(&position) {
            return None;
        }
        let shifted_pad = position as usize;
        let simulation = self.simulation;
        let variance = self.pad_variance(crossing);
        let on_pads = Response::shape(position - shifted_pad as f64, variance);
        let on_pads = simulation.response.shares(on_pads);
        let in_time = Response::shape(in_bin, self.time_variance(crossing.drift, crossing.dip));
        let charge = self.charge(row, crossing);
        Some(Deposit { row, pads, shifted_pad, charge, on_pads, column, in_time })
    }

    /// The charge of a crossing for each 65536th of it.
    #[inline]
    fn charge(&self, row: usize, crossing: &Crossing) -> f32 {
        let bits = mix(crossing.key ^ (row as u64) << 48);
        let scale = crossing.ionisation * self.simulation.gain / 65536.0;
        self.simulation.response.charge(bits) * scale as f32
    }

    #[inline]
    fn pad_variance(&self, crossing: &Crossing) -> f64 {
        let inverse = self.pads_per_mm;
        let inclined = crossing.slope * self.plane.row_pitch * inverse;
        let diffused = crossing.drift * DIFFUSION_VARIANCE * inverse * inverse;
        PAD_VARIANCE + diffused + inclined * inclined * (1.0 / 12.0)
    }

    #[inline]
    fn time_variance(&self, drift: f64, dip: f64) -> f64 {
        let inverse = BINS_PER_MM;
        let inclined = dip * self.plane.row_pitch * inverse;
        let diffused = drift * DIFFUSION_VARIANCE * inverse * inverse;
        SHAPER_VARIANCE + diffused + inclined * inclined * (1.0 / 12.0)
    }

    /// The distance of a row from the beam.
    #[inline]
    fn distance(&self, row: usize) -> f64 {
        let number = row - self.region.rows().start;
        self.plane.first_row + number as f64 * self.plane.row_pitch
    }

    /// The rows of the region between two distances from the beam.
    fn rows_between(&self, distances: Range<f64>) -> Range<usize> {
        let rows = self.region.rows();
        let number = |distance: f64| {
            let number = (distance - self.plane.first_row) / self.plane.row_pitch;
            libm::ceil(number).clamp(0.0, rows.len() as f64) as usize
        };
        rows.start + number(distances.start)..rows.start + number(distances.end)
    }
}
