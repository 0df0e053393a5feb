//! Counts of clusters and hits by the simplest algorithm: an independent check of what
//! reconstruction finds in generated digis.
//!
//! Times are integers and nothing is rounded to single precision, so counts may differ from those
//! of a reconstruction by some in 100 000.

use generators::sts::setup::{Module, Setup};
use generators::sts::{CHANNELS_PER_SIDE, Digi, SegmentedDigis};
use rayon::prelude::*;

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
        position: f64::from(digis[members[0]].channel()) + position(&charges),
        time: times.sum::<f64>() / members.len() as f64,
        digis: members,
    }
}

/// The middle of charges, in channels from the first of them.
fn position(charges: &[f64]) -> f64 {
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
