//! Chains of digis as clusters.

use generators::sts::setup::Setup;
use generators::sts::{CHANNELS_PER_SIDE, Digi, ModuleSide, SegmentedDigis};

use super::connect::successors;
use crate::parallel::map;
use crate::sts::data::digi_order;
use crate::sts::formulas::{BelowFirstStep, Shapes};
use crate::sts::rules::{Rules, Window};
use crate::sts::{Cluster, Partitioned};

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
