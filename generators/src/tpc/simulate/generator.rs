//! A time frame, sector by sector.

use rayon::prelude::*;

use super::bad_pads::BadPads;
use super::calibrate::{TRIED_FRAMES, rate_of};
use super::cells::CellOrder;
use super::collisions::{Collisions, Spread};
use super::frame::Simulation;
use super::grid::Grid;
use super::response::Response;
use super::truth::{FrameTruth, GainOfPad, Mark, TrueCluster};
use super::{Beam, Load, TimeFrameShape};
use crate::DataError;
use crate::random::Exponential;
use crate::tpc::encode::{FrameInfo, Sample, encode_frame};
use crate::tpc::geometry::{Cru, ENDPOINTS, Region};
use crate::tpc::page::{Page, TriggerEntry, TriggerKind, TriggerWord};
use crate::tpc::pages::{RawPages, SectorFrames, SectorPages};
use crate::tpc::time::{crossing_of, frame_of};
use crate::tpc::{Digit, Endpoint, Layout, LinkChannel, PadId, PadMapping};

/// Calibration must not know the seed of the data: the same shape has the same
/// rate for each of them.
const CALIBRATION_SEED: u64 = 0;

/// How much there will be, about: collisions are not all alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Digits in all sectors.
    pub digits: u64,
    /// Pages of all sectors.
    pub pages: u64,
}

/// Makes the sectors of a time frame, in any order and any number of times.
pub struct TimeFrameGenerator {
    shape: TimeFrameShape,
    mapping: PadMapping,
    simulation: Simulation,
}

impl TimeFrameGenerator {
    /// Prepares what sectors have in common. The same shape, mapping and seed give
    /// the same bytes for any number of threads on any machine.
    ///
    /// # Errors
    /// If the shape makes no sense; see [`TimeFrameShape::validate`].
    pub fn new(shape: &TimeFrameShape, mapping: &PadMapping, seed: u64) -> Result<Self, DataError> {
        shape.validate()?;
        let mut simulation = Simulation {
            format: shape.format,
            collisions: Collisions {
                beam: shape.beam,
                rate_hz: 0.0,
                spread: Spread::of(shape.load),
                seed: CALIBRATION_SEED,
            },
            noise: shape.noise,
            // They come on top of the load that was asked for.
            bad_pads: BadPads::default(),
            gain: shape.gain,
            cells: CellOrder::new(shape.format, mapping),
            gaps: Exponential::new(),
            response: Response::new(),
            seed: CALIBRATION_SEED,
        };
        simulation.collisions.rate_hz = match shape.load {
            Load::Rate(rate_hz) => rate_hz,
            Load::Occupancy(share) => rate_of(share, &mut simulation),
        };
        simulation.bad_pads = BadPads { noisy: shape.noisy_pads, hot: shape.hot_pads };
        simulation.seed = seed;
        simulation.collisions.seed = seed;
        Ok(TimeFrameGenerator { shape: shape.clone(), mapping: mapping.clone(), simulation })
    }

    /// What is made.
    pub fn shape(&self) -> &TimeFrameShape {
        &self.shape
    }

    /// About how much there will be, from a few heartbeat frames of one sector.
    pub fn estimate(&self) -> Estimate {
        let mut grid = self.simulation.grid();
        let (mut digits, mut pages) = (0, 0);
        for frame in TRIED_FRAMES {
            digits += self.digits_of_frame(0, frame, &mut grid, None).len() as u64;
            let endpoints = self.pages_of_frame(0, frame, &mut grid);
            pages += endpoints.iter().map(Vec::len).sum::<usize>() as u64;
        }
        let scale = |tried: u64| {
            let frames = u64::from(self.shape.orbits) * self.shape.sectors as u64;
            tried * frames / TRIED_FRAMES.len() as u64
        };
        // A stream has one page at least.
        Estimate {
            digits: scale(digits),
            pages: scale(pages) + (self.shape.sectors * ENDPOINTS) as u64,
        }
    }

    /// The pages of a sector; its heartbeat frames are made in parallel.
    pub fn sector(&self, sector: usize) -> SectorPages {
        let frames = (0..self.shape.orbits)
            .into_par_iter()
            .map_init(
                || self.simulation.grid(),
                |grid, frame| self.pages_of_frame(sector, frame, grid),
            )
            .collect();
        let frames = SectorFrames {
            format: self.shape.format,
            sector,
            first_orbit: self.shape.first_orbit,
            frames,
        };
        frames.assemble(self.shape.framing)
    }

    /// The pages with data of each endpoint.
    fn pages_of_frame(&self, sector: usize, frame: u32, grid: &mut Grid) -> Vec<Vec<Page>> {
        let mut pages = vec![Vec::new(); ENDPOINTS];
        self.simulation.frame(sector, frame, grid, |endpoint, samples| {
            if let Some(info) = self.frame_info(sector, endpoint, frame) {
                encode_frame(&info, samples.time_bins(), &mut pages[endpoint.number()]);
            }
        });
        pages
    }

    /// The pages of all sectors at once.
    pub fn time_frame(&self) -> RawPages {
        let sectors = (0..self.shape.sectors).map(|sector| self.sector(sector));
        RawPages::of_sectors(self.shape.first_orbit, sectors)
    }

    /// The digits of a sector, sorted: what its pages must decode to.
    pub fn digits(&self, sector: usize) -> Vec<Digit> {
        let mut digits: Vec<_> = (0..self.shape.orbits)
            .into_par_iter()
            .map_init(
                || self.simulation.grid(),
                |grid, frame| self.digits_of_frame(sector, frame, grid, None),
            )
            .flatten_iter()
            .collect();
        digits.par_sort_unstable();
        digits
    }

    /// The same digits, and the true clusters of the sector, by row and time.
    ///
    /// `gain` is by what the charge of a pad will be corrected. The digits are as they are, but
    /// true clusters are of corrected charges, so that they can be compared with what is found in
    /// such: 1 for no correction.
    pub fn digits_with_truth(
        &self,
        sector: usize,
        gain: impl Fn(PadId) -> f32 + Sync,
    ) -> (Vec<Digit>, Vec<TrueCluster>) {
        let frames = (0..self.shape.orbits).into_par_iter();
        let frames = frames.map_init(
            || self.simulation.grid(),
            |grid, frame| self.frame_with_truth(sector, frame, grid, &gain),
        );
        let (digits, clusters): (Vec<_>, Vec<_>) = frames.unzip();
        let (mut digits, mut clusters) = (digits.concat(), clusters.concat());
        digits.par_sort_unstable();
        // Equal ones stay in the order of frames and particles.
        clusters.par_sort_by(TrueCluster::order);
        (digits, clusters)
    }

    /// Which particles left charge where in a sector: by time, pad, and the order of particles. The
    /// simulation is run once more.
    pub fn marks(&self, sector: usize) -> Vec<Mark> {
        let frames = (0..self.shape.orbits).into_par_iter();
        let frames = frames.map_init(
            || self.simulation.grid(),
            |grid, frame| {
                let truth = FrameTruth::new(frame, self.shape.orbits, &|_| 1.0);
                let mut truth = truth.with_marks();
                self.digits_of_frame(sector, frame, grid, Some(&mut truth));
                truth.into_marks()
            },
        );
        let mut marks = frames.collect::<Vec<_>>().concat();
        // Those of a cell stay in the order of frames and particles.
        marks.par_sort_by(Mark::order);
        marks
    }

    fn frame_with_truth(
        &self,
        sector: usize,
        frame: u32,
        grid: &mut Grid,
        gain: GainOfPad<'_>,
    ) -> (Vec<Digit>, Vec<TrueCluster>) {
        let mut truth = FrameTruth::new(frame, self.shape.orbits, gain);
        let digits = self.digits_of_frame(sector, frame, grid, Some(&mut truth));
        (digits, truth.into_clusters())
    }

    fn digits_of_frame(
        &self,
        sector: usize,
        frame: u32,
        grid: &mut Grid,
        truth: Option<&mut FrameTruth<'_>>,
    ) -> Vec<Digit> {
        let mut digits = Vec::new();
        self.simulation.frame_with_truth(sector, frame, grid, truth, |endpoint, samples| {
            for bin in samples.time_bins() {
                let digit = |sample: &Sample| {
                    let pad = self.pad_of(endpoint.region(), sample.place());
                    Digit::new(sector as u8, pad, bin.number, sample.adc())
                };
                digits.extend(bin.samples.iter().map(digit));
            }
        });
        digits
    }

    fn pad_of(&self, region: Region, place: u16) -> PadId {
        match self.shape.format.layout() {
            Layout::Row => PadId::from_bits(place),
            Layout::Link | Layout::DenseLink => self.pad(region, place),
        }
    }

    fn pad(&self, region: Region, place: u16) -> PadId {
        let channel = LinkChannel::of_index(region, usize::from(place));
        self.mapping.pad(channel).unwrap_or_default()
    }

    fn frame_info(&self, sector: usize, endpoint: Endpoint, frame: u32) -> Option<FrameInfo> {
        Some(FrameInfo {
            format: self.shape.format,
            cru: Cru::of(sector, endpoint.region())?,
            endpoint,
            orbit: self.shape.first_orbit.wrapping_add(frame),
            triggers: self.triggers(frame),
        })
    }

    /// The shots of the laser in a heartbeat frame; collisions trigger nothing.
    fn triggers(&self, frame: u32) -> TriggerWord {
        let mut word = TriggerWord::default();
        if self.shape.beam == Beam::Laser {
            let collisions = &self.simulation.collisions;
            let seen = collisions.seen_in(frame, &self.simulation.gaps);
            let bins = seen.iter().filter(|shot| shot.time >= 0.0);
            let bins = bins.map(|shot| shot.time as u32);
            let shots = bins.filter(|bin| frame_of(*bin) == frame);
            for (entry, bin) in word.0.iter_mut().zip(shots) {
                *entry = TriggerEntry::new(crossing_of(bin), TriggerKind::Laser);
            }
        }
        word
    }
}
