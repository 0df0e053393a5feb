//! Properties of digis of particles.

use generators::sts::physics::{Preset, Scenario, Simulated, Simulation};
use generators::sts::{CHANNELS_PER_SIDE, Digi, Order};

fn simulate(scenario: &Scenario) -> (Simulation, Simulated) {
    let simulation = Simulation::new(scenario, 1).expect("sensible");
    let timeslice = simulation.timeslice(0);
    (simulation, timeslice)
}

fn cbm(scale: f64) -> Scenario {
    Preset::CbmAuAu.scenario().scaled(scale)
}

#[test]
fn digis_come_by_time_then_channel_and_within_the_timeslice() {
    let scenario = cbm(0.02);
    let (_, timeslice) = simulate(&scenario);
    for segment in timeslice.digis.segments() {
        assert!(segment.is_sorted_by_key(|digi| (digi.time_ns(), digi.channel())));
        assert!(segment.iter().all(|digi| digi.channel() < CHANNELS_PER_SIDE));
        let end = scenario.timeslice_ns;
        assert!(segment.iter().all(|digi| u64::from(digi.time_ns()) < end));
    }
}

#[test]
fn other_orders_have_the_same_digis() {
    let in_order = |order| simulate(&Scenario { order, ..cbm(0.01) }).1.digis;
    let by_time = in_order(Order::Time);
    for order in [Order::Random, Order::Jitter(20)] {
        let other = in_order(order);
        assert_eq!(other.partition(), by_time.partition());
        let mut descents = 0;
        for (other, by_time) in other.segments().zip(by_time.segments()) {
            descents += other.windows(2).filter(|p| p[1].time_ns() < p[0].time_ns()).count();
            let sorted = |side: &[Digi]| {
                let mut bits: Vec<_> = side.iter().map(|digi| digi.bits()).collect();
                bits.sort_unstable();
                bits
            };
            assert_eq!(sorted(other), sorted(by_time));
            if let Order::Jitter(distance) = order {
                let is_near = |(index, digi): (usize, &Digi)| {
                    let first = index.saturating_sub(distance as usize);
                    let near = &by_time[first..by_time.len().min(index + distance as usize + 1)];
                    near.contains(digi)
                };
                assert!(other.iter().enumerate().all(is_near));
            }
        }
        assert!(descents > by_time.digis().len() / 10, "{order}: {descents}");
    }
}

#[test]
fn channels_are_blind_for_the_dead_time() {
    for preset in Preset::ALL {
        let scenario = Scenario {
            // A rate high enough to matter.
            rate_hz: 3e6,
            ..preset.scenario().scaled(0.001)
        };
        let (simulation, timeslice) = simulate(&scenario);
        let mut shortest = u32::MAX;
        for segment in timeslice.digis.segments() {
            let mut keys: Vec<_> = segment.iter().map(|digi| digi.key()).collect();
            keys.sort_unstable();
            let same = keys.windows(2).filter(|pair| pair[0] >> 31 == pair[1] >> 31);
            shortest = same.fold(shortest, |min, pair| min.min((pair[1] - pair[0]) as u32));
        }
        let dead_time = simulation.setup().asic().dead_time as u32;
        assert!((dead_time..dead_time + 20).contains(&shortest), "{preset}: {shortest}");
    }
}

/// Crossings of equal solid angles fall by far from the beam outwards, and so do digis
/// of equal sensors.
#[test]
fn occupancy_falls_with_the_distance_from_the_beam() {
    let scenario = cbm(0.05);
    let (simulation, timeslice) = simulate(&scenario);
    let modules = simulation.setup().modules();
    let mut rings = [0; 10];
    for crossing in timeslice.truth.crossings() {
        let z = modules[crossing.module as usize].translation[2];
        let tangent = f64::from(crossing.x).hypot(crossing.y.into()) / z;
        if let Some(ring) = rings.get_mut((tangent / 0.05) as usize) {
            *ring += 1;
        }
    }
    let density = |ring: usize| f64::from(rings[ring]) / (2 * ring + 1) as f64;
    // The first ring is the beam pipe's.
    assert!(density(0) < 0.5 * density(1), "{rings:?}");
    assert!(density(1) > 1.5 * density(3), "{rings:?}");
    assert!(density(3) > 3.0 * density(8), "{rings:?}");

    let digis = |number: usize| timeslice.digis.segment(number).len();
    let is_usual = |number: &usize| (5.9..6.0).contains(&modules[*number].height);
    let counts: Vec<_> = (0..modules.len()).filter(is_usual).map(digis).collect();
    let min = counts.iter().min();
    let max = counts.iter().max();
    assert!(max.expect("some") > &(5 * min.expect("some")), "{counts:?}");
}

/// Both sides see the same deposits.
#[test]
fn both_sides_of_a_module_have_about_as_many_digis() {
    let (simulation, timeslice) = simulate(&cbm(0.05));
    let modules = simulation.setup().modules().len();
    let sum = |from: usize| -> usize {
        let sides = (from..from + modules).map(|segment| timeslice.digis.segment(segment).len());
        sides.sum()
    };
    let ratio = sum(0) as f64 / sum(modules) as f64;
    assert!((0.97..1.03).contains(&ratio), "{ratio}");
}

#[test]
fn charges_have_a_peak_a_long_tail_and_an_overflow() {
    let (_, timeslice) = simulate(&cbm(0.02));
    let mut histogram = [0_usize; 32];
    for digi in timeslice.digis.digis() {
        histogram[usize::from(digi.adc())] += 1;
    }
    let all = timeslice.digis.digis().len();
    assert!(histogram.iter().all(|count| *count > 0), "{histogram:?}");
    // Small shares of neighbouring strips come first, then strips with most of a charge.
    let dip = (1..8).min_by_key(|adc| histogram[*adc]).expect("some");
    let peak = (dip..31).max_by_key(|adc| histogram[*adc]).expect("some");
    assert!((6..12).contains(&peak), "{histogram:?}");
    assert!(histogram[31] < all / 20, "{histogram:?}");
}
