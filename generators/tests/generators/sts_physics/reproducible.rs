//! The same bytes for a seed on every machine.

use generators::random::mix;
use generators::sts::Order;
use generators::sts::physics::{Preset, Scenario, Simulated, Simulation};

fn timeslice(scenario: &Scenario, seed: u64, number: u32) -> Simulated {
    let simulation = Simulation::new(scenario, seed).expect("sensible");
    simulation.timeslice(number)
}

/// Depends on each bit of the digis and of the truth.
fn checksum(timeslice: &Simulated) -> u64 {
    let note = |sum: u64, word: u64| mix(sum ^ word);
    let digis = timeslice.digis.digis().iter().map(|digi| digi.bits());
    let sources = timeslice.truth.sources().iter().map(|source| u64::from(*source));
    let crossings = timeslice.truth.crossings().iter().flat_map(|crossing| {
        let position = u64::from(crossing.x.to_bits()) << 32 | u64::from(crossing.y.to_bits());
        [crossing.time_ns.to_bits(), position]
    });
    digis.chain(sources).chain(crossings).fold(0, note)
}

fn small(preset: Preset, order: Order) -> Scenario {
    Scenario { order, ..preset.scenario().scaled(0.002) }
}

#[test]
fn data_are_golden() {
    let checksums = [
        (Preset::CbmAuAu, Order::Time),
        (Preset::CbmAuAu, Order::Random),
        (Preset::Mcbm2024, Order::Time),
        (Preset::Mcbm2024, Order::Jitter(64)),
    ]
    .map(|(preset, order)| checksum(&timeslice(&small(preset, order), 42, 0)));
    assert_eq!(
        checksums,
        [
            0x242e_4bc5_5a05_2130,
            0x6182_32d1_e17f_09a9,
            0xb94d_0e35_fed2_3edd,
            0x02ac_83a5_1fb3_e78d
        ]
    );
}

#[test]
fn threads_make_no_difference() {
    for preset in Preset::ALL {
        let scenario = small(preset, Order::Random);
        let expected = timeslice(&scenario, 7, 0);
        for threads in [1, 2, 3, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("threads");
            let found = pool.install(|| timeslice(&scenario, 7, 0));
            assert!(found == expected, "{preset} with {threads} threads");
        }
    }
}

#[test]
fn seeds_and_timeslices_make_a_difference() {
    let scenario = small(Preset::CbmAuAu, Order::Time);
    let first = checksum(&timeslice(&scenario, 7, 0));
    assert_ne!(first, checksum(&timeslice(&scenario, 8, 0)));
    assert_ne!(first, checksum(&timeslice(&scenario, 7, 1)));
}
