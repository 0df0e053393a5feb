//! The right answers, slow and obvious: digis are linked, chains of them become clusters, and pairs
//! of clusters hits. `offline` has the answer of the offline reconstruction.

pub mod offline;

use std::ops::Range;

use generators_sts::setup::{Cuts, Setup};
use generators_sts::{Address, CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};
use parallel::map;

use super::data::digi_order;
use super::formulas::{BelowFirstStep, Local, Sensor, Shapes, Side, pair_time_error, time_cut};
use super::rules::{Rules, Successors, Window};
use super::{Cluster, Hit, Partitioned};

/// The clusters of all module sides, each side in [`Cluster::order`]. The digis may
/// come in any order.
pub fn clusters<P: Rules>(digis: &SegmentedDigis, setup: &Setup) -> Partitioned<Cluster> {
    sides::<P>(digis, setup, |clusters| clusters.sort_unstable_by_key(Cluster::order))
}

/// Clusters, each side in the order of the clusters' first digis: by channel, then time.
pub fn clusters_as_found<P: Rules>(digis: &SegmentedDigis, setup: &Setup) -> Partitioned<Cluster> {
    sides::<P>(digis, setup, |_| ())
}

fn sides<P: Rules>(
    digis: &SegmentedDigis,
    setup: &Setup,
    bring_in_order: impl Fn(&mut [Cluster]) + Sync,
) -> Partitioned<Cluster> {
    let sides = digis.partition().segments();
    let window = Window::new(setup);
    let shapes = Shapes::new(setup, BelowFirstStep::Flat);
    let side = |segment: usize| {
        let mut sorted = digis.segment(segment).to_vec();
        sorted.sort_by_key(digi_order);
        let back = ModuleSide::of_segment(segment, sides).back;
        let offset = if back { f32::from(CHANNELS_PER_SIDE) } else { 0.0 };
        let mut clusters = of_side::<P>(&sorted, offset, &window, &shapes);
        bring_in_order(&mut clusters);
        clusters
    };
    Partitioned::of_sides(&map(0..sides, side))
}

fn of_side<P: Rules>(
    digis: &[Digi],
    offset: f32,
    window: &Window,
    shapes: &Shapes<f32>,
) -> Vec<Cluster> {
    let successors = successors::<P>(digis, window);
    let mut is_first = vec![true; digis.len()];
    for &follower in successors.iter().flatten() {
        is_first[follower] = false;
    }
    let first = (0..digis.len()).filter(|&index| is_first[index]);
    let cluster = |first: usize| {
        let chain = std::iter::successors(Some(first), |&index| successors[index]);
        let chain: Vec<_> = chain.map(|index| digis[index]).collect();
        of_chain::<P>(&chain, offset, shapes)
    };
    first.map(cluster).collect()
}

fn of_chain<P: Rules>(chain: &[Digi], offset: f32, shapes: &Shapes<f32>) -> Cluster {
    let adcs: Vec<_> = chain.iter().map(|digi| digi.adc()).collect();
    let times: Vec<_> = chain.iter().map(|digi| digi.time_ns()).collect();
    let shape = shapes.shape(chain[0].channel(), &adcs);
    Cluster {
        charge: shape.charge,
        size: chain.len() as i32,
        position: shape.position + offset,
        position_error: shape.position_error,
        time: match *times {
            [time] => time,
            _ => P::cluster_time(&times),
        },
        time_error: shapes.time_error(chain.len()),
    }
}

/// For each digi of a side in order of channel and time, the index of its successor: a digi of the
/// next channel, the earliest that is within the window and, if successors are exclusive, that no
/// earlier digi of the channel has taken.
fn successors<P: Rules>(digis: &[Digi], window: &Window) -> Vec<Option<usize>> {
    let mut successors = vec![None; digis.len()];
    for channel in 0..CHANNELS_PER_SIDE {
        let next = range_of(digis, channel + 1);
        let mut free = next.start;
        for index in range_of(digis, channel) {
            let time = digis[index].time_ns();
            let too_early = |digi: &Digi| !P::not_before(window, time, digi.time_ns());
            let earliest = next.start + digis[next.clone()].partition_point(too_early);
            let follower = match P::SUCCESSORS {
                Successors::Shared => earliest,
                Successors::Exclusive => earliest.max(free),
            };
            if follower < next.end && P::not_after(window, time, digis[follower].time_ns()) {
                successors[index] = Some(follower);
                free = follower + 1;
            }
        }
    }
    successors
}

/// Range of the digis of a channel; empty after the last channel.
fn range_of(digis: &[Digi], channel: u16) -> Range<usize> {
    if channel >= CHANNELS_PER_SIDE {
        return 0..0;
    }
    let start = digis.partition_point(|digi| digi.channel() < channel);
    start..start + digis[start..].partition_point(|digi| digi.channel() == channel)
}

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

#[cfg(test)]
mod tests {
    use generators_sts::Address;
    use generators_sts::setup::Setup;

    use super::*;
    use crate::sts::rules::{Exact, Published};

    fn digi(channel: u16, time: u32) -> Digi {
        Digi::new(Address::from_packed(0), channel, time, 5)
    }

    fn followers<P: Rules>(digis: &[Digi]) -> Vec<Option<usize>> {
        let setup = Setup::regular(1).expect("sensible");
        successors::<P>(digis, &Window::new(&setup))
    }

    #[test]
    fn neighbours_within_21_ns_follow_each_other_both_ends_included() {
        let digis = [digi(4, 100), digi(5, 79), digi(6, 100), digi(7, 122)];
        let expected = [Some(1), Some(2), None, None];
        assert_eq!(followers::<Exact>(&digis), expected);
        assert_eq!(followers::<Published>(&digis), expected);
    }

    #[test]
    fn nothing_follows_the_last_channel_or_skips_one() {
        let digis = [digi(0, 100), digi(2, 100), digi(1023, 100)];
        assert_eq!(followers::<Exact>(&digis), [None; 3]);
    }

    #[test]
    fn a_shared_successor_is_published_an_exclusive_one_exact() {
        let digis = [digi(4, 100), digi(4, 110), digi(5, 100), digi(5, 115)];
        assert_eq!(followers::<Published>(&digis), [Some(2), Some(2), None, None]);
        assert_eq!(followers::<Exact>(&digis), [Some(2), Some(3), None, None]);
    }

    #[test]
    fn single_precision_loses_nanoseconds_late_in_a_timeslice() {
        let late = 2_000_000_000;
        let digis = [digi(4, late), digi(5, late + 60)];
        assert_eq!(followers::<Published>(&digis), [Some(1), None]);
        assert_eq!(followers::<Exact>(&digis), [None, None]);
    }
}
