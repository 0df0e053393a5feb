//! Hits of lines that cross, many at a time.
//!
//! What a hit takes of its lines is put into columns; then all is computed for many of them in
//! plain loops, of which the compiler makes vectors: the same operations in the same order, so that
//! each lane has the same bits as a hit that is computed alone.

use super::ModuleFormulas;
use super::lines::Lines;
use super::outgoing::{BLOCK, Kept, Outgoing};
use crate::sts::Hit;
use crate::sts::formulas::{Side, Strips};
use crate::sts::rules::Rules;

/// Hits that are computed side by side: what is known of them stays in the first-level cache.
const HITS: usize = BLOCK;

/// A number of each pair of lines.
type Column<T = f32> = [T; HITS];

/// Pairs of lines that cross, or nearly so, and the hits that become of them.
pub(super) struct Crossings {
    /// Times, where lines leave the edge, and the errors of that: of the front and the back.
    times: [Column<u32>; 2],
    edges: [Column; 2],
    edge_errors: [Column; 2],
    /// Whether they cross on the active area.
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
        let (whole, column) = ([0; HITS], [0.0; HITS]);
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

impl Crossings {
    /// Appends the hits of pairs of lines of both sides, which are given by their numbers;
    /// `time_errors` has those of hits by the classes of front and back, so many for each of the
    /// front.
    #[inline(always)]
    pub(super) fn append<P: Rules>(
        &mut self,
        [fronts, backs]: [&[u32]; 2],
        lines: [&Lines; 2],
        formulas: &ModuleFormulas<f32>,
        (time_errors, stride): (&[f32], usize),
        to: &mut Kept<'_>,
    ) {
        for (fronts, backs) in fronts.chunks(HITS).zip(backs.chunks(HITS)) {
            for (place, (&front, &back)) in fronts.iter().zip(backs).enumerate() {
                let (front, back) = (front as usize, back as usize);
                let class = lines[0].classes[front] as usize * stride;
                self.time_error[place] = time_errors[class + lines[1].classes[back] as usize];
                self.set(0, place, lines[0], front);
                self.set(1, place, lines[1], back);
            }
            formulas.sensor.by_strips(
                #[inline(always)]
                |strips| self.compute::<P>(strips, formulas),
            );
            self.put(fronts.len(), formulas.address);
            self.outgoing.leave(to);
        }
    }

    #[inline(always)]
    fn set(&mut self, side: usize, place: usize, lines: &Lines, line: usize) {
        self.times[side][place] = lines.times[line];
        self.edges[side][place] = lines.edges[line];
        self.edge_errors[side][place] = lines.edge_errors[line];
    }

    /// Computes all hits, also where there are no lines.
    #[inline(always)]
    fn compute<P: Rules>(&mut self, strips: Strips, formulas: &ModuleFormulas<f32>) {
        let sensor = &formulas.sensor;
        for place in 0..HITS {
            let [fronts, backs] = &self.edges;
            let local = sensor.crossing_anywhere(strips, fronts[place], backs[place]);
            self.inside[place] = u32::from(sensor.has(local));
            let point = sensor.global(local);
            let (front, back) = (self.edge_errors[0][place], self.edge_errors[1][place]);
            let (deviations, covariance) = P::spread(sensor, sensor.spread_of(strips, front, back));
            for axis in 0..3 {
                self.point[axis][place] = point[axis];
                self.deviations[axis][place] = deviations[axis];
            }
            self.covariance[place] = covariance;
            self.time[place] = P::hit_time(self.times[0][place], self.times[1][place]);
            self.across[0][place] = sensor.across(Side::Front, front);
            self.across[1][place] = sensor.across(Side::Back, back);
        }
    }

    /// Has hits leave that wait for others.
    pub(super) fn finish(&mut self, to: &mut Kept<'_>) {
        self.outgoing.leave_all(to);
    }

    /// Adds the first hits, those that are on the active area.
    #[inline(always)]
    fn put(&mut self, count: usize, address: u32) {
        for place in 0..count {
            let hit = Hit {
                x: self.point[0][place],
                y: self.point[1][place],
                z: self.point[2][place],
                time: self.time[place],
                dx: self.deviations[0][place],
                dy: self.deviations[1][place],
                dz: self.deviations[2][place],
                dxy: self.covariance[place],
                time_error: self.time_error[place],
                du: self.across[0][place],
                dv: self.across[1][place],
                address,
            };
            self.outgoing.add(hit, self.inside[place] != 0);
        }
    }
}
