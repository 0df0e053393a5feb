//! The truth matches the digis.

use generators::sts::physics::{Crossing, Preset, Simulated, Simulation, Truth};
use generators::sts::setup::Module;
use generators::sts::{Digi, ModuleSide};

use super::simple_chain::clusters;

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
