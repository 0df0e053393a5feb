//! Hits of the clusters that the readout has found, slow and obvious.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS, PITCH, pair_of};
use generators_lhcb::words::{fraction_bits, sensor_of};
use generators_lhcb::{ClusterWord, Event, Pixel};

use crate::velo::model::formulas::{LocalPosition, phi16, position};
use crate::velo::model::{Hit, PairRange};

/// Hits of an event, sorted, with a slot for each word: zero words leave slots empty.
pub fn decode(event: &Event<'_>, geometry: &Geometry) -> ([PairRange; MODULE_PAIRS], Vec<Hit>) {
    let mut of_pairs = vec![Vec::new(); MODULE_PAIRS];
    let mut words = [0; MODULE_PAIRS];
    for &bank in event.banks {
        for &word in event.words(bank) {
            let cluster = ClusterWord::decode(word, event.format.version);
            let is_second = cluster.is_some_and(|cluster| cluster.is_second_sensor);
            let sensor = sensor_of(event.format, bank.source, is_second);
            let pair = pair_of(sensor);
            words[pair] += 1;
            let version = event.format.version;
            of_pairs[pair].extend(cluster.map(|cluster| hit(geometry, sensor, cluster, version)));
        }
    }
    let mut pairs = [PairRange::default(); MODULE_PAIRS];
    let mut slots = Vec::new();
    for (pair, hits) in of_pairs.iter_mut().enumerate() {
        hits.sort_by_key(Hit::key);
        let start = slots.len();
        pairs[pair] = PairRange { start: start as u32, count: hits.len() as u32 };
        slots.extend_from_slice(hits);
        slots.resize(start + words[pair], Hit::default());
    }
    (pairs, slots)
}

/// The hit of a cluster.
fn hit(geometry: &Geometry, sensor: u16, cluster: ClusterWord, version: u8) -> Hit {
    let units = (1_u16 << fraction_bits(version)) as f32;
    let fraction = |part: u8| f32::from(part) / units;
    let row = f32::from(cluster.row) + fraction(cluster.row_fraction);
    let local = LocalPosition {
        column: cluster.column,
        fraction: fraction(cluster.column_fraction),
        y: (0.5 + row) * PITCH,
    };
    let position = position(geometry, sensor, local);
    let pixel = Pixel { sensor, column: cluster.column, row: cluster.row };
    let marks = version != 2;
    let id = pixel.id_with_fractions(
        marks && cluster.column_fraction != 0,
        marks && cluster.row_fraction != 0,
    );
    Hit { id, position, phi: phi16(position[0], position[1]) }
}
