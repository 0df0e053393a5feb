//! From crossings to charge on the pads of a region.

use std::ops::Range;

use generators_common::random::mix;

use super::Avx512;
use super::cells::{Columns, PADDING, RegionCells};
use super::deposit::{Deposit, PadDeposit};
use super::looper::Looper;
use super::particles::{Particles, Simulation};
use super::physics::{
    BINS_PER_MM, DIFFUSION_VARIANCE, DRIFT_LENGTH, DRIFT_TIME, FLASH_CHARGE, PAD_PLANES,
    PAD_VARIANCE, PadPlane, SHAPER_VARIANCE,
};
use super::response::{BELOW, BINS, Response};
use super::samples::Signal;
use super::track::{Crossing, Ray, Track};
use super::truth::FrameTruth;
use crate::geometry::{Region, pads_in_row};

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

/// The deposits of a region: listed as they are found, then sorted by cell, so that the charge of
/// one pad after the other is added up in the cache. (The order of the additions does not matter:
/// sums are the same, saturated ones too.)
pub(super) struct Deposits {
    /// Entries up to the capacity: the first `count` are valid.
    listed: Vec<PadDeposit>,
    count: usize,
    sorted: Vec<PadDeposit>,
    /// Index of the end of each cell's deposits.
    ends: Vec<u32>,
    avx512: Option<Avx512>,
}

impl Default for Deposits {
    fn default() -> Self {
        Deposits {
            listed: Vec::new(),
            count: 0,
            sorted: Vec::new(),
            ends: Vec::new(),
            avx512: Avx512::detect(),
        }
    }
}

impl Deposits {
    /// Removes all deposits; there are `cells` cells from now on.
    pub(super) fn clear(&mut self, cells: usize) {
        self.count = 0;
        self.ends.clear();
        self.ends.resize(cells, 0);
    }

    pub(super) fn push(&mut self, deposit: PadDeposit) {
        self.free()[0] = deposit;
        self.count += 1;
    }

    /// Adds the deposits of a crossing on the pads around it, which have these cells.
    #[inline]
    pub(super) fn push_on_cells(&mut self, deposit: &Deposit<'_>, cells: &[u16; BINS]) {
        let avx512 = self.avx512;
        let free = self.free();
        self.count += match avx512 {
            Some(avx512) => deposit.list_by_vectors(avx512, cells, free),
            None => deposit.list(cells, free),
        };
    }

    /// Free entries for the next deposits.
    #[inline]
    fn free(&mut self) -> &mut [PadDeposit; BINS] {
        let end = self.count + BINS;
        if self.listed.len() < end {
            self.listed.resize(2 * end, PadDeposit::default());
        }
        let (free, _) = self.listed[self.count..end].as_chunks_mut();
        &mut free[0]
    }

    /// Sorts them by cell: a counting sort.
    pub(super) fn sort(&mut self) {
        let listed = &self.listed[..self.count];
        for deposit in listed {
            self.ends[usize::from(deposit.cell)] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            let count = *end;
            *end = sum;
            sum += count;
        }
        self.sorted.resize(listed.len(), PadDeposit::default());
        for deposit in listed {
            let end = &mut self.ends[usize::from(deposit.cell)];
            self.sorted[*end as usize] = *deposit;
            *end += 1;
        }
    }

    /// Adds the charge of a cell to the signal of its pad. They must be sorted.
    #[inline]
    pub(super) fn add_to(&self, signal: &mut Signal, cell: usize, response: &Response) {
        for deposit in self.of_cell(cell) {
            let shares = response.shares(deposit.in_time);
            signal.add(deposit.column.into(), deposit.charge, shares);
        }
    }

    #[inline]
    fn of_cell(&self, cell: usize) -> &[PadDeposit] {
        let start = cell.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.sorted[start as usize..self.ends[cell] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deposits_come_by_cell_in_their_order() {
        let deposit = |cell, charge| PadDeposit { cell, charge, ..PadDeposit::default() };
        let mut deposits = Deposits::default();
        for _ in 0..2 {
            deposits.clear(4);
            for (cell, charge) in [(3, 1), (0, 2), (3, 3), (1, 4)] {
                deposits.push(deposit(cell, charge));
            }
            deposits.sort();
            assert_eq!(deposits.of_cell(0), [deposit(0, 2)]);
            assert_eq!(deposits.of_cell(1), [deposit(1, 4)]);
            assert_eq!(deposits.of_cell(2), []);
            assert_eq!(deposits.of_cell(3), [deposit(3, 1), deposit(3, 3)]);
        }
    }
}
