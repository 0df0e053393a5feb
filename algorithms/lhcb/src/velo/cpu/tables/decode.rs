//! Hits of the clusters that the readout has found.

use generators_lhcb::geometry::{Geometry, PITCH};
use generators_lhcb::words::{cluster_column, fraction_bits, is_second_sensor, sensor_of};
use generators_lhcb::{Bank, Event, Pixel};

use super::sensor_hits::{SensorHit, write_hits};
use super::sort::Sorter;
use crate::velo::cpu::results::{HitBuffer, HitSlots};
use crate::velo::model::PairRange;

/// Decodes clusters of the readout, and sorts them.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    on_sensor: Clusters,
    /// Hits of a pair of modules in order of creation.
    hits: HitBuffer,
    sorter: Sorter,
}

/// Words of a sensor that hold clusters, with the sensor's columns: what there is to look for in tables
/// and to leave out, so that the rest is computed for several words at once.
#[derive(Clone, Debug, Default)]
struct Clusters {
    count: usize,
    words: Vec<u32>,
    /// Centres of the columns in mm.
    column_x: Vec<f32>,
    /// Widths of the columns in mm.
    column_pitch: Vec<f32>,
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
            let words = banks.iter().map(|bank| event.words(*bank).len()).sum();
            let on_sensor = &mut self.on_sensor;
            self.hits.write(words, |mut slots| {
                banks.iter().fold(0, |end, bank| {
                    end + on_sensor.decode_bank(event, geometry, *bank, &mut slots, end)
                })
            });
            let hits = self.hits.hits();
            let count = hits.ids.len();
            self.sorter.sort(&hits, 0..count, slots.hits(start..start + count));
            slots.pairs[pair] = PairRange { start: start as u32, count: count as u32 };
            start += words;
        }
        start
    }
}

impl Clusters {
    /// Writes the hits of a bank to slots from `start` on; returns their number.
    fn decode_bank(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        bank: Bank,
        slots: &mut HitSlots<'_>,
        start: usize,
    ) -> usize {
        let version = event.format.version;
        let words = event.words(bank);
        let sensor = |is_second| sensor_of(event.format, bank.source, is_second);
        if !event.format.has_sensor_pairs() {
            self.fill(words, version, geometry, |word| word != 0);
            return self.write_to(geometry, version, sensor(false), slots, start);
        }
        [false, true].into_iter().fold(0, |count, is_second| {
            let is_wanted = |word| word != 0 && is_second_sensor(word) == is_second;
            self.fill(words, version, geometry, is_wanted);
            count + self.write_to(geometry, version, sensor(is_second), slots, start + count)
        })
    }

    /// Takes the wanted words.
    #[inline]
    fn fill(
        &mut self,
        words: &[u32],
        version: u8,
        geometry: &Geometry,
        is_wanted: impl Fn(u32) -> bool,
    ) {
        if words.len() > self.words.len() {
            self.words.resize(words.len(), 0);
            self.column_x.resize(words.len(), 0.0);
            self.column_pitch.resize(words.len(), 0.0);
        }
        let mut count = 0;
        for &word in words {
            // Written in any case, without a branch that nothing predicts.
            let column = cluster_column(word, version) as usize;
            self.words[count] = word;
            self.column_x[count] = geometry.column_x[column];
            self.column_pitch[count] = geometry.column_pitch[column];
            count += usize::from(is_wanted(word));
        }
        self.count = count;
    }

    /// Writes the hits of a sensor to slots from `start` on; returns their number.
    #[inline]
    fn write_to(
        &self,
        geometry: &Geometry,
        version: u8,
        sensor: u16,
        slots: &mut HitSlots<'_>,
        start: usize,
    ) -> usize {
        let bits = fraction_bits(version);
        let mask = (1_u32 << bits) - 1;
        let unit = 1.0 / (1_u32 << bits) as f32;
        let has_marks = version != 2;
        let columns = self.column_x.iter().zip(&self.column_pitch);
        let hit = |(&word, (x, pitch)): (&u32, (&f32, &f32))| {
            let [row, row_fraction] = [word >> bits & 0xFF, word & mask];
            let column_fraction = word >> (bits + 8) & mask;
            let column = cluster_column(word, version) as u16;
            let pixel = Pixel { sensor, column, row: row as u16 };
            let id = pixel.id_with_fractions(
                has_marks && column_fraction != 0,
                has_marks && row_fraction != 0,
            );
            let row = row as f32 + row_fraction as f32 * unit;
            let fraction = column_fraction as f32 * unit;
            SensorHit { id, x: x + fraction * pitch, y: (0.5 + row) * PITCH }
        };
        let hits = self.words[..self.count].iter().zip(columns).map(hit);
        write_hits(geometry, sensor, hits, slots.hits(start..start + self.count));
        self.count
    }
}
