//! The stretch within a series that is the most unlike all the rest.
//!
//! Circular binary segmentation (Olshen, Venkatraman, Lucito and Wigler, Biostatistics 5
//! (2004) 557), on ranks: how far the mean rank of a stretch is from that of the rest, in
//! units of its error. A level that lasts for a while and goes back has no single cut with
//! unlike sides, but is such a stretch.

use std::ops::Range;

/// The ranks of values, less their mean; equal values share theirs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranks(pub Vec<f64>);

/// Room for sums that is used again, and the weights of stretches by their lengths.
pub(super) struct Weights {
    by_length: Vec<f64>,
    sums: Vec<f64>,
}

impl Ranks {
    pub fn new(values: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let mean = (values.len() as f64 - 1.0) / 2.0;
        let (mut ranks, mut before) = (vec![0.0; values.len()], 0);
        for equal in order.chunk_by(|a, b| values[*a] == values[*b]) {
            let shared = before as f64 + (equal.len() as f64 - 1.0) / 2.0;
            equal.iter().for_each(|&place| ranks[place] = shared - mean);
            before += equal.len();
        }
        Ranks(ranks)
    }
}

impl Weights {
    /// For series of this length.
    pub fn new(length: usize) -> Self {
        let n = length as f64;
        let weight = |inside: usize| n / (inside as f64 * (n - inside as f64));
        Weights {
            by_length: (0..length).map(weight).collect(),
            sums: Vec::with_capacity(length + 1),
        }
    }

    /// The stretch that is the most unlike the rest, and how unlike it is. It has at least
    /// `least` values, and so has what lies before it and behind it, if anything does.
    pub fn most_unlike(&mut self, ranks: &Ranks, least: usize) -> Option<(Range<usize>, f64)> {
        self.sum_up(ranks);
        let length = ranks.0.len();
        let starts = (0..length).filter(|start| *start == 0 || *start >= least);
        let best = starts.filter_map(|start| self.best_from(start, length, least));
        best.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn sum_up(&mut self, ranks: &Ranks) {
        self.sums.clear();
        self.sums.push(0.0);
        let mut sum = 0.0;
        self.sums.extend(ranks.0.iter().map(|rank| {
            sum += rank;
            sum
        }));
    }

    fn best_from(&self, start: usize, length: usize, least: usize) -> Option<(Range<usize>, f64)> {
        let before = self.sums[start];
        // A stretch to the end and one from the beginning is the same cut seen twice.
        let last = length - least.min(length);
        let mut best: Option<(usize, f64)> = None;
        for end in start + least..=last {
            let unlike = (self.sums[end] - before).powi(2) * self.by_length[end - start];
            if best.is_none_or(|(_, most)| unlike > most) {
                best = Some((end, unlike));
            }
        }
        best.map(|(end, unlike)| (start..end, unlike))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[f64]) -> Option<Range<usize>> {
        let mut weights = Weights::new(values.len());
        let found = weights.most_unlike(&Ranks::new(values), 3);
        found.map(|(range, _)| range)
    }

    #[test]
    fn equal_values_share_a_rank_and_all_are_centred() {
        let ranks = Ranks::new(&[5.0, 1.0, 5.0, 7.0]);
        assert_eq!(ranks.0, [0.0, -1.5, 0.0, 1.5]);
        assert_eq!(Ranks::new(&[]).0, [0.0; 0]);
    }

    #[test]
    fn a_level_that_went_back_is_found() {
        let mut values = [1.0, 1.1, 0.9, 1.05].repeat(5);
        values[8..12].iter_mut().for_each(|value| *value += 1.0);
        assert_eq!(found(&values), Some(8..12));
    }

    #[test]
    fn a_step_is_a_stretch_from_the_beginning() {
        let values = [[1.0, 1.1, 0.9, 1.05], [2.0, 2.1, 1.9, 2.05]].concat();
        assert_eq!(found(&values), Some(0..4));
    }

    #[test]
    fn neither_ends_nor_stretches_are_too_short() {
        assert_eq!(found(&[1.0; 5]), None);
        let wild = [9.0, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 9.0];
        let range = found(&wild).expect("some");
        assert!(range.len() >= 3 && wild.len() - range.end >= 3, "{range:?}");
    }
}
