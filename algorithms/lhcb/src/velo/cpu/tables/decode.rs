//! Hits of the clusters that the readout has found.

use generators_lhcb::geometry::{Geometry, PITCH};
use generators_lhcb::pixel::{COLUMN_FRACTION, ROW_FRACTION};
use generators_lhcb::words::{cluster_column, fraction_bits, is_second_sensor, sensor_of};
use generators_lhcb::{Bank, Event, Pixel};

use super::lanes::{Integers, LANES, Numbers};
use super::lists::{chunk, chunk_mut, grow};
use super::sensor_hits::Transform;
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
            let words: usize = banks.iter().map(|bank| event.words(*bank).len()).sum();
            let on_sensor = &mut self.on_sensor;
            self.hits.write(words + LANES, |mut slots| {
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
        let capacity = words.len() + LANES;
        grow(&mut self.words, capacity);
        grow(&mut self.column_x, capacity);
        grow(&mut self.column_pitch, capacity);
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

    /// Writes the hits of a sensor to slots from `start` on, and up to seven slots after them; returns their
    /// number.
    #[inline]
    fn write_to(
        &self,
        geometry: &Geometry,
        version: u8,
        sensor: u16,
        slots: &mut HitSlots<'_>,
        start: usize,
    ) -> usize {
        let transform = Transform::new(geometry, sensor);
        let words = Words::new(version, sensor);
        for index in (0..self.count).step_by(LANES) {
            let at = |list: &[f32]| Numbers::load(chunk(list, index));
            let of_words = chunk(&self.words, index);
            let columns = Columns { x: at(&self.column_x), pitch: at(&self.column_pitch) };
            let EightHits { ids, x, y } =
                words.hits(Integers::load(bytemuck::cast_ref(of_words)), columns);
            *chunk_mut(slots.ids, start + index) = bytemuck::cast(ids.array());
            transform.write(x, y, slots, start + index);
        }
        self.count
    }
}

/// Columns of eight clusters: their centres and widths in mm.
struct Columns {
    x: Numbers,
    pitch: Numbers,
}

/// Hits on a sensor: identifiers, and local x and y in mm.
struct EightHits {
    ids: Integers,
    x: Numbers,
    y: Numbers,
}

/// Decodes the words of a sensor, eight at a time.
struct Words {
    fraction_bits: u32,
    has_marks: bool,
    id: Integers,
}

impl Words {
    fn new(version: u8, sensor: u16) -> Self {
        let id = Pixel { sensor, column: 0, row: 0 }.id();
        Words {
            fraction_bits: fraction_bits(version),
            has_marks: version != 2,
            id: Integers::splat(id as i32),
        }
    }

    /// The hits of eight words: see [`ClusterWord`](generators_lhcb::ClusterWord).
    #[inline]
    fn hits(&self, words: Integers, columns: Columns) -> EightHits {
        let bits = self.fraction_bits;
        let fractions = Integers::splat((1 << bits) - 1);
        let unit = Numbers::splat(1.0 / (1_u32 << bits) as f32);
        let row = words.shifted_right(bits).and(Integers::splat(0xFF));
        let column = words.shifted_right(2 * bits + 8).and(Integers::splat(0x3FF));
        let row_fraction = words.and(fractions);
        let column_fraction = words.shifted_right(bits + 8).and(fractions);
        let mut ids = self.id.or(column.shifted_left(8)).or(row);
        if self.has_marks {
            let none = Integers::splat(0);
            let marks = [(column_fraction, COLUMN_FRACTION), (row_fraction, ROW_FRACTION)];
            for (fraction, mark) in marks {
                let mark = Integers::splat(mark as i32);
                ids = ids.or(none.is_below(fraction).select_integers(mark, none));
            }
        }
        let fraction = column_fraction.numbers().times(unit);
        let row = row.numbers().plus(row_fraction.numbers().times(unit));
        EightHits {
            ids,
            x: columns.x.plus(fraction.times(columns.pitch)),
            y: Numbers::splat(0.5).plus(row).times(Numbers::splat(PITCH)),
        }
    }
}
