//! Clusters of super-pixels: flagged ones by pattern, others by growth from candidates.

use generators_lhcb::geometry::Geometry;
use generators_lhcb::words::sensor_of;
use generators_lhcb::{Bank, Event, Pixel, SuperPixel};

use super::neighbours::Neighbours;
use super::sensor_hits::{SensorHit, SensorRuns};
use crate::velo::cpu::growth::{bit, column, field, grow, near, sum_of_columns, sum_of_rows};
use crate::velo::cpu::patterns::{PATTERNS, PatternCluster, PatternClusters};
use crate::velo::cpu::results::HitSlots;
use crate::velo::model::PairRange;
use crate::velo::model::formulas::{local_x, local_y};

/// Finds clusters of super-pixels, step by step for all words of a bank.
#[derive(Clone, Debug, Default)]
pub struct ClusterFinder {
    /// Pixels of all words of a bank.
    all: Neighbours,
    /// Pixels of unflagged words of each sensor of a bank.
    unflagged: [Neighbours; 2],
    words: Words,
    candidates: Vec<Candidate>,
    flagged_hits: SensorRuns,
    grown_hits: SensorRuns,
}

/// Words of a bank, in two parts.
#[derive(Clone, Debug, Default)]
struct Words {
    flagged: Vec<u32>,
    unflagged: Vec<u32>,
}

/// A pixel that a cluster is grown from.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    /// The word of its super-pixel.
    word: u32,
    /// Its bit in the pattern of the super-pixel.
    bit: u32,
}

/// Maximum number of hits of a word, and of its candidates.
const HITS_OF_WORD: usize = 2;

impl ClusterFinder {
    /// Writes the hits of an event in order of creation; returns the number of slots.
    pub fn find(
        &mut self,
        event: &Event<'_>,
        geometry: &Geometry,
        slots: &mut HitSlots<'_>,
    ) -> usize {
        let mut start = 0;
        for (pair, banks) in event.banks_by_pair().enumerate() {
            let candidates = self.find_pair(event, geometry, banks);
            let middle = start + self.flagged_hits.len();
            let end = middle + self.grown_hits.len();
            self.flagged_hits.write_to(geometry, slots, start);
            self.grown_hits.write_to(geometry, slots, middle);
            slots.pairs[pair] = PairRange { start: start as u32, count: (end - start) as u32 };
            start = middle + candidates;
        }
        start
    }

    /// Finds the hits of the banks of a pair of modules; returns the number of candidates.
    fn find_pair(&mut self, event: &Event<'_>, geometry: &Geometry, banks: &[Bank]) -> usize {
        let words: usize = banks.iter().map(|bank| event.words(*bank).len()).sum();
        self.flagged_hits.clear(HITS_OF_WORD * words);
        self.grown_hits.clear(HITS_OF_WORD * words);
        let has_sensor_pairs = event.format.has_sensor_pairs();
        let mut candidates = 0;
        for &bank in banks {
            let words = event.words(bank);
            let sensors =
                Sensors { first: sensor_of(event.format, bank.source, false), has_sensor_pairs };
            self.begin_bank(words, sensors);
            self.find_flagged(geometry, sensors);
            candidates += self.find_candidates();
            self.grow_candidates(geometry, sensors);
            self.end_bank(words, sensors);
        }
        candidates
    }

    /// Fills the lists and maps of a bank.
    #[inline]
    fn begin_bank(&mut self, words: &[u32], sensors: Sensors) {
        let Words { flagged, unflagged } = &mut self.words;
        flagged.resize(words.len(), 0);
        unflagged.resize(words.len(), 0);
        let [mut flagged_count, mut unflagged_count] = [0, 0];
        for &word in words {
            let pixel = SuperPixel::decode(word);
            self.all.add(pixel);
            // Written to both in any case, without a branch that nothing predicts.
            flagged[flagged_count] = word;
            unflagged[unflagged_count] = word;
            flagged_count += usize::from(pixel.is_isolated);
            unflagged_count += usize::from(!pixel.is_isolated);
        }
        flagged.truncate(flagged_count);
        unflagged.truncate(unflagged_count);
        for pixel in unflagged.iter().map(|word| SuperPixel::decode(*word)) {
            self.unflagged[sensors.index(pixel)].add(pixel);
        }
    }

    /// Empties the maps.
    #[inline]
    fn end_bank(&mut self, words: &[u32], sensors: Sensors) {
        for pixel in words.iter().map(|word| SuperPixel::decode(*word)) {
            self.all.clear(pixel);
            self.unflagged[sensors.index(pixel)].clear(pixel);
        }
    }

    /// Finds the hits of flagged words.
    #[inline]
    fn find_flagged(&mut self, geometry: &Geometry, sensors: Sensors) {
        let patterns = &*PATTERNS;
        let mut run = sensors.first;
        for pixel in self.words.flagged.iter().map(|word| SuperPixel::decode(*word)) {
            let sensor = sensors.sensor(pixel);
            if sensor != run {
                self.flagged_hits.end_run(run);
                run = sensor;
            }
            let PatternClusters { count, clusters } = &patterns[usize::from(pixel.pattern)];
            self.flagged_hits.push_if(true, pattern_hit(geometry, &clusters[0], pixel, sensor));
            if *count == 2 {
                self.flagged_hits.push_if(true, pattern_hit(geometry, &clusters[1], pixel, sensor));
            }
        }
        self.flagged_hits.end_run(run);
    }

    /// Finds candidates in unflagged words, in the lower half of each before the upper one; returns the
    /// estimated number.
    #[inline]
    fn find_candidates(&mut self) -> usize {
        let max = HITS_OF_WORD * self.words.unflagged.len();
        self.candidates.resize(max, Candidate::default());
        let [mut found, mut estimate] = [0, 0];
        for &word in &self.words.unflagged {
            let last = self.all.last_pixels(SuperPixel::decode(word));
            estimate += last.count_ones() as usize;
            for half in [0x33, 0xCC] {
                let bits = u32::from(last & half);
                self.candidates[found] = Candidate { word, bit: bits.trailing_zeros() };
                found += usize::from(bits != 0);
            }
        }
        self.candidates.truncate(found);
        estimate
    }

    /// Grows the clusters of the candidates.
    #[inline]
    fn grow_candidates(&mut self, geometry: &Geometry, sensors: Sensors) {
        let mut run = sensors.first;
        for &Candidate { word, bit } in &self.candidates {
            let pixel = SuperPixel::decode(word);
            let sensor = sensors.sensor(pixel);
            if sensor != run {
                self.grown_hits.end_run(run);
                run = sensor;
            }
            let window = self.unflagged[sensors.index(pixel)].window(pixel);
            let Grown { is_own, mean } = grow_candidate(&window, bit);
            self.grown_hits.push_if(is_own, mean.on_sensor(geometry, pixel, sensor));
        }
        self.grown_hits.end_run(run);
    }
}

/// Sensors of a bank.
#[derive(Clone, Copy, Debug)]
struct Sensors {
    first: u16,
    has_sensor_pairs: bool,
}

impl Sensors {
    /// Index of a super-pixel's sensor in the bank.
    #[inline]
    fn index(self, pixel: SuperPixel) -> usize {
        usize::from(self.has_sensor_pairs & pixel.is_second_sensor)
    }

    /// Number of a super-pixel's sensor.
    #[inline]
    fn sensor(self, pixel: SuperPixel) -> u16 {
        self.first + self.index(pixel) as u16
    }
}

/// The position on a sensor of the cluster of a flagged super-pixel.
#[inline]
fn pattern_hit(
    geometry: &Geometry,
    cluster: &PatternCluster,
    pixel: SuperPixel,
    sensor: u16,
) -> SensorHit {
    let column = 2 * pixel.column + cluster.column;
    let row = 4 * pixel.row + cluster.row;
    let y = local_y(row, cluster.row_fraction);
    let x = local_x(geometry, column, cluster.column_fraction);
    SensorHit { id: Pixel { sensor, column, row }.id(), x, y }
}

/// Mean column and row of a cluster, counted from a super-pixel's.
#[derive(Clone, Copy, Debug)]
struct Mean {
    pixels: u32,
    /// Sums of columns and rows, counted from the first ones of the window.
    columns: u32,
    rows: u32,
}

impl Mean {
    /// The position on a sensor of the cluster around a super-pixel.
    #[inline]
    fn on_sensor(self, geometry: &Geometry, pixel: SuperPixel, sensor: u16) -> SensorHit {
        let n = self.pixels as f32;
        let of_pixels = |shift: i32| self.pixels as i32 * shift;
        let x = (self.columns as i32 + of_pixels(2 * i32::from(pixel.column) - 6)) as f32 / n;
        let y = (self.rows as i32 + of_pixels(4 * i32::from(pixel.row) - 8)) as f32 / n;
        // No quotient of such sums is rounded up to a whole number.
        let [column, row] = [x, y].map(whole);
        let pixel = Pixel { sensor, column: column as u16, row: row as u16 };
        let local_x = local_x(geometry, pixel.column, x - column as f32);
        SensorHit { id: pixel.id(), x: local_x, y: local_y(pixel.row, y - row as f32) }
    }
}

/// The whole part of a column or row.
#[inline]
fn whole(number: f32) -> i32 {
    // SAFETY: a mean of columns or rows is less than a thousand.
    unsafe { number.to_int_unchecked() }
}

/// A cluster that has grown from a candidate.
struct Grown {
    /// True if it belongs to this candidate: to the last one of its pixels, and the experiment takes it.
    is_own: bool,
    mean: Mean,
}

/// The cluster of a candidate in a window.
#[inline]
fn grow_candidate(window: &[u16; 10], candidate: u32) -> Grown {
    let main = field(&window[4..8]);
    let own_column = 2 + candidate / 4;
    let own = bit(own_column, 8 + candidate % 4);
    let cluster = grow(own, main);
    let touches_east = near(column(cluster, 3)) & window[8] != 0;
    // Bits are in order of columns, then rows: higher ones are further east, or north in its column.
    let has_later = cluster > (own | (own - 1));
    let is_cut = cluster & CUT_ROWS != 0;
    let west = field(&window[0..4]);
    let start = u64::from(near(column(cluster, 0)) & window[3]) << 48;
    let extension = if start == 0 { 0 } else { grow(start, west) };
    let is_cut_in_west = extension & LAST_ROW_OR_FIRST_COLUMN != 0;
    let pixels = cluster.count_ones() + extension.count_ones();
    let columns = sum_of_columns(cluster) + 4 * cluster.count_ones() + sum_of_columns(extension);
    let rows = sum_of_rows(cluster) + sum_of_rows(extension);
    Grown {
        is_own: !(touches_east | has_later | is_cut | is_cut_in_west),
        mean: Mean { pixels, columns, rows },
    }
}

/// The first and the last row of a field.
const CUT_ROWS: u64 = 0x8001_8001_8001_8001;
/// The last row of a field, and its first column.
const LAST_ROW_OR_FIRST_COLUMN: u64 = 0x8000_8000_8000_FFFF;
