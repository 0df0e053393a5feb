//! The segment of a series that differs most from the rest.
//!
//! Circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, Biostatistics 5 (2004)
//! 557), on ranks: the distance of the mean rank of a segment from that of the rest, in units of
//! its error. A level that lasts for a while and returns has no single split with different sides,
//! but is such a segment.

use std::ops::Range;

use super::ranks::ranks;

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
    use super::*;

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
