//! Chains of three digis or more, many at a time.
//!
//! The shape of a chain takes a dozen divisions and a root. What it follows from is summed up
//! while the chain is followed; the shapes of many are computed side by side, in vectors as wide
//! as this machine has. Operations are those of [`Sums::shape`] in their order, so that each lane
//! has the same bits as a shape that is computed alone.

use generators::sts::Digi;

use super::formulas::ClusterFormulas;
use crate::sts::Cluster;
use crate::sts::formulas::{Shape, Sums, plus};
use crate::sts::rules::Rules;

/// Chains whose shapes are computed together: what is known of them stays in the first-level
/// cache.
const CHAINS: usize = 64;

/// A number of each chain.
type Column<T = f32> = [T; CHAINS];

/// Chains that were followed, and wait for their shapes.
pub(super) struct LongChains {
    count: usize,
    /// The numbers of their clusters.
    clusters: Column<usize>,
    sums: Columns,
    shapes: ShapesOf,
}

/// What a chain sums up to, as far as it was followed.
pub(super) struct LongChain<P: Rules> {
    digis: usize,
    sums: Sums<f32>,
    times: P::TimeSum,
    /// The sum of charges times channels, and the last channel.
    moment: f32,
    channel: f32,
}

impl<P: Rules> LongChain<P> {
    #[inline]
    pub(super) fn new([first, second]: [Digi; 2], formulas: &ClusterFormulas) -> Self {
        let (left, right) = (formulas.of_digi(first), formulas.of_digi(second));
        let start = f32::from(first.channel());
        let time = P::add_time(P::TimeSum::default(), first.time_ns());
        LongChain {
            digis: 2,
            sums: Sums { start, between: 0.0, left, middle: [0.0; 2], right },
            times: P::add_time(time, second.time_ns()),
            moment: left[0] * start + right[0] * (start + 1.0),
            channel: start + 1.0,
        }
    }

    /// Adds the digi of the next channel: what was the last one is between others now.
    #[inline]
    pub(super) fn push(&mut self, digi: Digi, formulas: &ClusterFormulas) {
        self.digis += 1;
        self.times = P::add_time(self.times, digi.time_ns());
        self.sums.between += 1.0;
        self.sums.middle = plus(self.sums.middle, self.sums.right);
        self.sums.right = formulas.of_digi(digi);
        self.channel += 1.0;
        self.moment += self.sums.right[0] * self.channel;
    }

    /// Its cluster, but for the shape.
    #[inline]
    pub(super) fn cluster(&self, formulas: &ClusterFormulas) -> Cluster {
        Cluster {
            size: self.digis as i32,
            time: P::mean_time(self.times, self.digis),
            time_error: formulas.time_error(self.digis),
            ..Cluster::default()
        }
    }
}

impl LongChains {
    pub(super) fn new() -> Self {
        LongChains { count: 0, clusters: [0; CHAINS], sums: Columns::default(), shapes: best() }
    }

    /// Whether the shapes of all have to be computed before there is another one.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.count == CHAINS
    }

    /// Adds a chain, whose cluster has this number.
    #[inline]
    pub(super) fn push<P: Rules>(&mut self, cluster: usize, chain: &LongChain<P>) {
        let place = self.count;
        self.clusters[place] = cluster;
        self.sums.set(place, &chain.sums, chain.moment);
        self.count += 1;
    }

    /// Completes the clusters of all chains; `offset` is that of the side's positions.
    pub(super) fn finish(&mut self, clusters: &mut [Cluster], offset: f32) {
        if self.count == 0 {
            return;
        }
        let mut shapes = ShapeColumns::default();
        (self.shapes)(&self.sums, &mut shapes);
        for (place, &cluster) in self.clusters[..self.count].iter().enumerate() {
            let cluster = &mut clusters[cluster];
            cluster.charge = shapes.charge[place];
            cluster.position = shapes.position[place] + offset;
            cluster.position_error = shapes.position_error[place];
        }
        self.count = 0;
    }
}

/// See [`Sums`].
struct Columns {
    start: Column,
    between: Column,
    left: [Column; 2],
    middle: [Column; 2],
    right: [Column; 2],
    moment: Column,
}

impl Default for Columns {
    fn default() -> Self {
        let (one, two) = ([0.0; CHAINS], [[0.0; CHAINS]; 2]);
        Columns { start: one, between: one, left: two, middle: two, right: two, moment: one }
    }
}

impl Columns {
    #[inline(always)]
    fn set(&mut self, place: usize, sums: &Sums<f32>, moment: f32) {
        let both = |columns: &mut [Column; 2], [charge, variance]: [f32; 2]| {
            (columns[0][place], columns[1][place]) = (charge, variance);
        };
        self.start[place] = sums.start;
        self.between[place] = sums.between;
        both(&mut self.left, sums.left);
        both(&mut self.middle, sums.middle);
        both(&mut self.right, sums.right);
        self.moment[place] = moment;
    }

    #[inline(always)]
    fn sums(&self, place: usize) -> Sums<f32> {
        let both = |columns: &[Column; 2]| [columns[0][place], columns[1][place]];
        Sums {
            start: self.start[place],
            between: self.between[place],
            left: both(&self.left),
            middle: both(&self.middle),
            right: both(&self.right),
        }
    }
}

/// See [`Shape`].
struct ShapeColumns {
    charge: Column,
    position: Column,
    position_error: Column,
}

impl Default for ShapeColumns {
    fn default() -> Self {
        let zeros = [0.0; CHAINS];
        ShapeColumns { charge: zeros, position: zeros, position_error: zeros }
    }
}

/// Computes the shapes of all chains, also where none was put.
type ShapesOf = fn(&Columns, &mut ShapeColumns);

/// The widest that this machine has.
fn best() -> ShapesOf {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available().or_else(avx2::if_available) {
        return widest;
    }
    compute
}

/// A plain loop over columns, which compilers turn into vectors.
#[inline(always)]
fn compute(columns: &Columns, shapes: &mut ShapeColumns) {
    for place in 0..CHAINS {
        let moment = columns.moment[place];
        let Shape { charge, position, position_error } =
            columns.sums(place).shape(|charge| moment / charge);
        shapes.charge[place] = charge;
        shapes.position[place] = position;
        shapes.position_error[place] = position_error;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Columns, ShapeColumns, ShapesOf};
    use crate::device::cpu_features::with_instructions;

    with_instructions! {
        /// Eight at a time, if this machine can.
        ["avx2"]
        ShapesOf: fn compute(columns: &Columns, shapes: &mut ShapeColumns) {
            super::compute(columns, shapes);
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use super::{Columns, ShapeColumns, ShapesOf};
    use crate::device::cpu_features::with_instructions;

    with_instructions! {
        /// Sixteen at a time, if this machine can.
        ["avx512f", "avx512vl"]
        ShapesOf: fn compute(columns: &Columns, shapes: &mut ShapeColumns) {
            super::compute(columns, shapes);
        }
    }
}

#[cfg(test)]
mod tests {
    use generators::random::mix;

    use super::*;

    /// All that this machine has.
    fn ways() -> Vec<ShapesOf> {
        let mut ways: Vec<ShapesOf> = vec![compute];
        #[cfg(target_arch = "x86_64")]
        {
            ways.extend(avx2::if_available());
            ways.extend(avx512::if_available());
        }
        ways
    }

    #[test]
    fn all_ways_have_the_bits_of_shapes_that_are_computed_alone() {
        let mut columns = Columns::default();
        for place in 0..CHAINS {
            let random = |of: usize| mix((8 * place + of) as u64) % 10_000;
            let charges = |of: usize| [random(of) as f32 + 1.0, random(of + 1) as f32];
            let (start, between) = (random(0) as f32, (random(1) % 4 + 1) as f32);
            let sums =
                Sums { start, between, left: charges(2), middle: charges(4), right: charges(6) };
            columns.set(place, &sums, 30_000.0 * start);
        }
        for way in ways() {
            let mut shapes = ShapeColumns::default();
            way(&columns, &mut shapes);
            for place in 0..CHAINS {
                let alone = columns.sums(place).shape(|charge| columns.moment[place] / charge);
                let Shape { charge, position, position_error } = alone;
                assert_eq!(shapes.charge[place].to_bits(), charge.to_bits());
                assert_eq!(shapes.position[place].to_bits(), position.to_bits());
                assert_eq!(shapes.position_error[place].to_bits(), position_error.to_bits());
            }
        }
    }
}
