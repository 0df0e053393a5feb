//! Timeslices, one after the other.

use generators_common::DataError;
use generators_common::partition::Partition;
use generators_common::random::stream;
use rayon::prelude::*;

use super::channels::Reading;
use super::crossing::{Crossing, Truth};
use super::module::{Electronics, ModuleReadout, arrange};
use super::response::Response;
use super::source::Tables;
use super::tracker::Tracker;
use super::{Scenario, source};
use crate::setup::Setup;
use crate::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};

/// Names of the streams of a timeslice.
const COLLISIONS: u64 = 0;
const PARTICLES: u64 = 1;
const DEPOSITS: u64 = 2;
const CHANNELS: u64 = 3;
const NOISE: u64 = 4;
const ORDER: u64 = 5;

/// Number of collisions whose crossings are collected together.
const BLOCK: usize = 16;

/// Collisions from which all others are estimated.
const TRIED: u32 = 64;
/// Digis of a crossing on both sides, at usual thresholds.
const DIGIS_PER_CROSSING: f64 = 6.0;

/// The digis of a timeslice, and their truth.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The digis of all module sides, in the scenario's order.
    pub digis: SegmentedDigis,
    /// Truth of the digis.
    pub truth: Truth,
}

/// Expected size of a timeslice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Estimate {
    /// Digis of all module sides.
    pub digis: u64,
    /// Memory for generating it.
    pub memory_bytes: u64,
}

/// Generator of the timeslices of a scenario, in any order and any number of times.
pub struct Simulation {
    scenario: Scenario,
    setup: Setup,
    tracker: Tracker,
    response: Response,
    tables: Tables,
    seed: u64,
}

impl Simulation {
    /// Prepares what timeslices have in common. Scenario and seed determine the bytes for any
    /// number of threads on any machine.
    ///
    /// # Errors
    /// If the scenario is invalid; see [`Scenario::validate`].
    pub fn new(scenario: &Scenario, seed: u64) -> Result<Self, DataError> {
        scenario.validate()?;
        let setup = scenario.detector.setup_with(scenario.readout.asic())?;
        Ok(Simulation {
            scenario: *scenario,
            tracker: Tracker::new(&setup),
            setup,
            response: Response::new(),
            tables: Tables::new(),
            seed,
        })
    }

    /// The simulated scenario.
    pub fn scenario(&self) -> &Scenario {
        &self.scenario
    }

    /// Setup of the detector, for reconstruction.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Estimates the size of a timeslice from a few collisions.
    pub fn estimate(&self) -> Estimate {
        let mut tried = Vec::new();
        (0..TRIED).for_each(|collision| self.collide(0, collision, 0.0, &mut tried));
        let collisions = f64::from(self.scenario.collisions());
        let crossings = tried.len() as f64 / f64::from(TRIED) * collisions;
        let channels = self.scenario.segments() as f64 * f64::from(CHANNELS_PER_SIDE);
        let seconds = self.scenario.timeslice_ns as f64 * 1e-9;
        let noise = self.scenario.readout.noise_hz() * channels * seconds;
        let digis = DIGIS_PER_CROSSING * crossings + noise;
        // Crossings exist twice, before and after they are dealt to modules. A quarter
        // more is read than there are digis in the end.
        let per_crossing = 2 * size_of::<Crossing>();
        let per_digi = size_of::<Reading>() * 5 / 4 + size_of::<Digi>() + size_of::<u32>();
        Estimate {
            digis: digis as u64,
            memory_bytes: (crossings * per_crossing as f64 + digis * per_digi as f64) as u64,
        }
    }

    /// The digis of a timeslice and their truth.
    pub fn timeslice(&self, number: u32) -> Simulated {
        let (crossings, partition) = self.crossings(number);
        let [fronts, backs] = self.readings(number, &crossings, &partition);
        let sides: Vec<_> = fronts.into_iter().chain(backs).collect();
        let (digis, sources) = flatten(&sides);
        Simulated { digis, truth: Truth::new(crossings, partition, sources) }
    }

    /// All crossings, module after module, by time within a module.
    fn crossings(&self, timeslice: u32) -> (Vec<Crossing>, Partition) {
        let mut stream = stream(self.seed, [COLLISIONS, timeslice.into()]);
        let Scenario { timeslice_ns, .. } = self.scenario;
        let collisions = self.scenario.collisions();
        let times = source::times(collisions, timeslice_ns, &self.tables.gaps, &mut stream);
        let of_block = |(block, times): (usize, &[f64])| {
            let mut crossings = Vec::new();
            for (collision, time) in (block * BLOCK..).zip(times) {
                self.collide(timeslice, collision as u32, *time, &mut crossings);
            }
            crossings
        };
        let blocks: Vec<_> = times.par_chunks(BLOCK).enumerate().map(of_block).collect();
        self.by_module(&blocks)
    }

    fn collide(&self, timeslice: u32, collision: u32, time: f64, crossings: &mut Vec<Crossing>) {
        let name = [PARTICLES, timeslice.into(), collision.into()];
        let mut stream = stream(self.seed, name);
        let source = &self.scenario.source;
        source.particles(&self.tables, &mut stream, |particle| {
            let keep = |crossing| crossings.push(crossing);
            self.tracker.follow(particle, collision, time, keep);
        });
    }

    fn by_module(&self, blocks: &[Vec<Crossing>]) -> (Vec<Crossing>, Partition) {
        let all = || blocks.iter().flatten();
        let mut counts = vec![0; self.setup.modules().len()];
        all().for_each(|crossing| counts[crossing.module as usize] += 1);
        let partition = Partition::from_lengths(counts);
        let mut next: Vec<_> = partition.ranges().map(|range| range.start).collect();
        let mut crossings = vec![Crossing::default(); partition.elements()];
        for crossing in all() {
            let index = &mut next[crossing.module as usize];
            crossings[*index] = *crossing;
            *index += 1;
        }
        partition
            .split_mut(&mut crossings)
            .into_par_iter()
            .for_each(|module| module.sort_by(|a, b| a.time_ns.total_cmp(&b.time_ns)));
        (crossings, partition)
    }

    /// The readings of the fronts and of the backs of all modules.
    fn readings(
        &self,
        timeslice: u32,
        crossings: &[Crossing],
        partition: &Partition,
    ) -> [Vec<Vec<Reading>>; 2] {
        let electronics = Electronics {
            asic: self.setup.asic(),
            pickup: self.scenario.readout.pickup,
            timeslice_ns: self.scenario.timeslice_ns,
            response: &self.response,
            normal: &self.tables.normal,
            gaps: &self.tables.gaps,
        };
        let of_module = |module: usize| {
            let range = partition.range(module);
            let mut readout = self.readout(&electronics, timeslice, module);
            readout.add(&crossings[range.clone()], range.start as u32);
            let mut sides = readout.finish();
            for (side, readings) in (0..).zip(&mut sides) {
                let mut stream = self.stream(ORDER, timeslice, module, side);
                arrange(readings, self.scenario.order, &mut stream);
            }
            sides.into()
        };
        let modules = 0..partition.segments();
        let (fronts, backs) = modules.into_par_iter().map(of_module).unzip();
        [fronts, backs]
    }

    fn readout<'a>(
        &'a self,
        electronics: &'a Electronics<'a>,
        timeslice: u32,
        module: usize,
    ) -> ModuleReadout<'a> {
        let stream = |purpose, side| self.stream(purpose, timeslice, module, side);
        let side = |side| [stream(CHANNELS, side), stream(NOISE, side)];
        let sensor = self.tracker.sensor(module);
        ModuleReadout::new(electronics, sensor, stream(DEPOSITS, 0), [side(0), side(1)])
    }

    fn stream(
        &self,
        purpose: u64,
        timeslice: u32,
        module: usize,
        side: u64,
    ) -> generators_common::random::Stream {
        stream(self.seed, [purpose, timeslice.into(), module as u64, side])
    }
}

/// Digis and sources of all module sides, one after the other.
fn flatten(sides: &[Vec<Reading>]) -> (SegmentedDigis, Vec<u32>) {
    let partition = Partition::from_lengths(sides.iter().map(Vec::len));
    let mut digis = vec![Digi::default(); partition.elements()];
    let mut sources = vec![0; partition.elements()];
    let targets = (partition.split_mut(&mut digis), partition.split_mut(&mut sources));
    targets.into_par_iter().zip(sides).enumerate().for_each(
        |(segment, ((digis, sources), readings))| {
            let ModuleSide { module, .. } = ModuleSide::of_segment(segment, sides.len());
            let address = Address::of_module(module);
            for ((digi, source), reading) in digis.iter_mut().zip(sources).zip(readings) {
                *digi = Digi::new(address, reading.channel(), reading.time_ns(), reading.adc());
                *source = reading.source;
            }
        },
    );
    (SegmentedDigis::new(digis, partition), sources)
}
