//! Energy distance between the two sides of a series, for every index at which it can be split.
//!
//! The energy statistic of Székely and Rizzo (InterStat 2004), scaled as Matteson and James (J. Am.
//! Stat. Assoc. 109 (2014) 334) do for series, with distances to the power of one: the mean
//! distance between values of both sides, twice, minus the mean distances within the sides. It
//! requires nothing of the distribution but a mean.
//!
//! Another statistic is that of the segment of a series that differs most from the rest:
//! circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, Biostatistics 5 (2004)
//! 557), on ranks: the distance of the mean rank of a segment from that of the rest, in units of
//! its error. A level that lasts for a while and returns has no single split with different sides,
//! but is such a segment.

use std::ops::Range;

use super::hypotheses::ranks;

/// The split of a series whose sides differ most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Split {
    /// The first value of the second side.
    pub at: usize,
    /// Energy distance of the sides; larger means less alike.
    pub energy: f64,
}

/// The values of a segment with the sum of their distances to all others: reordered, they
/// keep those sums.
pub(super) struct Segment {
    /// Values with their sums of distances.
    pub points: Vec<(f64, f64)>,
    /// The sum of the distances of all pairs.
    total: f64,
    /// The values alone, in the current order.
    values: Vec<f64>,
    /// For each value the sum of its distances to the previous ones.
    before: Vec<f64>,
}

impl Segment {
    pub fn new(values: &[f64]) -> Self {
        let distances = |value: f64| values.iter().map(move |other| (other - value).abs());
        let point = |value: &f64| (*value, distances(*value).sum());
        let points: Vec<(f64, f64)> = values.iter().map(point).collect();
        let total = points.iter().map(|(_, sum)| sum).sum::<f64>() / 2.0;
        Segment { points, total, values: Vec::new(), before: Vec::new() }
    }

    /// The best split with at least `min_length` (two or more) values on either side, if the series is
    /// long enough.
    pub fn best_split(&mut self, min_length: usize) -> Option<Split> {
        let length = self.points.len();
        self.sum_up_before();
        let before = &self.before;
        let mut left = 0.0;
        let mut right = self.total;
        let mut best: Option<Split> = None;
        for at in 1..length {
            let (_, sum) = self.points[at - 1];
            left += before[at - 1];
            right -= sum - before[at - 1];
            if at < min_length || length - at < min_length {
                continue;
            }
            let energy = self.energy(at, left, right);
            if best.is_none_or(|best| energy > best.energy) {
                best = Some(Split { at, energy });
            }
        }
        best
    }

    /// From the sums of the distances within both sides.
    fn energy(&self, at: usize, left: f64, right: f64) -> f64 {
        let m = at as f64;
        let n = (self.points.len() - at) as f64;
        let pairs = |count: f64| count * (count - 1.0) / 2.0;
        let between = (self.total - left - right) / (m * n);
        m * n / (m + n) * (2.0 * between - left / pairs(m) - right / pairs(n))
    }

    /// Adds four values at a time to all that follow: independent sums, which a compiler
    /// vectorises, and a quarter of the memory traffic.
    fn sum_up_before(&mut self) {
        self.values.clear();
        self.values.extend(self.points.iter().map(|(value, _)| value));
        self.before.clear();
        self.before.resize(self.points.len(), 0.0);
        let mut start = 0;
        while let Some(&[a, b, c, d]) = self.values[start..].first_chunk() {
            let before = &mut self.before[start..];
            before[1] += (b - a).abs();
            before[2] += (c - a).abs() + (c - b).abs();
            before[3] += (d - a).abs() + (d - b).abs() + (d - c).abs();
            start += 4;
            let later = self.before[start..].iter_mut().zip(&self.values[start..]);
            for (sum, x) in later {
                *sum += (x - a).abs() + (x - b).abs() + (x - c).abs() + (x - d).abs();
            }
        }
        // Fewer than four remain.
        for at in start..self.values.len() {
            let distances =
                self.values[start..at].iter().map(|other| (self.values[at] - other).abs());
            self.before[at] += distances.sum::<f64>();
        }
    }
}

/// A series by its ranks, to be reordered and looked at again.
pub(super) struct Ranked {
    /// The ranks of the values, less their mean.
    pub ranks: Vec<f64>,
    /// The weights of segments by their lengths.
    weights: Vec<f64>,
    /// Room for sums that is used again.
    sums: Vec<f64>,
}

impl Ranked {
    pub fn new(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let weight = |inside: usize| n / (inside as f64 * (n - inside as f64));
        let (mut ranks, _) = ranks(values);
        ranks.iter_mut().for_each(|rank| *rank -= (n + 1.0) / 2.0);
        Ranked {
            ranks,
            weights: (0..values.len()).map(weight).collect(),
            sums: Vec::with_capacity(values.len() + 1),
        }
    }

    /// The segment that differs most from the rest, and by how much. It has at least `min_length`
    /// values, and so have the parts before and after it, unless they are empty.
    pub fn most_extreme(&mut self, min_length: usize) -> Option<(Range<usize>, f64)> {
        self.sum_up();
        let starts = (0..self.ranks.len()).filter(|start| *start == 0 || *start >= min_length);
        let best = starts.filter_map(|start| self.best_from(start, min_length));
        best.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn sum_up(&mut self) {
        self.sums.clear();
        self.sums.push(0.0);
        let mut sum = 0.0;
        self.sums.extend(self.ranks.iter().map(|rank| {
            sum += rank;
            sum
        }));
    }

    fn best_from(&self, start: usize, min_length: usize) -> Option<(Range<usize>, f64)> {
        let before = self.sums[start];
        // A segment to the end and one from the start are the same split.
        let last = self.ranks.len().saturating_sub(min_length);
        let mut best: Option<(usize, f64)> = None;
        for end in start + min_length..=last {
            let distance = (self.sums[end] - before).powi(2) * self.weights[end - start];
            if best.is_none_or(|(_, most)| distance > most) {
                best = Some((end, distance));
            }
        }
        best.map(|(end, distance)| (start..end, distance))
    }
}

#[cfg(test)]
mod tests {
    use super::super::synthetic::Noise;
    use super::*;

    /// The definition, with all pairs.
    fn energy(left: &[f64], right: &[f64]) -> f64 {
        let sum = |a: &[f64], b: &[f64]| -> f64 {
            let of = |x: &f64| b.iter().map(|y| (x - y).abs()).sum::<f64>();
            a.iter().map(of).sum()
        };
        let m = left.len() as f64;
        let n = right.len() as f64;
        let within = |side: &[f64], count: f64| sum(side, side) / (count * (count - 1.0));
        let between = 2.0 * sum(left, right) / (m * n);
        m * n / (m + n) * (between - within(left, m) - within(right, n))
    }

    #[test]
    fn the_best_split_is_that_of_the_definition() {
        for seed in 0..20 {
            let mut noise = Noise::new(seed);
            let values: Vec<f64> = (0..17).map(|_| noise.heavy()).collect();
            let splits = (3..=14).map(|at| (at, energy(&values[..at], &values[at..])));
            let (at, most) = splits.max_by(|a, b| a.1.total_cmp(&b.1)).expect("some");
            let best = Segment::new(&values).best_split(3).expect("room");
            assert_eq!(best.at, at);
            assert!((best.energy / most - 1.0).abs() < 1e-9, "{best:?} {most}");
        }
    }

    #[test]
    fn a_short_segment_has_no_split() {
        assert_eq!(Segment::new(&[1.0; 5]).best_split(3), None);
        assert_eq!(Segment::new(&[]).best_split(3), None);
        assert_eq!(Segment::new(&[1.0; 6]).best_split(3), Some(Split { at: 3, energy: 0.0 }));
    }

    fn found(values: &[f64]) -> Option<Range<usize>> {
        Some(Ranked::new(values).most_extreme(3)?.0)
    }

    #[test]
    fn equal_values_share_a_rank_and_all_are_centred() {
        assert_eq!(Ranked::new(&[5.0, 1.0, 5.0, 7.0]).ranks, [0.0, -1.5, 0.0, 1.5]);
        assert_eq!(Ranked::new(&[]).ranks, [0.0; 0]);
    }

    #[test]
    fn a_level_that_returned_is_found() {
        let mut values = [1.0, 1.1, 0.9, 1.05].repeat(5);
        values[8..12].iter_mut().for_each(|value| *value += 1.0);
        assert_eq!(found(&values), Some(8..12));
    }

    #[test]
    fn a_step_is_a_segment_from_the_start() {
        let values = [[1.0, 1.1, 0.9, 1.05], [2.0, 2.1, 1.9, 2.05]].concat();
        assert_eq!(found(&values), Some(0..4));
    }

    #[test]
    fn neither_ends_nor_segments_are_too_short() {
        assert_eq!(found(&[1.0; 5]), None);
        let wild = [9.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 9.0];
        let range = found(&wild).expect("some");
        assert!(range.len() >= 3 && wild.len() - range.end >= 3, "{range:?}");
    }
}
