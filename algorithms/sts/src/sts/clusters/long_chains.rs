//! Chains of three digis or more, in batches.
//!
//! The shape of a chain takes a dozen divisions and a root. Its inputs are summed up while the
//! chain is followed; the shapes of a batch are computed in vectors as wide as the machine has.
//! Operations are those of [`Sums::shape`] in the same order, so each lane has the same bits as a
//! shape computed alone.

use generators_sts::Digi;

use super::formulas::ClusterFormulas;
use crate::sts::Cluster;
use crate::sts::formulas::{Shape, Sums, plus};
use crate::sts::rules::Rules;

/// Chains in a batch: their data stay in the first-level cache.
const CHAINS: usize = 64;

/// A number of each chain.
type Column<T = f32> = [T; CHAINS];

/// Chains that were followed, and wait for their shapes.
pub(super) struct LongChains {
    count: usize,
    /// Indices of the chains' clusters.
    clusters: Column<usize>,
    sums: Columns,
    shapes: ShapesOf,
}

/// Sums over the part of a chain that has been followed.
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
    pub(super) fn new(first: Digi, second: Digi, formulas: &ClusterFormulas) -> Self {
        let left = formulas.of_digi(first);
        let right = formulas.of_digi(second);
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

    /// Adds the digi of the next channel: the previous last one becomes a middle one.
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

    /// True if the batch must be computed before another chain is added.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.count == CHAINS
    }

    /// Adds a chain with the index of its cluster.
    #[inline]
    pub(super) fn push<P: Rules>(&mut self, cluster: usize, chain: &LongChain<P>) {
        let index = self.count;
        self.clusters[index] = cluster;
        self.sums.set(index, &chain.sums, chain.moment);
        self.count += 1;
    }

    /// Completes the clusters of all chains; `offset` is that of the side's positions.
    pub(super) fn finish(&mut self, clusters: &mut [Cluster], offset: f32) {
        if self.count == 0 {
            return;
        }
        let mut shapes = ShapeColumns::default();
        (self.shapes)(&self.sums, &mut shapes);
        for (index, &cluster) in self.clusters[..self.count].iter().enumerate() {
            let cluster = &mut clusters[cluster];
            cluster.charge = shapes.charge[index];
            cluster.position = shapes.position[index] + offset;
            cluster.position_error = shapes.position_error[index];
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
        let one = [0.0; CHAINS];
        let two = [[0.0; CHAINS]; 2];
        Columns { start: one, between: one, left: two, middle: two, right: two, moment: one }
    }
}

impl Columns {
    #[inline(always)]
    fn set(&mut self, index: usize, sums: &Sums<f32>, moment: f32) {
        let both = |columns: &mut [Column; 2], [charge, variance]: [f32; 2]| {
            (columns[0][index], columns[1][index]) = (charge, variance);
        };
        self.start[index] = sums.start;
        self.between[index] = sums.between;
        both(&mut self.left, sums.left);
        both(&mut self.middle, sums.middle);
        both(&mut self.right, sums.right);
        self.moment[index] = moment;
    }

    #[inline(always)]
    fn sums(&self, index: usize) -> Sums<f32> {
        let both = |columns: &[Column; 2]| [columns[0][index], columns[1][index]];
        Sums {
            start: self.start[index],
            between: self.between[index],
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
    for index in 0..CHAINS {
        let moment = columns.moment[index];
        let Shape { charge, position, position_error } =
            columns.sums(index).shape(|charge| moment / charge);
        shapes.charge[index] = charge;
        shapes.position[index] = position;
        shapes.position_error[index] = position_error;
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Columns, ShapeColumns, ShapesOf};
    use tasks::device::cpu_features::with_instructions;

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
    use tasks::device::cpu_features::with_instructions;

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
    use generators_common::random::mix;

    use super::*;

    /// All that this machine has.
    fn shape_functions() -> Vec<ShapesOf> {
        let mut shape_functions: Vec<ShapesOf> = vec![compute];
        #[cfg(target_arch = "x86_64")]
        {
            shape_functions.extend(avx2::if_available());
            shape_functions.extend(avx512::if_available());
        }
        shape_functions
    }

    #[test]
    fn vector_shapes_have_the_bits_of_single_ones() {
        let mut columns = Columns::default();
        for index in 0..CHAINS {
            let random = |of: usize| mix((8 * index + of) as u64) % 10_000;
            let charges = |of: usize| [random(of) as f32 + 1.0, random(of + 1) as f32];
            let start = random(0) as f32;
            let between = (random(1) % 4 + 1) as f32;
            let sums =
                Sums { start, between, left: charges(2), middle: charges(4), right: charges(6) };
            columns.set(index, &sums, 30_000.0 * start);
        }
        for shapes_of in shape_functions() {
            let mut shapes = ShapeColumns::default();
            shapes_of(&columns, &mut shapes);
            for index in 0..CHAINS {
                let alone = columns.sums(index).shape(|charge| columns.moment[index] / charge);
                let Shape { charge, position, position_error } = alone;
                assert_eq!(shapes.charge[index].to_bits(), charge.to_bits());
                assert_eq!(shapes.position[index].to_bits(), position.to_bits());
                assert_eq!(shapes.position_error[index].to_bits(), position_error.to_bits());
            }
        }
    }
}
