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

/// Finds clusters of super-pixels.
#[derive(Clone, Debug, Default)]
pub struct ClusterFinder {
    /// Pixels of all words of a bank.
    all: Neighbours,
    /// Pixels of unflagged words of each sensor of a bank.
    unflagged: [Neighbours; 2],
    flagged: SensorRuns,
    grown: SensorRuns,
}

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
            let middle = start + self.flagged.len();
            let end = middle + self.grown.len();
            self.flagged.write_to(geometry, slots.hits(start..middle));
            self.grown.write_to(geometry, slots.hits(middle..end));
            slots.pairs[pair] = PairRange { start: start as u32, count: (end - start) as u32 };
            start = middle + candidates;
        }
        start
    }

    /// Finds the hits of the banks of a pair of modules; returns the number of candidates.
    fn find_pair(&mut self, event: &Event<'_>, geometry: &Geometry, banks: &[Bank]) -> usize {
        self.flagged.clear();
        self.grown.clear();
        let mut candidates = 0;
        for &bank in banks {
            let sensor = sensor_of(event.format, bank.source, false);
            candidates += self.find_bank(
                geometry,
                event.words(bank),
                sensor,
                event.format.has_sensor_pairs(),
            );
        }
        candidates
    }

    /// Finds the hits of a bank; returns the number of candidates.
    fn find_bank(
        &mut self,
        geometry: &Geometry,
        words: &[u32],
        sensor: u16,
        has_two_sensors: bool,
    ) -> usize {
        let patterns = &*PATTERNS;
        let second = |pixel: SuperPixel| usize::from(has_two_sensors && pixel.is_second_sensor);
        let mut has_unflagged = false;
        for &word in words {
            let pixel = SuperPixel::decode(word);
            self.all.add(pixel);
            if pixel.is_isolated {
                let sensor = sensor + second(pixel) as u16;
                let PatternClusters { count, clusters } = &patterns[usize::from(pixel.pattern)];
                for cluster in &clusters[..*count] {
                    self.flagged.push(sensor, pattern_hit(geometry, cluster, pixel, sensor));
                }
            } else {
                self.unflagged[second(pixel)].add(pixel);
                has_unflagged = true;
            }
        }
        let mut candidates = 0;
        if has_unflagged {
            for pixel in words.iter().map(|word| SuperPixel::decode(*word)) {
                if !pixel.is_isolated {
                    let sensor = sensor + second(pixel) as u16;
                    let pixels = &self.unflagged[second(pixel)];
                    let last = self.all.last_pixels(pixel);
                    candidates += grow_candidates(pixels, pixel, last, |hit| {
                        self.grown.push(sensor, hit.on_sensor(geometry, pixel, sensor));
                    });
                }
            }
        }
        for pixel in words.iter().map(|word| SuperPixel::decode(*word)) {
            self.all.clear(pixel);
            self.unflagged[second(pixel)].clear(pixel);
        }
        candidates
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
        let n = self.pixels as i32;
        let x = self.columns as i32 + n * (2 * i32::from(pixel.column) - 6);
        let y = self.rows as i32 + n * (4 * i32::from(pixel.row) - 8);
        let column = x / n;
        let row = y / n;
        let fraction = |sum: i32, whole: i32| sum as f32 / n as f32 - whole as f32;
        let pixel = Pixel { sensor, column: column as u16, row: row as u16 };
        let x = local_x(geometry, pixel.column, fraction(x, column));
        SensorHit { id: pixel.id(), x, y: local_y(pixel.row, fraction(y, row)) }
    }
}

/// Grows the clusters of the candidates of a super-pixel, the lower half first; returns the number
/// of candidates.
#[inline]
fn grow_candidates(
    pixels: &Neighbours,
    pixel: SuperPixel,
    last: u8,
    mut push: impl FnMut(Mean),
) -> usize {
    if last == 0 {
        return 0;
    }
    let window = pixels.window(pixel);
    for half in [0x33, 0xCC] {
        if last & half != 0 {
            let bit = (last & half).trailing_zeros();
            if let Some(mean) = grow_candidate(&window, bit) {
                push(mean);
            }
        }
    }
    last.count_ones() as usize
}

/// The cluster of a candidate in a window; none if another candidate makes it, or none does.
#[inline]
fn grow_candidate(window: &[u16; 10], candidate: u32) -> Option<Mean> {
    let main = field(&window[4..8]);
    let own_column = 2 + candidate / 4;
    let own = bit(own_column, 8 + candidate % 4);
    let cluster = grow(own, main);
    let touches_east = near(column(cluster, 3)) & window[8] != 0;
    // Bits are in order of columns, then rows: higher ones are further east, or north in its column.
    let has_later = cluster > (own | (own - 1));
    let is_cut = cluster & CUT_ROWS != 0;
    if touches_east || has_later || is_cut {
        return None;
    }
    let west = field(&window[0..4]);
    let start = u64::from(near(column(cluster, 0)) & window[3]) << 48;
    let extension = if start == 0 { 0 } else { grow(start, west) };
    if extension & LAST_ROW_OR_FIRST_COLUMN != 0 {
        return None;
    }
    let pixels = cluster.count_ones() + extension.count_ones();
    let columns = sum_of_columns(cluster) + 4 * cluster.count_ones() + sum_of_columns(extension);
    let rows = sum_of_rows(cluster) + sum_of_rows(extension);
    Some(Mean { pixels, columns, rows })
}

/// The first and the last row of a field.
const CUT_ROWS: u64 = 0x8001_8001_8001_8001;
/// The last row of a field, and its first column.
const LAST_ROW_OR_FIRST_COLUMN: u64 = 0x8000_8000_8000_FFFF;
