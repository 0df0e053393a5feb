//! Hits of the clusters that the readout has found.

use generators_lhcb::geometry::{Geometry, PITCH};
use generators_lhcb::words::{fraction_bits, sensor_of};
use generators_lhcb::{Bank, ClusterWord, Event, Pixel};

use super::pair_hits::{PairHits, SensorHit, SensorRuns};
use crate::velo::cpu::results::HitSlots;
use crate::velo::model::PairRange;
use crate::velo::model::formulas::local_x;

/// Decodes clusters of the readout, and sorts them.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    on_sensors: SensorRuns,
    hits: PairHits,
}

impl Decoder {
    /// Writes the hits of an event; returns the number of slots.
    pub fn decode(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        let mut start = 0;
        for (pair, banks) in event.banks_by_pair().enumerate() {
            self.on_sensors.clear();
            let mut words = 0;
            for &bank in banks {
                words += event.words(bank).len();
                decode_bank(event, geometry, bank, &mut self.on_sensors);
            }
            self.hits.clear();
            self.hits.extend(geometry, &self.on_sensors);
            self.hits.sort_to(start, slots);
            slots.pairs[pair] = PairRange { start: start as u32, count: self.hits.len() as u32 };
            start += words;
        }
        start
    }
}

#[inline]
fn decode_bank(event: &Event<'_>, geometry: &Geometry, bank: Bank, on_sensors: &mut SensorRuns) {
    let version = event.format.version;
    let unit = 1.0 / (1_u32 << fraction_bits(version)) as f32;
    let has_marks = version != 2;
    for &word in event.words(bank) {
        let Some(cluster) = ClusterWord::decode(word, version) else { continue };
        let sensor = sensor_of(event.format, bank.source, cluster.is_second_sensor);
        let pixel = Pixel { sensor, column: cluster.column, row: cluster.row };
        let id = pixel.id_with_fractions(
            has_marks && cluster.column_fraction != 0,
            has_marks && cluster.row_fraction != 0,
        );
        let row = f32::from(cluster.row) + f32::from(cluster.row_fraction) * unit;
        let fraction = f32::from(cluster.column_fraction) * unit;
        let x = local_x(geometry, cluster.column, fraction);
        on_sensors.push(sensor, SensorHit { id, x, y: (0.5 + row) * PITCH });
    }
}
