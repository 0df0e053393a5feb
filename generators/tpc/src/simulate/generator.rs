//! A time frame, sector by sector, and the calibration of the rate of particles to an occupancy.

use generators_common::DataError;
use generators_common::random::Exponential;
use rayon::prelude::*;

use super::bad_pads::BadPads;
use super::cells::CellOrder;
use super::collisions::{Collisions, Spread};
use super::frame::Buffers;
use super::particles::Simulation;
use super::response::Response;
use super::samples::EndpointSamples;
use super::truth::{FrameTruth, Mark, Marks, SectorTruth, TrueCluster};
use super::{Beam, Load, TimeFrameShape};
use crate::encode::{FrameInfo, Sample, encode_frame};
use crate::geometry::{Cru, ENDPOINTS, PADS_IN_SECTOR, Region};
use crate::page::{Page, TriggerEntry, TriggerKind, TriggerWord};
use crate::pages::{RawPages, SectorFrames, SectorPages};
use crate::time::{crossing_of, frame_of, time_bins_of};
use crate::{Digit, Endpoint, Layout, LinkChannel, PadId, PadMapping};

/// Calibration does not use the seed of the data, so that a shape has the same rate for all seeds.
const CALIBRATION_SEED: u64 = 0;

/// Expected size of the data; collisions fluctuate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Digits in all sectors.
    pub digits: u64,
    /// Pages of all sectors.
    pub pages: u64,
}

/// Generates the sectors of a time frame, in any order and any number of times.
pub struct TimeFrameGenerator {
    shape: TimeFrameShape,
    mapping: PadMapping,
    simulation: Simulation,
}

impl TimeFrameGenerator {
    /// Prepares what sectors have in common. Shape, mapping and seed determine the bytes for any
    /// number of threads on any machine.
    ///
    /// # Errors
    /// If the shape is invalid; see [`TimeFrameShape::validate`].
    pub fn new(shape: &TimeFrameShape, mapping: &PadMapping, seed: u64) -> Result<Self, DataError> {
        shape.validate()?;
        let mut simulation = Simulation {
            format: shape.format,
            collisions: Collisions {
                beam: shape.beam,
                rate_hz: 0.0,
                spread: Spread::for_load(shape.load),
                seed: CALIBRATION_SEED,
            },
            noise: shape.noise,
            // Bad pads come on top of the requested load.
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

    /// Parameters of the time frame.
    pub fn shape(&self) -> &TimeFrameShape {
        &self.shape
    }

    /// About how much there will be, from a few heartbeat frames of one sector.
    pub fn estimate(&self) -> Estimate {
        let mut buffers = self.simulation.buffers();
        let mut digits = 0;
        let mut pages = 0;
        for frame in TRIED_FRAMES {
            let (of_endpoints, own) = self.pages_and_digits_of_frame(0, frame, &mut buffers, None);
            digits += own.len() as u64;
            pages += of_endpoints.iter().map(Vec::len).sum::<usize>() as u64;
        }
        let scale = |tried: u64| {
            let frames = u64::from(self.shape.orbits) * self.shape.sectors as u64;
            tried * frames / TRIED_FRAMES.len() as u64
        };
        // A stream has at least one page.
        Estimate {
            digits: scale(digits),
            pages: scale(pages) + (self.shape.sectors * ENDPOINTS) as u64,
        }
    }

    /// The pages of a sector; its heartbeat frames are generated in parallel.
    pub fn sector(&self, sector: usize) -> SectorPages {
        let frames = self.each_frame(|buffers, frame| {
            let mut pages = vec![Vec::new(); ENDPOINTS];
            self.simulation.frame(sector, frame, buffers, |endpoint, samples| {
                self.encode(sector, frame, endpoint, samples, &mut pages);
            });
            pages
        });
        self.assembled(sector, frames)
    }

    /// Returns the pages of a sector, their digits and, if requested, the particles of each charge:
    /// all of one simulation.
    pub fn sector_with_digits(
        &self,
        sector: usize,
        marks: Marks,
    ) -> (SectorPages, Vec<Digit>, Vec<Mark>) {
        let frames = self.each_frame(|buffers, frame| {
            let mut truth = FrameTruth::new(frame, self.shape.orbits, &|_| 1.0, marks);
            let noted = (marks == Marks::Wanted).then_some(&mut truth);
            let (pages, digits) = self.pages_and_digits_of_frame(sector, frame, buffers, noted);
            let (_, marks) = truth.into_clusters_and_marks();
            (pages, digits, marks)
        });
        let mut pages = Vec::new();
        let mut digits = Vec::new();
        let mut all_marks = Vec::new();
        for (own_pages, own_digits, own_marks) in frames {
            pages.push(own_pages);
            digits.extend(own_digits);
            all_marks.extend(own_marks);
        }
        digits.par_sort_unstable();
        (self.assembled(sector, pages), digits, sorted(all_marks))
    }

    /// Makes something of each heartbeat frame, many of them in parallel.
    fn each_frame<T: Send>(&self, make: impl Fn(&mut Buffers, u32) -> T + Send + Sync) -> Vec<T> {
        let frames = (0..self.shape.orbits).into_par_iter();
        frames.map_init(|| self.simulation.buffers(), make).collect()
    }

    fn assembled(&self, sector: usize, frames: Vec<Vec<Vec<Page>>>) -> SectorPages {
        let frames = SectorFrames {
            format: self.shape.format,
            sector,
            first_orbit: self.shape.first_orbit,
            frames,
        };
        frames.assemble(self.shape.framing)
    }

    /// Adds the pages that an endpoint has for its samples to those of each endpoint.
    fn encode(
        &self,
        sector: usize,
        frame: u32,
        endpoint: Endpoint,
        samples: &EndpointSamples,
        pages: &mut [Vec<Page>],
    ) {
        if let Some(info) = self.frame_info(sector, endpoint, frame) {
            encode_frame(&info, samples.time_bins(), &mut pages[endpoint.number()]);
        }
    }

    /// The pages with data of each endpoint, and their digits.
    fn pages_and_digits_of_frame(
        &self,
        sector: usize,
        frame: u32,
        buffers: &mut Buffers,
        truth: Option<&mut FrameTruth<'_>>,
    ) -> (Vec<Vec<Page>>, Vec<Digit>) {
        let mut pages = vec![Vec::new(); ENDPOINTS];
        let mut digits = Vec::new();
        self.simulation.frame_with_truth(sector, frame, buffers, truth, |endpoint, samples| {
            self.encode(sector, frame, endpoint, samples, &mut pages);
            self.list(sector, endpoint, samples, &mut digits);
        });
        (pages, digits)
    }

    /// Returns the pages of all sectors.
    pub fn time_frame(&self) -> RawPages {
        let sectors = (0..self.shape.sectors).map(|sector| self.sector(sector));
        RawPages::from_sectors(self.shape.first_orbit, sectors)
    }

    /// Returns the digits of a sector, sorted: the expected result of decoding its pages.
    pub fn digits(&self, sector: usize) -> Vec<Digit> {
        let frames =
            self.each_frame(|buffers, frame| self.digits_of_frame(sector, frame, buffers, None));
        let mut digits = frames.concat();
        digits.par_sort_unstable();
        digits
    }

    /// Returns the digits of a sector, its true clusters, by row and time, and, if requested, the
    /// particles of each charge: all of one simulation.
    ///
    /// `gain` is the factor by which the charge of a pad will be corrected, 1 for no correction.
    /// Digits are uncorrected, but true clusters are of corrected charges, so that they can be
    /// compared with reconstructed ones.
    pub fn digits_with_truth(
        &self,
        sector: usize,
        gain: impl Fn(PadId) -> f32 + Sync,
        marks: Marks,
    ) -> SectorTruth {
        let frames = self.each_frame(|buffers, frame| {
            let mut truth = FrameTruth::new(frame, self.shape.orbits, &gain, marks);
            let digits = self.digits_of_frame(sector, frame, buffers, Some(&mut truth));
            (digits, truth.into_clusters_and_marks())
        });
        let mut all = SectorTruth::default();
        for (digits, (clusters, marks)) in frames {
            all.digits.extend(digits);
            all.clusters.extend(clusters);
            all.marks.extend(marks);
        }
        all.digits.par_sort_unstable();
        // The sort is stable: equal ones stay in the order of frames and particles.
        all.clusters.par_sort_by(TrueCluster::order);
        SectorTruth { marks: sorted(all.marks), ..all }
    }

    fn digits_of_frame(
        &self,
        sector: usize,
        frame: u32,
        buffers: &mut Buffers,
        truth: Option<&mut FrameTruth<'_>>,
    ) -> Vec<Digit> {
        let mut digits = Vec::new();
        self.simulation.frame_with_truth(sector, frame, buffers, truth, |endpoint, samples| {
            self.list(sector, endpoint, samples, &mut digits);
        });
        digits
    }

    /// Adds the digits of an endpoint.
    fn list(
        &self,
        sector: usize,
        endpoint: Endpoint,
        samples: &EndpointSamples,
        to: &mut Vec<Digit>,
    ) {
        for bin in samples.time_bins() {
            let digit = |sample: &Sample| {
                let pad = self.pad_of(endpoint.region(), sample.index());
                Digit::new(sector as u8, pad, bin.number, sample.adc())
            };
            to.extend(bin.samples.iter().map(digit));
        }
    }

    fn pad_of(&self, region: Region, index: u16) -> PadId {
        match self.shape.format.layout() {
            Layout::Row => PadId::from_bits(index),
            Layout::Link | Layout::DenseLink => self.pad(region, index),
        }
    }

    fn pad(&self, region: Region, index: u16) -> PadId {
        let channel = LinkChannel::from_index(region, usize::from(index));
        self.mapping.pad(channel).unwrap_or_default()
    }

    fn frame_info(&self, sector: usize, endpoint: Endpoint, frame: u32) -> Option<FrameInfo> {
        Some(FrameInfo {
            format: self.shape.format,
            cru: Cru::for_region(sector, endpoint.region())?,
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

/// Sorts by time and pad; marks of a cell stay in the order of frames and particles.
fn sorted(mut marks: Vec<Mark>) -> Vec<Mark> {
    marks.par_sort_by(Mark::order);
    marks
}

/// Heartbeat frames that a load is tried on: neither the first one nor neighbours.
pub(super) const TRIED_FRAMES: [u32; 3] = [3, 7, 11];
/// Number of tried rates; each is about ten times closer.
const STEPS: usize = 3;
/// A rate that fills some pads, but not all.
const FIRST_RATE_HZ: f64 = 2e6;
/// Fewer crossings than these differ too much from frame to frame.
const MIN_EXPONENT: f64 = 0.05;
/// Keep a rate finite.
const MIN_MEASURED: f64 = 1e-6;
const NEARLY_FULL: f64 = 0.999;
/// Maximum factor by which a rate is raised in one step, because all pads may have been full.
const MAX_STEP: f64 = 10.0;

/// The rate of small collisions at which a share `occupancy` of pads and time bins has a sample.
///
/// Crossings at random positions fill a share `1 - exp(-rate x)`, as long as they overlap by chance
/// only: `x` is found by simulation. Where crossings are rare, more of them are simulated.
pub(super) fn rate_of(occupancy: f64, simulation: &mut Simulation) -> f64 {
    let wanted = exponent(occupancy) - exponent(simulation.noise);
    let tried = wanted.max(MIN_EXPONENT);
    let mut rate = FIRST_RATE_HZ;
    for _ in 0..STEPS {
        simulation.collisions.rate_hz = rate;
        let found = exponent(measure(simulation)) - exponent(simulation.noise);
        rate *= (tried / found.max(MIN_MEASURED)).min(MAX_STEP);
    }
    rate * (wanted / tried).max(0.0)
}

fn exponent(occupancy: f64) -> f64 {
    -libm::log1p(-occupancy.min(NEARLY_FULL))
}

/// The share of pads and time bins with a sample, in some frames of one sector.
fn measure(simulation: &Simulation) -> f64 {
    let mut buffers = simulation.buffers();
    let mut samples = 0;
    let mut cells = 0;
    for frame in TRIED_FRAMES {
        simulation
            .frame(0, frame, &mut buffers, |_, endpoint_samples| samples += endpoint_samples.len());
        cells += PADS_IN_SECTOR * time_bins_of(frame).len();
    }
    samples as f64 / cells as f64
}
