//! Clusters and hits as the offline reconstruction finds them.

use generators_sts::setup::{Cuts, Setup};
use generators_sts::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};
use parallel::map;

use crate::sts::formulas::{
    BelowFirstStep, Local, Real, Sensor, Shapes, Side, digi_window, pair_time_error, time_cut,
};
use crate::sts::{OfflineCluster, OfflineHit, Partitioned};

/// The clusters of all module sides, each side in [`OfflineCluster::order`]. Digis are processed in
/// order of time; those of equal time in that of channel and charge.
pub fn clusters(digis: &SegmentedDigis, setup: &Setup) -> Partitioned<OfflineCluster> {
    sides(digis, setup, |clusters| clusters.sort_by_key(OfflineCluster::order))
}

/// Clusters, each side in the order in which they are closed.
pub fn clusters_as_found(digis: &SegmentedDigis, setup: &Setup) -> Partitioned<OfflineCluster> {
    sides(digis, setup, |_| ())
}

fn sides(
    digis: &SegmentedDigis,
    setup: &Setup,
    bring_in_order: impl Fn(&mut [OfflineCluster]) + Sync,
) -> Partitioned<OfflineCluster> {
    let sides = digis.partition().segments();
    let shapes = Shapes::<f64>::new(setup, BelowFirstStep::Interpolated);
    let side = |segment: usize| {
        let side = ModuleSide::of_segment(segment, sides);
        let mut finder = ClusterFinder {
            window: digi_window(setup),
            shapes: &shapes,
            side,
            active: vec![None; usize::from(CHANNELS_PER_SIDE)],
            clusters: Vec::new(),
        };
        let mut by_time = digis.segment(segment).to_vec();
        by_time.sort_by_key(|digi| (digi.time_ns(), digi.channel(), digi.adc()));
        finder.find(&by_time);
        let mut clusters = finder.clusters;
        bring_in_order(&mut clusters);
        clusters
    };
    Partitioned::of_sides(&map(0..sides, side))
}

/// At most one digi is active in each channel; active neighbours are a cluster.
struct ClusterFinder<'a> {
    window: f64,
    shapes: &'a Shapes<f64>,
    side: ModuleSide,
    active: Vec<Option<(u32, Digi)>>,
    clusters: Vec<OfflineCluster>,
}

impl ClusterFinder<'_> {
    fn find(&mut self, by_time: &[Digi]) {
        for (index, &digi) in by_time.iter().enumerate() {
            self.take(index as u32, digi);
        }
        for channel in 0..self.active.len() {
            self.close(channel);
        }
    }

    /// A second digi within the window of its channel is dropped. Any other one closes the clusters
    /// that are out of the window in its own channel and the two neighbouring ones.
    fn take(&mut self, index: u32, digi: Digi) {
        let channel = usize::from(digi.channel());
        if self.is_near(channel, digi) {
            return;
        }
        self.close(channel);
        let neighbours = [channel.checked_sub(1), Some(channel + 1)];
        for neighbour in neighbours.into_iter().flatten() {
            if !self.is_near(neighbour, digi) {
                self.close(neighbour);
            }
        }
        self.active[channel] = Some((index, digi));
    }

    /// True if the channel has a digi within the window.
    fn is_near(&self, channel: usize, digi: Digi) -> bool {
        let near =
            |other: Digi| f64::from(digi.time_ns()) - f64::from(other.time_ns()) <= self.window;
        self.digi(channel).is_some_and(|(_, other)| near(other))
    }

    fn digi(&self, channel: usize) -> Option<(u32, Digi)> {
        self.active.get(channel).copied().flatten()
    }

    /// Makes a cluster of the active digis around a channel, if it has one.
    fn close(&mut self, channel: usize) {
        if self.digi(channel).is_none() {
            return;
        }
        let is_active = |&channel: &usize| self.digi(channel).is_some();
        let first = (0..channel).rev().take_while(is_active).last();
        let first = first.unwrap_or(channel);
        let digis: Vec<_> = (first..).map_while(|channel| self.digi(channel)).collect();
        for active in &mut self.active[first..first + digis.len()] {
            *active = None;
        }
        self.clusters.push(self.cluster(&digis));
    }

    fn cluster(&self, digis: &[(u32, Digi)]) -> OfflineCluster {
        let adcs: Vec<_> = digis.iter().map(|(_, digi)| digi.adc()).collect();
        let times = digis.iter().map(|(_, digi)| f64::from(digi.time_ns()));
        let shape = self.shapes.shape(digis[0].1.channel(), &adcs);
        let offset = if self.side.back { CHANNELS_PER_SIDE } else { 0 };
        OfflineCluster {
            digis: digis.iter().map(|(index, _)| *index).collect(),
            charge: shape.charge,
            position: shape.position + f64::from(offset),
            position_error: shape.position_error,
            time: times.sum::<f64>() / digis.len() as f64,
            time_error: self.shapes.time_error(digis.len()),
            size: digis.len() as u32,
            address: Address::of_module(self.side.module).full(),
            ..OfflineCluster::default()
        }
    }
}

/// The hits of all modules, each module in [`OfflineHit::order`].
pub fn hits(clusters: &Partitioned<OfflineCluster>, setup: &Setup) -> Partitioned<OfflineHit> {
    each_module(clusters, setup, |hits| hits.sort_by_key(OfflineHit::order))
}

/// Hits, each module in the order of the fronts' clusters, then of the backs' times.
pub fn hits_as_found(
    clusters: &Partitioned<OfflineCluster>,
    setup: &Setup,
) -> Partitioned<OfflineHit> {
    each_module(clusters, setup, |_| ())
}

fn each_module(
    clusters: &Partitioned<OfflineCluster>,
    setup: &Setup,
    bring_in_order: impl Fn(&mut [OfflineHit]) + Sync,
) -> Partitioned<OfflineHit> {
    let modules = setup.modules();
    let module = |index: usize| {
        let fronts = clusters.segment(index);
        let backs = clusters.segment(modules.len() + index);
        let finder = HitFinder {
            sensor: Sensor::new(&modules[index]),
            cuts: setup.cuts(),
            latest_error: backs.iter().map(|back| back.time_error).fold(0.0, f64::max),
        };
        let mut hits = finder.hits(fronts, backs);
        bring_in_order(&mut hits);
        hits
    };
    Partitioned::of_modules(&map(0..modules.len(), module))
}

/// Data common to all hits of a module.
struct HitFinder<'a> {
    sensor: Sensor<f64>,
    cuts: &'a Cuts,
    latest_error: f64,
}

impl HitFinder<'_> {
    fn hits(&self, fronts: &[OfflineCluster], backs: &[OfflineCluster]) -> Vec<OfflineHit> {
        let mut by_time: Vec<_> = (0..backs.len() as u32).collect();
        by_time.sort_by(|&a, &b| backs[a as usize].time.total_cmp(&backs[b as usize].time));
        let back = |index: u32| &backs[index as usize];
        let mut hits = Vec::new();
        for (index, front) in fronts.iter().enumerate() {
            let error = front.time_error;
            let latest = self.latest_error;
            let max = time_cut(self.cuts, error, latest, latest);
            let delay = |&other: &u32| front.time - back(other).time;
            let start = by_time.partition_point(|other| delay(other) > max);
            let near = by_time[start..].iter().take_while(|other| -delay(other) <= max);
            for &other in near {
                let numbered = |hit| OfflineHit { front: index as u32, back: other, ..hit };
                hits.extend(self.pair(front, back(other)).into_iter().map(numbered));
            }
        }
        hits
    }

    /// The hits of a pair, one for each crossing of their strips.
    fn pair(&self, front: &OfflineCluster, back: &OfflineCluster) -> Vec<OfflineHit> {
        let cut = time_cut(self.cuts, front.time_error, back.time_error, self.latest_error);
        if (front.time - back.time).abs() > cut {
            return Vec::new();
        }
        let sensor = &self.sensor;
        let x_front = sensor.edge_anywhere(Side::Front, front.position);
        let x_back = sensor.edge_anywhere(Side::Back, back.position);
        let mut hits = Vec::new();
        for i in sensor.lines(Side::Front, x_front, Real::truncated) {
            for j in sensor.lines(Side::Back, x_back, Real::truncated) {
                let front_line = x_front - f64::from(i) * sensor.width;
                let back_line = x_back - f64::from(j) * sensor.width;
                let crossing = sensor.crossing(front_line, back_line);
                hits.extend(crossing.map(|local| self.hit(front, back, local)));
            }
        }
        hits
    }

    fn hit(&self, front: &OfflineCluster, back: &OfflineCluster, local: Local<f64>) -> OfflineHit {
        let sensor = &self.sensor;
        let [x, y, z] = sensor.global(local);
        let front_error = sensor.edge_error(front.position_error);
        let back_error = sensor.edge_error(back.position_error);
        let spread = sensor.spread(front_error, back_error);
        OfflineHit {
            x,
            y,
            z,
            dx: spread.xx.sqrt(),
            dy: spread.yy.sqrt(),
            dxy: spread.xy,
            time: 0.5 * (front.time + back.time),
            time_error: pair_time_error(front.time_error, back.time_error),
            du: sensor.across(Side::Front, front_error),
            dv: sensor.across(Side::Back, back_error),
            address: front.address,
            ..OfflineHit::default()
        }
    }
}
