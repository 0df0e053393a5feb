//! Segments in parts, if whole segments would leave threads idle, and merges of sorted parts.

use generators_common::partition::Partition;
use generators_sts::Digi;
use parallel::{for_each, for_each_numbered};

use super::ResultIn;
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
    merge_runs::<O>(digis, scratch, part, parts)
}

// Merge Path merges sorted runs with any number of threads. Any position of the merged output can
// be traced back to positions in the two runs by a binary search along a diagonal of the merge
// matrix (Odeh, Green, Mwassi, Shmueli, Birk: Merge Path, 2012). So the output is split into tiles
// of equal size that are merged independently of each other.

/// Output digis below which a tile costs more than it saves.
const MIN_TILE: usize = 8192;

/// Sorts an array that consists of sorted runs of length `run` (the last may be shorter) by merging
/// neighbours until there is only one. Stable. The merges of each round are split into about
/// `parts` tiles that run in parallel.
pub(super) fn merge_runs<O: Order>(
    digis: &mut [Digi],
    scratch: &mut [Digi],
    run: usize,
    parts: usize,
) -> ResultIn {
    let tile = digis.len().div_ceil(parts).max(MIN_TILE);
    let tile = if parts == 1 { usize::MAX } else { tile };
    let mut run = run;
    let mut source = digis;
    let mut target = scratch;
    let mut result = ResultIn::Digis;
    while run < source.len() {
        merge_round::<O>(source, target, run, tile);
        std::mem::swap(&mut source, &mut target);
        result = result.other();
        run *= 2;
    }
    result
}

/// Merges each pair of neighbouring runs.
fn merge_round<O: Order>(source: &[Digi], target: &mut [Digi], run: usize, tile: usize) {
    let pairs = source.chunks(2 * run).zip(target.chunks_mut(2 * run));
    if tile == usize::MAX {
        for (pair, output) in pairs {
            let (left, right) = pair.split_at(run.min(pair.len()));
            merge::<O>(left, right, output);
        }
    } else {
        for_each(pairs, |(pair, output)| {
            let (left, right) = pair.split_at(run.min(pair.len()));
            merge_in_tiles::<O>(left, right, output, tile);
        });
    }
}

fn merge_in_tiles<O: Order>(left: &[Digi], right: &[Digi], output: &mut [Digi], tile: usize) {
    for_each_numbered(output.chunks_mut(tile), |index, output| {
        let start = index * tile;
        let end = start + output.len();
        let left_start = taken_from_left::<O>(left, right, start);
        let left_end = taken_from_left::<O>(left, right, end);
        merge::<O>(&left[left_start..left_end], &right[start - left_start..end - left_end], output);
    });
}

/// Number of digis of the left run among the first `diagonal` digis of the merged output. Of equal
/// keys, those of the left run come first.
fn taken_from_left<O: Order>(left: &[Digi], right: &[Digi], diagonal: usize) -> usize {
    let mut low = diagonal.saturating_sub(right.len());
    let mut high = diagonal.min(left.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if O::key(right[diagonal - 1 - middle]) < O::key(left[middle]) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// Merges two sorted runs into an output of their length; stable.
fn merge<O: Order>(left: &[Digi], right: &[Digi], output: &mut [Digi]) {
    let mut i = 0;
    let mut j = 0;
    // The next run is practically random: selecting instead of branching avoids a misprediction for
    // every other digi.
    while i < left.len() && j < right.len() {
        let a = left[i];
        let b = right[j];
        let from_right = O::key(b) < O::key(a);
        output[i + j] = if from_right { b } else { a };
        i += usize::from(!from_right);
        j += usize::from(from_right);
    }
    let rest = &mut output[i + j..];
    if i < left.len() {
        rest.copy_from_slice(&left[i..]);
    } else {
        rest.copy_from_slice(&right[j..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sts_sort::cpu::test_digis::{random_digis, sorted};
    use crate::sts_sort::order::ByChannelAndTime;

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

    /// Sorted digis with these times, marked with a charge.
    fn run(times: &[u64], adc: u64) -> Vec<Digi> {
        let digi = |time: &u64| Digi::from_bits(time | adc << 32);
        times.iter().map(digi).collect()
    }

    #[test]
    fn every_diagonal_cuts_the_merge_where_it_belongs() {
        let left = run(&[1, 3, 3, 5, 9], 0);
        let right = run(&[0, 3, 3, 4, 10, 11], 1);
        let mut merged = vec![Digi::default(); 11];
        merge::<ByChannelAndTime>(&left, &right, &mut merged);
        for diagonal in 0..=11 {
            let from_left = merged[..diagonal].iter().filter(|d| d.adc() == 0).count();
            let taken = taken_from_left::<ByChannelAndTime>(&left, &right, diagonal);
            assert_eq!(taken, from_left, "{diagonal}");
        }
    }

    #[test]
    fn tiles_give_the_same_as_one_merge() {
        let left = run(&(0..1000).map(|i| i * i % 977 / 3).collect::<Vec<_>>(), 0);
        let right = run(&(0..500).map(|i| i / 2).collect::<Vec<_>>(), 1);
        let left = sorted(&left);
        let mut expected = vec![Digi::default(); 1500];
        merge::<ByChannelAndTime>(&left, &right, &mut expected);
        for tile in [1, 7, 100, 1499, 1500, 2000] {
            let mut output = vec![Digi::default(); 1500];
            merge_in_tiles::<ByChannelAndTime>(&left, &right, &mut output, tile);
            assert_eq!(output, expected, "tile {tile}");
        }
    }

    #[test]
    fn runs_of_any_length_are_merged() {
        for length in [0, 1, 9, 10, 11, 25, 100, 30_001] {
            for parts in [1, 3] {
                let mut digis = random_digis(length);
                let expected = sorted(&digis);
                digis.chunks_mut(10).for_each(|run| run.sort_by_key(|digi| digi.key()));
                let mut scratch = digis.clone();
                let result = merge_runs::<ByChannelAndTime>(&mut digis, &mut scratch, 10, parts);
                assert_eq!(
                    result.select(&digis, &scratch),
                    expected,
                    "{length} digis in {parts} parts"
                );
            }
        }
    }
}
