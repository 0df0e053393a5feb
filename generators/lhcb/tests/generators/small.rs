//! A few small events.

use generators_lhcb::events::BankWords;
use generators_lhcb::geometry::SENSORS;
use generators_lhcb::truth::{Particle, ParticleFlags, Truth};
use generators_lhcb::{BankFormat, BankKind, ClusterWord, Events, SuperPixel};

/// A word that depends on the event and the sensor.
fn word(format: BankFormat, event: u16, sensor: u16) -> u32 {
    let is_second_sensor = format.has_sensor_pairs() && sensor % 2 == 1;
    let column = (sensor + event) % 384;
    match format.kind {
        BankKind::SuperPixel => {
            let pattern = 1 + sensor as u8 / 2;
            SuperPixel { is_isolated: true, is_second_sensor, column, row: 5, pattern }.encode()
        }
        BankKind::Retina => {
            let row = event;
            ClusterWord { is_second_sensor, column, column_fraction: 1, row, row_fraction: 2 }
                .encode(format.version)
        }
    }
}

fn truth(event: u16) -> Truth {
    let particle = Particle {
        key: u32::from(event),
        pid: -11,
        p: 5000.0,
        pt: 800.0,
        eta: 2.5,
        phi: -1.0,
        origin: [0.1, 0.2, 0.3],
        flags: ParticleFlags { has_velo: true, from_charm: true, ..ParticleFlags::default() },
        velo_ids: vec![0x20f5_1a88, 0x2cf5_1a88],
    };
    let hidden = Particle { key: 99, pid: 22, ..Particle::default() };
    Truth {
        particles: vec![particle, hidden],
        vertices: vec![[0.01, 0.02, 30.0 + f64::from(event)]],
    }
}

/// Events with one word a sensor, numbered from 7-100 on.
pub fn events(format: BankFormat, count: u16) -> Events {
    let mut events = Events::default();
    let sensors_of_bank = SENSORS / format.banks();
    for event in 0..count {
        let body = |source: usize| {
            let sensors = source * sensors_of_bank..(source + 1) * sensors_of_bank;
            let mut words: Vec<_> =
                sensors.map(|sensor| word(format, event, sensor as u16)).collect();
            if !format.has_sensor_pairs() {
                words.insert(0, 1);
            }
            words
        };
        let bodies: Vec<_> = (0..format.banks()).map(body).collect();
        let banks = (0..).zip(&bodies);
        let banks: Vec<_> = banks.map(|(source, words)| BankWords { source, words }).collect();
        let name = format!("7-{}", 100 + event);
        events.push(name, format, &banks, Some(truth(event))).expect("valid");
    }
    events
}
