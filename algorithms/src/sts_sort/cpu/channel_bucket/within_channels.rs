//! Sorting by time within each channel, if channels have many digis.
//!
//! The digis of a channel fit into the first-level cache, together with a table of coarse times and
//! the buffer they go to.

use generators::sts::Digi;

use crate::sts_sort::cpu::times::{SmallCounts, TimeRange, finish_by, parts_of};
use crate::sts_sort::order::{ByTime, Order};

/// With more bits, table and digis together do not fit into the first-level cache.
const MAX_BITS: u32 = 14;

/// Sorts digis that are in order of channels into `target`, by time within each channel; stable.
/// `ends` are the ends of the channels.
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

/// Sorts channels in parts of about this length that run in parallel.
pub(super) fn sort_channels_in_parts(
    source: &[Digi],
    target: &mut [Digi],
    ends: &[usize],
    range: &TimeRange,
    part: usize,
) {
    let mut rest = target;
    rayon::scope(|scope| {
        for (digis, mine) in parts_of(ends, part) {
            let (sorted, more) = std::mem::take(&mut rest).split_at_mut(digis.len());
            let first = digis.start;
            let digis = &source[digis];
            let mine = mine.iter().map(move |end| end - first);
            scope.spawn(move |_| sort_channels(digis, sorted, mine, range));
            rest = more;
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
    counts.scatter(digis, target, time.buckets(), |digi| time.bucket(digi));
    finish_by(target, ByTime::key);
}
