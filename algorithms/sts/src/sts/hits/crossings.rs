//! Hits of lines that cross, in batches.
//!
//! The data of lines that hits need are gathered in columns; then the hits of a batch are computed
//! in plain loops, which the compiler vectorizes: the same operations in the same order, so that
//! each lane has the same bits as a hit that is computed alone.

use super::ModuleFormulas;
use super::lines::Lines;
use super::outgoing::{BLOCK, HitSink, Outgoing};
use crate::sts::Hit;
use crate::sts::formulas::{Side, Strips};
use crate::sts::rules::Rules;

/// Hits of a batch: their data stay in the first-level cache.
const HITS: usize = BLOCK;

/// A value for each pair of lines.
type Column<T = f32> = [T; HITS];

/// Pairs of lines that cross, or nearly so, and the hits that become of them.
pub(super) struct Crossings {
    /// Times, points where lines leave the edge, and their errors: of the front and the back.
    times: [Column<u32>; 2],
    edges: [Column; 2],
    edge_errors: [Column; 2],
    /// 1 if they cross on the active area, else 0.
    inside: Column<u32>,
    /// Coordinates, and their standard deviations.
    point: [Column; 3],
    deviations: [Column; 3],
    covariance: Column,
    time: Column<u32>,
    time_error: Column,
    /// Standard deviations across the strips of front and back.
    across: [Column; 2],
    outgoing: Outgoing,
}

impl Default for Crossings {
    fn default() -> Self {
        let whole = [0; HITS];
        let column = [0.0; HITS];
        Crossings {
            times: [whole; 2],
            edges: [column; 2],
            edge_errors: [column; 2],
            inside: whole,
            point: [column; 3],
            deviations: [column; 3],
            covariance: column,
            time: whole,
            time_error: column,
            across: [column; 2],
            outgoing: Outgoing::default(),
        }
    }
}

/// Errors of the times of hits.
#[derive(Clone, Copy)]
pub(super) struct TimeErrors<'a> {
    /// By the classes of front and back: a row for each class of the front.
    pub(super) table: &'a [f32],
    /// Elements of a row.
    pub(super) stride: usize,
}

impl Crossings {
    /// Appends the hits of pairs of lines of both sides, given by their indices.
    #[inline(always)]
    pub(super) fn append<P: Rules>(
        &mut self,
        fronts: &[u32],
        backs: &[u32],
        lines: [&Lines; 2],
        formulas: &ModuleFormulas<f32>,
        time_errors: TimeErrors<'_>,
        to: &mut HitSink<'_>,
    ) {
        let TimeErrors { table, stride } = time_errors;
        for (fronts, backs) in fronts.chunks(HITS).zip(backs.chunks(HITS)) {
            for (index, (&front, &back)) in fronts.iter().zip(backs).enumerate() {
                let front = front as usize;
                let back = back as usize;
                let class = lines[0].classes[front] as usize * stride;
                self.time_error[index] = table[class + lines[1].classes[back] as usize];
                self.set(0, index, lines[0], front);
                self.set(1, index, lines[1], back);
            }
            formulas.sensor.by_strips(
                #[inline(always)]
                |strips| self.compute::<P>(strips, formulas),
            );
            self.put(fronts.len(), formulas.address);
            self.outgoing.flush_lines(to);
        }
    }

    #[inline(always)]
    fn set(&mut self, side: usize, index: usize, lines: &Lines, line: usize) {
        self.times[side][index] = lines.times[line];
        self.edges[side][index] = lines.edges[line];
        self.edge_errors[side][index] = lines.edge_errors[line];
    }

    /// Computes all hits, also where there are no lines.
    #[inline(always)]
    fn compute<P: Rules>(&mut self, strips: Strips, formulas: &ModuleFormulas<f32>) {
        let sensor = &formulas.sensor;
        for index in 0..HITS {
            let [fronts, backs] = &self.edges;
            let local = sensor.crossing_anywhere(strips, fronts[index], backs[index]);
            self.inside[index] = u32::from(sensor.has(local));
            let point = sensor.global(local);
            let front = self.edge_errors[0][index];
            let back = self.edge_errors[1][index];
            let (deviations, covariance) = P::spread(sensor, sensor.spread_of(strips, front, back));
            for axis in 0..3 {
                self.point[axis][index] = point[axis];
                self.deviations[axis][index] = deviations[axis];
            }
            self.covariance[index] = covariance;
            self.time[index] = P::hit_time(self.times[0][index], self.times[1][index]);
            self.across[0][index] = sensor.across(Side::Front, front);
            self.across[1][index] = sensor.across(Side::Back, back);
        }
    }

    /// Flushes all buffered hits.
    pub(super) fn finish(&mut self, to: &mut HitSink<'_>) {
        self.outgoing.flush(to);
    }

    /// Adds the first hits, those that are on the active area.
    #[inline(always)]
    fn put(&mut self, count: usize, address: u32) {
        for index in 0..count {
            let hit = Hit {
                x: self.point[0][index],
                y: self.point[1][index],
                z: self.point[2][index],
                time: self.time[index],
                dx: self.deviations[0][index],
                dy: self.deviations[1][index],
                dz: self.deviations[2][index],
                dxy: self.covariance[index],
                time_error: self.time_error[index],
                du: self.across[0][index],
                dv: self.across[1][index],
                address,
            };
            self.outgoing.add(hit, self.inside[index] != 0);
        }
    }
}
