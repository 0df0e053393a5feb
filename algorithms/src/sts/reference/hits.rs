//! Pairs of clusters as hits.

use generators::sts::Address;
use generators::sts::setup::{Cuts, Setup};

use crate::parallel::map;
use crate::sts::formulas::{Local, Sensor, Side, pair_time_error, time_cut};
use crate::sts::rules::Rules;
use crate::sts::{Cluster, Hit, Partitioned};

/// The hits of all modules, each module in [`Hit::order`].
pub fn hits<P: Rules>(clusters: &Partitioned<Cluster>, setup: &Setup) -> Partitioned<Hit> {
    each_module::<P>(clusters, setup, |hits| hits.sort_unstable_by_key(Hit::order))
}

/// Hits, each module in the order of the fronts' clusters, then of the backs' times.
pub fn hits_as_found<P: Rules>(clusters: &Partitioned<Cluster>, setup: &Setup) -> Partitioned<Hit> {
    each_module::<P>(clusters, setup, |_| ())
}

fn each_module<P: Rules>(
    clusters: &Partitioned<Cluster>,
    setup: &Setup,
    bring_in_order: impl Fn(&mut [Hit]) + Sync,
) -> Partitioned<Hit> {
    let modules = setup.modules();
    let module = |index: usize| {
        let fronts = clusters.segment(index);
        let backs = clusters.segment(modules.len() + index);
        let finder = Finder {
            sensor: Sensor::new(&modules[index]),
            cuts: setup.cuts(),
            latest_error: backs.iter().map(|back| back.time_error).fold(0.0, f32::max),
            address: Address::of_module(index).full(),
        };
        let mut hits = finder.hits::<P>(fronts, backs);
        bring_in_order(&mut hits);
        hits
    };
    Partitioned::of_modules(&map(0..modules.len(), module))
}

/// Data common to all hits of a module.
struct Finder<'a> {
    sensor: Sensor<f32>,
    cuts: &'a Cuts,
    latest_error: f32,
    address: u32,
}

impl Finder<'_> {
    fn hits<P: Rules>(&self, fronts: &[Cluster], backs: &[Cluster]) -> Vec<Hit> {
        let mut backs = backs.to_vec();
        backs.sort_by_key(|back| back.time);
        let mut hits = Vec::new();
        for front in fronts {
            // All that are near enough, and some that are not.
            let max = time_cut(self.cuts, front.time_error, self.latest_error, self.latest_error);
            let delay = |back: &Cluster| P::delay(front.time, back.time);
            let start = backs.partition_point(|back| delay(back) > max);
            let near = backs[start..].iter().take_while(|back| -delay(back) <= max);
            for back in near {
                self.pair::<P>(front, back, &mut hits);
            }
        }
        hits
    }

    /// The hits of a pair, one for each crossing of their strips.
    fn pair<P: Rules>(&self, front: &Cluster, back: &Cluster, hits: &mut Vec<Hit>) {
        let delay = P::delay(front.time, back.time).abs();
        let front_error = front.time_error;
        let back_error = back.time_error;
        if delay > time_cut(self.cuts, front_error, back_error, self.latest_error) {
            return;
        }
        let sensor = &self.sensor;
        let edges =
            sensor.edge(Side::Front, front.position).zip(sensor.edge(Side::Back, back.position));
        let Some((x_front, x_back)) = edges else {
            return;
        };
        for i in sensor.lines(Side::Front, x_front, P::widths) {
            for j in sensor.lines(Side::Back, x_back, P::widths) {
                let front_line = x_front - i as f32 * sensor.width;
                let back_line = x_back - j as f32 * sensor.width;
                let crossing = sensor.crossing(front_line, back_line);
                hits.extend(crossing.map(|local| self.hit::<P>(front, back, local)));
            }
        }
    }

    fn hit<P: Rules>(&self, front: &Cluster, back: &Cluster, local: Local<f32>) -> Hit {
        let sensor = &self.sensor;
        let [x, y, z] = sensor.global(local);
        let front_error = sensor.edge_error(front.position_error);
        let back_error = sensor.edge_error(back.position_error);
        let spread = sensor.spread(front_error, back_error);
        let ([dx, dy, dz], dxy) = P::spread(sensor, spread);
        Hit {
            x,
            y,
            z,
            time: P::hit_time(front.time, back.time),
            dx,
            dy,
            dz,
            dxy,
            time_error: pair_time_error(front.time_error, back.time_error),
            du: sensor.across(Side::Front, front_error),
            dv: sensor.across(Side::Back, back_error),
            address: self.address,
        }
    }
}
