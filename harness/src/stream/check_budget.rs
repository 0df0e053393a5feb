//! Time budget for comparing results: a small part of a worker's processing time.

use algorithms::algorithm::Segments;

/// Ratio of processing time to time for digests: 2 % of a worker's time.
const WORK_PER_CHECK: u64 = 50;

/// Cost of a digest of a prepared timeslice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct DigestCost {
    /// Cost for one segment, in ns.
    pub(super) smallest_ns: u64,
    /// Cost for all segments, in ns.
    pub(super) whole_ns: u64,
    pub(super) segments: usize,
    /// True if digests are computed from the result in place. Then counts alone cost nothing;
    /// otherwise the output is copied for them, too.
    pub(super) is_in_place: bool,
}

/// Time that a worker has spent on processing and on digests.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CheckBudget {
    worked_ns: u64,
    spent_ns: u64,
}

impl CheckBudget {
    /// Adds the processing time of a timeslice.
    pub(super) fn worked(&mut self, ns: u64) {
        self.worked_ns += ns;
    }

    /// Adds the time of a digest.
    pub(super) fn spent(&mut self, ns: u64) {
        self.spent_ns += ns;
    }

    /// Segments for the digest of a result, after `turn` earlier digests: the number that the budget
    /// allows, and different ones each time until all are covered. Counts alone if there is no time
    /// for a segment; `None` if there is no time for counts either.
    pub(super) fn segments(&self, cost: &DigestCost, turn: usize) -> Option<Segments> {
        match self.stride(cost) {
            Some(stride) => Some(Segments::every(stride, turn)),
            None => cost.is_in_place.then_some(Segments::NONE),
        }
    }

    fn stride(&self, cost: &DigestCost) -> Option<usize> {
        let left_ns = (self.worked_ns / WORK_PER_CHECK).saturating_sub(self.spent_ns);
        let sparsest = cost.segments.max(1);
        if left_ns >= cost.whole_ns {
            return Some(1);
        }
        let more_ns = left_ns.checked_sub(cost.smallest_ns).filter(|&more_ns| more_ns > 0)?;
        let stride = (cost.whole_ns - cost.smallest_ns).div_ceil(more_ns);
        Some(sparsest.min(stride as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COST: DigestCost =
        DigestCost { smallest_ns: 10, whole_ns: 1000, segments: 24, is_in_place: true };
    const WORK_NS: u64 = 10_000;

    /// Time for digests relative to processing time if each result is compared, and the strides.
    fn shares(cost: DigestCost, results: usize) -> (f64, Vec<Option<usize>>) {
        let mut budget = CheckBudget::default();
        let strides = (0..results).map(|_| {
            budget.worked(WORK_NS);
            let stride = budget.stride(&cost);
            if let Some(stride) = stride {
                let of_segments = (cost.whole_ns - cost.smallest_ns) / stride as u64;
                budget.spent(cost.smallest_ns + of_segments);
            }
            stride
        });
        let strides: Vec<_> = strides.collect();
        (budget.spent_ns as f64 / budget.worked_ns as f64, strides)
    }

    #[test]
    fn digests_take_two_percent_and_cover_what_there_is_time_for() {
        let (share, strides) = shares(COST, 1000);
        assert!(share <= 0.0201, "{share}");
        // A digest of all segments would take a tenth.
        assert!(strides.iter().all(|stride| (4..=7).contains(&stride.expect("time"))));
        let (_, cheap) = shares(DigestCost { whole_ns: 100, ..COST }, 10);
        assert_eq!(cheap, [Some(1); 10]);
    }

    #[test]
    fn unspent_time_is_available_to_later_results() {
        let mut budget = CheckBudget::default();
        budget.worked(5 * WORK_NS);
        assert_eq!(budget.segments(&COST, 7), Some(Segments::ALL));
    }

    #[test]
    fn some_results_are_compared_if_not_even_a_segment_fits() {
        let dear = DigestCost { smallest_ns: 1000, whole_ns: 1100, ..COST };
        let (share, strides) = shares(dear, 1000);
        assert!(share <= 0.0201, "{share}");
        let compared = strides.iter().flatten().count();
        assert!((150..=200).contains(&compared), "{compared}");
        let spent = CheckBudget { worked_ns: 50, spent_ns: 1 };
        assert_eq!(spent.segments(&dear, 3), Some(Segments::NONE), "counts cost nothing");
        assert_eq!(spent.segments(&DigestCost { is_in_place: false, ..dear }, 3), None);
    }

    #[test]
    fn a_slow_digest_uses_time_of_the_next() {
        let mut budget = CheckBudget::default();
        budget.worked(WORK_NS);
        budget.spent(1_000_000);
        assert_eq!(budget.segments(&COST, 25), Some(Segments::NONE));
    }
}
