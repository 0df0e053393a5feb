//! Segments in parts, if whole segments would leave threads idle.

use generators::partition::Partition;
use generators::sts::Digi;

use super::{ResultIn, merge_path};
use crate::parallel::for_each;
use crate::sts_sort::order::Order;

/// Digis below which a part costs more than it saves.
const MIN_PART: usize = 8192;
/// Parts for each thread's share of the work: enough to even out.
const PARTS_PER_SHARE: usize = 4;
/// Ratio of the time with whole segments to that with perfect balance above which the largest
/// segments are split.
const TOLERANCE: f64 = 1.1;

/// Into how many parts segments are split.
pub(super) struct Split {
    /// Segments longer than this are split into parts no longer than this.
    longest_part: usize,
}

impl Split {
    /// For the segments of an input and a number of threads.
    pub(super) fn new(partition: &Partition, threads: usize, cost: Cost) -> Self {
        let whole = threads == 1 || {
            let costs: Vec<_> = partition.lengths().map(|length| cost.for_length(length)).collect();
            let share = costs.iter().sum::<usize>() as f64 / threads as f64;
            busiest_thread(costs, threads) as f64 <= TOLERANCE * share
        };
        let longest_part = if whole {
            usize::MAX
        } else {
            let share = partition.elements().div_ceil(threads);
            (share / PARTS_PER_SHARE).max(MIN_PART)
        };
        Split { longest_part }
    }

    /// The parts of a segment of this length.
    pub(super) fn parts(&self, length: usize) -> usize {
        length.div_ceil(self.longest_part).max(1)
    }

    /// True if any segment is split.
    pub(super) fn any(&self, partition: &Partition) -> bool {
        partition.lengths().any(|length| self.parts(length) > 1)
    }
}

/// Growth of the cost of a sort with the length of a segment.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Proportional to the number of digis.
    Linear,
    /// A digi of a long segment costs more than one of a short segment.
    LogLinear,
}

impl Cost {
    /// Cost of `digis` digis, in some unit.
    fn for_length(self, digis: usize) -> usize {
        match self {
            Cost::Linear => digis,
            Cost::LogLinear => digis * digis.checked_ilog2().map_or(0, |log| log as usize + 1),
        }
    }
}

/// The cost of the busiest thread if the next free thread always takes the most expensive remaining
/// segment.
fn busiest_thread(mut costs: Vec<usize>, threads: usize) -> usize {
    costs.sort_unstable_by_key(|&cost| std::cmp::Reverse(cost));
    let mut loads = vec![0; threads];
    for cost in costs {
        if let Some(min) = loads.iter_mut().min() {
            *min += cost;
        }
    }
    loads.into_iter().max().unwrap_or(0)
}

/// Sorts the parts of a segment with `sort`, in parallel, and merges them by
/// Merge Path; stable if `sort` is. The scratch is as long as the segment.
pub(crate) fn sort_parts<O: Order>(
    digis: &mut [Digi],
    scratch: &mut [Digi],
    parts: usize,
    sort: impl Fn(&mut [Digi]) + Sync,
) -> ResultIn {
    if parts == 1 {
        sort(digis);
        return ResultIn::Digis;
    }
    let part = digis.len().div_ceil(parts);
    for_each(digis.chunks_mut(part), sort);
    merge_path::merge_runs::<O>(digis, scratch, part, parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn balanced_segments_stay_whole() {
        for threads in [1, 2, 4] {
            let split =
                Split::new(&Partition::from_lengths(vec![100_000; 24]), threads, Cost::LogLinear);
            assert_eq!(split.parts(100_000), 1, "{threads} threads");
        }
        let half = Partition::from_lengths([100_000, 100_000]);
        assert!(!Split::new(&half, 2, Cost::LogLinear).any(&half));
    }

    #[test]
    fn a_segment_with_everything_is_split() {
        let partition = Partition::from_lengths([1_000_000, 0, 10]);
        let split = Split::new(&partition, 2, Cost::LogLinear);
        assert!((8..=9).contains(&split.parts(1_000_000)));
        assert_eq!((split.parts(0), split.parts(10)), (1, 1));
    }

    #[test]
    fn a_segment_with_half_of_all_digis_is_split() {
        let mut lengths = vec![5_000; 2000];
        lengths[7] = 10_000_000;
        let partition = Partition::from_lengths(lengths);
        assert!(Split::new(&partition, 2, Cost::LogLinear).parts(10_000_000) > 1);
        assert_eq!(Split::new(&partition, 2, Cost::Linear).parts(10_000_000), 1);
    }

    #[test]
    fn few_digis_are_not_worth_splitting() {
        let partition = Partition::from_lengths([5000]);
        assert!(!Split::new(&partition, 64, Cost::LogLinear).any(&partition));
    }
}
