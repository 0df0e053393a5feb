//! Sorting by time within each channel, where channels have many digis.
//!
//! The digis of a channel fit the first-level cache, and so do a table of
//! coarse times for them and the place they go to.

use generators::sts::Digi;

use crate::sts_sort::cpu::times::{CoarseTime, SmallCounts, TimeRange, finish_by};
use crate::sts_sort::order::{ByTime, Order};

/// Larger tables no longer fit the first-level cache beside the digis.
const MAX_BITS: u32 = 14;

/// Sorts digis that are in order of channels into `target`, by time within
/// each channel; stable. `ends` are the places where the channels end.
pub(super) fn sort_channels(
    source: &[Digi],
    target: &mut [Digi],
    ends: impl Iterator<Item = usize>,
    range: &TimeRange,
) {
    let mut counts = SmallCounts::default();
    let mut start = 0;
    for end in ends {
        sort_channel(&source[start..end], &mut target[start..end], &mut counts, range);
        start = end;
    }
}

/// The same in parts of about this length that run in parallel.
pub(super) fn sort_channels_in_parts(
    source: &[Digi],
    target: &mut [Digi],
    ends: &[usize],
    range: &TimeRange,
    part: usize,
) {
    let (mut start, mut rest, mut ends) = (0, target, ends);
    rayon::scope(|scope| {
        while !ends.is_empty() {
            let enough = ends.partition_point(|&end| end < start + part) + 1;
            let (mine, others) = ends.split_at(enough.min(ends.len()));
            let end = mine[mine.len() - 1];
            let (sorted, more) = rest.split_at_mut(end - start);
            let digis = &source[start..end];
            let first = start;
            let mine = mine.iter().map(move |end| end - first);
            scope.spawn(move |_| sort_channels(digis, sorted, mine, range));
            (start, rest, ends) = (end, more, others);
        }
    });
}

/// A scatter by coarse time, then the final pass.
fn sort_channel(digis: &[Digi], target: &mut [Digi], counts: &mut SmallCounts, range: &TimeRange) {
    if digis.is_empty() {
        return;
    }
    if digis.len() > SmallCounts::LARGEST {
        target.copy_from_slice(digis);
        return target.sort_by_key(|digi| digi.time_ns());
    }
    // Two to four buckets a digi: two digis are seldom in one.
    let time = range.coarse((digis.len().ilog2() + 2).min(MAX_BITS));
    scatter_by_time(digis, target, &time, counts);
    finish_by(target, ByTime::key);
}

fn scatter_by_time(
    digis: &[Digi],
    target: &mut [Digi],
    time: &CoarseTime,
    counts: &mut SmallCounts,
) {
    let places = counts.clear(time.buckets());
    for &digi in digis {
        places[time.bucket(digi)] += 1;
    }
    let places = counts.begin();
    for &digi in digis {
        let place = &mut places[time.bucket(digi)];
        target[usize::from(*place)] = digi;
        *place += 1;
    }
}
