//! Clusters of the readout: keys of all words of a pair of modules, then ranks by counting.

use generators_lhcb::geometry::{Geometry, MODULE_PAIRS, PITCH, pair_of};
use generators_lhcb::words::{fraction_bits, sensor_of};
use generators_lhcb::{ClusterWord, Event, Pixel};

use crate::velo::cpu::results::HitSlots;
use crate::velo::model::formulas::{LocalPosition, phi16, position};
use crate::velo::model::{Hit, PairRange};

/// Decodes clusters.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// Hits of the words of a pair of modules, with their keys.
    hits: Vec<Hit>,
    keys: Vec<i64>,
}

/// Key of a word that is no cluster: behind all others.
const NO_CLUSTER: i64 = i64::MAX;

impl Decoder {
    /// Writes the hits of an event; returns the number of slots.
    pub fn decode(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        let mut start = 0;
        for pair in 0..MODULE_PAIRS {
            self.keys.clear();
            self.hits.clear();
            for &bank in event.banks {
                let first_sensor = sensor_of(event.format, bank.source, false);
                if pair_of(first_sensor) == pair {
                    self.decode_bank(event, bank, geometry);
                }
            }
            let mut count = 0;
            for (index, (&key, hit)) in self.keys.iter().zip(&self.hits).enumerate() {
                if key == NO_CLUSTER {
                    continue;
                }
                count += 1;
                let mut slot = start;
                for (other, &other_key) in self.keys.iter().enumerate() {
                    slot += usize::from(other_key < key || (other_key == key && other < index));
                }
                slots.ids[slot] = hit.id;
                slots.x[slot] = hit.position[0];
                slots.y[slot] = hit.position[1];
                slots.z[slot] = hit.position[2];
                slots.phi[slot] = hit.phi;
            }
            slots.pairs[pair] = PairRange { start: start as u32, count };
            start += self.keys.len();
        }
        start
    }

    fn decode_bank(&mut self, event: &Event<'_>, bank: generators_lhcb::Bank, geometry: &Geometry) {
        let version = event.format.version;
        let units = (1_u32 << fraction_bits(version)) as f32;
        for &word in event.words(bank) {
            let Some(cluster) = ClusterWord::decode(word, version) else {
                self.keys.push(NO_CLUSTER);
                self.hits.push(Hit::default());
                continue;
            };
            let sensor = sensor_of(event.format, bank.source, cluster.is_second_sensor);
            let row = f32::from(cluster.row) + f32::from(cluster.row_fraction) / units;
            let local = LocalPosition {
                column: cluster.column,
                fraction: f32::from(cluster.column_fraction) / units,
                y: (0.5 + row) * PITCH,
            };
            let position = position(geometry, sensor, local);
            let pixel = Pixel { sensor, column: cluster.column, row: cluster.row };
            let has_marks = version != 2;
            let id = pixel.id_with_fractions(
                has_marks && cluster.column_fraction != 0,
                has_marks && cluster.row_fraction != 0,
            );
            let hit = Hit { id, position, phi: phi16(position[0], position[1]) };
            self.keys.push(hit.key());
            self.hits.push(hit);
        }
    }
}
