//! The truth matches the digis.
//!
//! Counts of clusters and hits by the simplest algorithm: an independent check of what
//! reconstruction finds in generated digis.
//!
//! Times are integers and nothing is rounded to single precision, so counts may differ from those
//! of a reconstruction by some in 100 000.

use generators_sts::physics::{Crossing, Preset, Simulated, Simulation, Truth};
use generators_sts::setup::{Module, Setup};
use generators_sts::{CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};
use rayon::prelude::*;

fn simulate(preset: Preset, scale: f64) -> (Simulation, Simulated) {
    let scenario = preset.scenario().scaled(scale);
    let simulation = Simulation::new(&scenario, 1).expect("sensible");
    let timeslice = simulation.timeslice(0);
    (simulation, timeslice)
}

/// Position of a crossing on a side, in channels: by the geometry of strips, independent of the
/// simulation.
fn position(crossing: &Crossing, module: &Module, is_back: bool) -> f64 {
    let [dx, dy] = [
        f64::from(crossing.x) - module.translation[0],
        f64::from(crossing.y) - module.translation[1],
    ];
    // Flips and half turns only: each axis keeps its line.
    let x = dx * module.rotation[0];
    let y = dy * module.rotation[4];
    let width = 1024.0 * module.pitch;
    let stereo = if is_back { module.stereo_back } else { module.stereo_front };
    let below_top = 0.5 * module.height - y;
    let top = x + 0.5 * width - below_top * stereo.to_radians().tan();
    top.rem_euclid(width) / module.pitch - 0.5
}

/// Distance of a channel from a position in channels, modulo the length of the side.
fn distance(channel: f64, position: f64) -> f64 {
    let distance = (channel - position).rem_euclid(1024.0);
    distance.min(1024.0 - distance)
}

#[test]
fn digis_are_near_the_crossings_that_they_come_from() {
    let (simulation, timeslice) = simulate(Preset::CbmAuAu, 0.02);
    let Simulated { digis, truth } = timeslice;
    let modules = simulation.setup().modules();
    let partition = digis.partition();
    let mut squares = 0.0;
    let mut furthest = 0.0_f64;
    for (segment, range) in partition.ranges().enumerate() {
        let side = ModuleSide::of_segment(segment, partition.segments());
        for index in range {
            let digi = digis.digis()[index];
            let crossing = truth.crossing_of(index).expect("no noise here");
            assert_eq!(crossing.module as usize, side.module);
            let late = f64::from(digi.time_ns()) + 0.5 - crossing.time_ns;
            assert!(late.abs() < 90.0, "{late} ns");
            squares += late * late;
            let position = position(crossing, &modules[side.module], side.back);
            furthest = furthest.max(distance(f64::from(digi.channel()), position));
        }
    }
    let resolution = (squares / digis.digis().len() as f64).sqrt();
    assert!((4.9..6.0).contains(&resolution), "{resolution} ns");
    // Slopes up to 2: half of 11 strips and their neighbours.
    assert!((3.0..10.0).contains(&furthest), "{furthest} channels");
}

#[test]
fn crossings_lie_on_their_modules_and_in_order() {
    let (simulation, timeslice) = simulate(Preset::CbmAuAu, 0.02);
    let truth = &timeslice.truth;
    for (index, range) in truth.partition().ranges().enumerate() {
        let module = &simulation.setup().modules()[index];
        let crossings = &truth.crossings()[range];
        assert!(crossings.is_sorted_by(|a, b| a.time_ns <= b.time_ns));
        for crossing in crossings {
            assert_eq!(crossing.module as usize, index);
            let [x, y, _] = module.translation;
            assert!((f64::from(crossing.x) - x).abs() <= 512.0 * module.pitch + 1e-5);
            assert!((f64::from(crossing.y) - y).abs() <= 0.5 * module.height + 1e-5);
        }
    }
}

#[test]
fn almost_every_crossing_is_seen_on_both_sides() {
    let (_, timeslice) = simulate(Preset::CbmAuAu, 0.02);
    let Simulated { digis, truth } = timeslice;
    let half = digis.partition().segments() / 2;
    let fronts = digis.partition().range(half).start;
    for sources in [&truth.sources()[..fronts], &truth.sources()[fronts..]] {
        let mut is_seen = vec![false; truth.crossings().len()];
        sources.iter().for_each(|source| is_seen[*source as usize] = true);
        let seen = is_seen.iter().filter(|is_seen| **is_seen).count();
        let share = seen as f64 / is_seen.len() as f64;
        assert!((0.97..1.0).contains(&share), "{share}");
    }
}

/// The middle of a cluster is where the particle went, to a third of a strip.
#[test]
fn clusters_are_where_particles_went() {
    let (simulation, timeslice) = simulate(Preset::Mcbm2024, 0.01);
    let Simulated { digis, truth } = timeslice;
    let setup = simulation.setup();
    let mut squares = 0.0;
    let mut count = 0;
    for (segment, range) in digis.partition().ranges().enumerate() {
        let side = ModuleSide::of_segment(segment, digis.partition().segments());
        let module = &setup.modules()[side.module];
        for cluster in clusters(digis.segment(segment), setup) {
            let sources = cluster.digis.iter().map(|digi| truth.sources()[range.start + digi]);
            let sources: Vec<_> = sources.collect();
            let is_pure = sources.iter().all(|source| *source == sources[0]);
            if is_pure && sources[0] != Truth::NOISE {
                let crossing = &truth.crossings()[sources[0] as usize];
                let off = distance(cluster.position, position(crossing, module, side.back));
                squares += off.min(3.0) * off.min(3.0);
                count += 1;
            }
        }
    }
    let resolution = (squares / f64::from(count)).sqrt();
    assert!(count > 10_000, "{count}");
    assert!((0.15..0.4).contains(&resolution), "{resolution} strips");
}

#[test]
fn noise_has_no_crossing_and_is_most_of_mcbm() {
    let (_, timeslice) = simulate(Preset::Mcbm2024, 0.01);
    let Simulated { digis, truth } = timeslice;
    let is_noise = |(index, _): &(usize, &Digi)| truth.crossing_of(*index).is_none();
    let noise = digis.digis().iter().enumerate().filter(is_noise).count();
    let share = noise as f64 / digis.digis().len() as f64;
    assert!((0.88..0.93).contains(&share), "{share}");
}

/// Counts of a timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub digis: u64,
    pub clusters: u64,
    pub hits: u64,
}

impl std::ops::AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.digis += other.digis;
        self.clusters += other.clusters;
        self.hits += other.hits;
    }
}

/// A group of digis in neighbouring channels.
pub struct Cluster {
    /// In channels.
    pub position: f64,
    pub time: f64,
    /// Indices of its digis in the segment.
    pub digis: Vec<usize>,
}

pub fn count(digis: &SegmentedDigis, setup: &Setup) -> Counts {
    let of_module = |(number, module): (usize, &Module)| {
        let modules = setup.modules().len();
        let [front, back] = [number, modules + number].map(|s| clusters(digis.segment(s), setup));
        Counts {
            digis: 0,
            clusters: (front.len() + back.len()) as u64,
            hits: hits(&front, &back, module, setup),
        }
    };
    let modules = setup.modules().par_iter().enumerate();
    let counts: Vec<_> = modules.map(of_module).collect();
    let mut sum = Counts { digis: digis.digis().len() as u64, ..Counts::default() };
    counts.into_iter().for_each(|counts| sum += counts);
    sum
}

/// Links each digi to the earliest one of the next channel that is near in time; a cluster starts
/// at a digi that none links to. Sorted by time.
pub fn clusters(digis: &[Digi], setup: &Setup) -> Vec<Cluster> {
    let successors = successors(digis, setup);
    let mut is_head = vec![true; digis.len()];
    successors.iter().flatten().for_each(|index| is_head[*index] = false);
    let heads = (0..digis.len()).filter(|index| is_head[*index]);
    let chain = |head| std::iter::successors(Some(head), |index| successors[*index]);
    let mut clusters: Vec<_> =
        heads.map(|head| cluster(chain(head).collect(), digis, setup)).collect();
    clusters.sort_by(|a, b| a.time.total_cmp(&b.time));
    clusters
}

fn successors(digis: &[Digi], setup: &Setup) -> Vec<Option<usize>> {
    let resolution = setup.asic().time_resolution;
    let window = setup.cuts().time_cut_digi_sig * 2.0_f64.sqrt() * resolution;
    let mut channels = vec![Vec::new(); usize::from(CHANNELS_PER_SIDE)];
    for (index, digi) in digis.iter().enumerate() {
        channels[usize::from(digi.channel())].push((f64::from(digi.time_ns()), index));
    }
    for channel in &mut channels {
        channel.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    let next = |digi: &Digi| {
        let time = f64::from(digi.time_ns());
        let channel = channels.get(usize::from(digi.channel()) + 1)?;
        let first = channel.partition_point(|(other, _)| *other < time - window);
        let (other, index) = *channel.get(first)?;
        (other <= time + window).then_some(index)
    };
    digis.iter().map(next).collect()
}

fn cluster(members: Vec<usize>, digis: &[Digi], setup: &Setup) -> Cluster {
    let charge = |index: &usize| setup.asic().charge(digis[*index].adc());
    let charges: Vec<_> = members.iter().map(charge).collect();
    let times = members.iter().map(|index| f64::from(digis[*index].time_ns()));
    Cluster {
        position: f64::from(digis[members[0]].channel()) + position_of_cluster(&charges),
        time: times.sum::<f64>() / members.len() as f64,
        digis: members,
    }
}

/// The middle of charges, in channels from the first of them.
fn position_of_cluster(charges: &[f64]) -> f64 {
    let end = charges.len() - 1;
    let first = charges[0];
    let last = charges[end];
    let middle = 0.5 * end as f64;
    match end {
        0 => 0.0,
        1 => middle + (last - first) / 3.0 / first.max(last),
        _ => {
            let inner = charges[1..end].iter().sum::<f64>() / (end - 1) as f64;
            let position = middle + 0.5 * (last - first) / inner;
            if (0.0..=end as f64).contains(&position) {
                return position;
            }
            let moments = (0..).zip(charges).map(|(i, charge)| f64::from(i) * charge);
            moments.sum::<f64>() / charges.iter().sum::<f64>()
        }
    }
}

fn hits(front: &[Cluster], back: &[Cluster], module: &Module, setup: &Setup) -> u64 {
    let resolution = setup.asic().time_resolution;
    let variance = |cluster: &Cluster| resolution * resolution / cluster.digis.len() as f64;
    let cut = setup.cuts().time_cut_cluster_sig;
    let furthest = cut * 2.0_f64.sqrt() * resolution;
    let mut first = 0;
    let mut hits = 0;
    for one in front {
        while first < back.len() && back[first].time < one.time - furthest {
            first += 1;
        }
        let near = |other: &&Cluster| other.time <= one.time + furthest;
        for other in back[first..].iter().take_while(near) {
            let apart = (other.time - one.time).abs();
            if apart <= cut * (variance(one) + variance(other)).sqrt() {
                hits += crossings(one.position, other.position, module);
            }
        }
    }
    hits
}

/// Number of crossings of two strips. Strips of the front are vertical; those of the back cross
/// them in one point at most for each time that they continue at the other edge.
fn crossings(front: f64, back: f64, module: &Module) -> u64 {
    assert_eq!(module.stereo_front, 0.0, "strips of the front are vertical");
    let width = f64::from(CHANNELS_PER_SIDE) * module.pitch;
    let tangent = module.stereo_back.to_radians().tan();
    let edge = |position: f64| (position + 0.5) * module.pitch;
    let turns = ((edge(back) + module.height * tangent) / width).floor() as i32;
    let is_inside = |turn: &i32| {
        let top = edge(back) - f64::from(*turn) * width;
        let y = module.height - (edge(front) - top) / tangent;
        (0.0..=module.height).contains(&y)
    };
    (0..=turns).filter(is_inside).count() as u64
}
