//! recobench's sort: by channel in one scatter, with only as much sorting by time as the input
//! needs.
//!
//! Detector data arrive nearly in order of time. After a stable scatter by channel, (nearly)
//! nothing remains to be done: a final pass moves the few digis that are not yet at their index. If
//! a sample shows that the input is too far from that order, one more scatter, by coarse time,
//! establishes it: before the scatter by channel if channels have few digis, within each channel if
//! they have many. Every pass is stable, and all choices follow from the digis, within the timed
//! run.
//!
//! `docs/sorting.md` explains the numbers.

use generators_sts::Digi;

use super::count::{count, count_and_look, count_twice};
use super::parts::Cost;
use super::segments::{Scratch, sort_in_place, sort_segments};
use super::times::{
    CoarseTime, SmallCounts, TimeRange, finish, finish_by, finish_in_parts, parts_of, sample,
};
use super::{ResultIn, scatter};
use crate::sts_sort::StsSort;
use crate::sts_sort::order::{ByTime, Order};
use tasks::algorithm::Variant;

/// All 11 bits of a channel.
const CHANNELS: usize = 1 << 11;

/// Below this number of digis the tables cost more than they save.
const SMALL: usize = 256;

/// At most two scatters and a final pass.
pub(super) const CHANNEL_BUCKET: Variant<StsSort> = Variant::cpu(
    "channel-bucket",
    "ours: a scatter by channel, and by coarse time where the input is in disorder",
    |at| sort_segments(at, Scratch::Always, Cost::LogLinear, sort_segment),
);

/// Sorts the digis of a segment on one thread, with a scratch that may be longer.
pub(crate) fn sort_alone_in_place(digis: &mut [Digi], scratch: &mut [Digi]) {
    sort_in_place(digis, scratch, sort_segment);
}

fn sort_segment(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn {
    if digis.len() < SMALL {
        digis.sort_by_key(|digi| digi.key());
        return ResultIn::Digis;
    }
    let strategy = Survey::new(digis).strategy();
    if parts == 1 {
        sort_alone(digis, scratch, &strategy)
    } else {
        let part = digis.len().div_ceil(scatter::PIECES_PER_PART * parts);
        sort_in_parts(digis, scratch, &strategy, part)
    }
}

#[inline]
fn channel(digi: Digi) -> usize {
    usize::from(digi.channel())
}

fn sort_alone(digis: &mut [Digi], scratch: &mut [Digi], strategy: &Strategy) -> ResultIn {
    match strategy {
        Strategy::ChannelOnly => {
            let (mut channels, time_ordered) = count_and_look(digis, CHANNELS, channel);
            scatter::begin(&mut channels);
            scatter::scatter(digis, scratch, &mut channels, channel);
            if !time_ordered {
                finish(scratch);
            }
            ResultIn::Scratch
        }
        Strategy::TimeThenChannel(time) => {
            let by_time = (time.buckets(), |digi| time.bucket(digi));
            let (mut times, mut channels) = count_twice(digis, by_time, (CHANNELS, channel));
            scatter::begin(&mut times);
            scatter::scatter(digis, scratch, &mut times, |digi| time.bucket(digi));
            scatter::begin(&mut channels);
            scatter::scatter(scratch, digis, &mut channels, channel);
            finish(digis);
            ResultIn::Digis
        }
        Strategy::ChannelThenTime(range) => {
            let mut channels = count(digis, CHANNELS, channel);
            scatter::begin(&mut channels);
            scatter::scatter(digis, scratch, &mut channels, channel);
            // The scatter has moved each channel's offset to the end of the channel.
            let ends = channels.iter().map(|&end| end as usize);
            sort_channels(scratch, digis, ends, range);
            ResultIn::Digis
        }
    }
}

/// Sorts with each pass split into parts of this length that run in parallel.
fn sort_in_parts(
    digis: &mut [Digi],
    scratch: &mut [Digi],
    strategy: &Strategy,
    part: usize,
) -> ResultIn {
    match strategy {
        Strategy::ChannelOnly => {
            scatter::in_parts(digis, scratch, part, CHANNELS, channel);
            finish_in_parts(scratch, part);
            ResultIn::Scratch
        }
        Strategy::TimeThenChannel(time) => {
            let bucket = |digi| time.bucket(digi);
            scatter::in_parts(digis, scratch, part, time.buckets(), bucket);
            scatter::in_parts(scratch, digis, part, CHANNELS, channel);
            finish_in_parts(digis, part);
            ResultIn::Digis
        }
        Strategy::ChannelThenTime(range) => {
            let ends = scatter::in_parts(digis, scratch, part, CHANNELS, channel);
            sort_channels_in_parts(scratch, digis, &ends, range, part);
            ResultIn::Digis
        }
    }
}

/// Channels that digis spread over, more or less evenly.
const TYPICAL_CHANNELS: f64 = 1024.0;

/// If a digi has to pass fewer than this many others in the final pass, a scatter by time does not
/// pay.
const TOLERABLE: f64 = 1.0;

/// With more digis than this in a channel, it pays to sort each channel separately: it fits into
/// the first-level cache, together with a table of its own.
const BUSY_CHANNEL: f64 = 64.0;

/// Cells of channel and coarse time for each digi: enough that a cell seldom has two digis that
/// could be in the wrong order.
const CELLS_PER_DIGI: f64 = 16.0;

/// The range of the times, and how far they are from ascending.
struct Survey {
    digis: usize,
    range: TimeRange,
    /// Mean delay of a digi relative to the latest one before it, in ns.
    mean_lag: f64,
}

/// The scatters after which digis are nearly in order.
enum Strategy {
    /// The digis are nearly in order of time.
    ChannelOnly,
    /// Channels are not nearly in order of time, and have few digis.
    TimeThenChannel(CoarseTime),
    /// Channels are not nearly in order of time, and have many digis.
    ChannelThenTime(TimeRange),
}

impl Survey {
    fn new(digis: &[Digi]) -> Self {
        let mut earliest = u32::MAX;
        let mut latest = 0;
        let mut lag = 0_u64;
        let looked_at = sample(digis);
        let count = looked_at.len();
        for digi in looked_at {
            let time = digi.time_ns();
            earliest = earliest.min(time);
            latest = latest.max(time);
            lag += u64::from(latest - time);
        }
        Survey {
            digis: digis.len(),
            range: TimeRange::new(earliest, latest),
            mean_lag: lag as f64 / count as f64,
        }
    }

    fn strategy(&self) -> Strategy {
        let in_channel = self.digis as f64 / TYPICAL_CHANNELS;
        let to_pass = self.mean_lag / self.range.length() * in_channel;
        if to_pass < TOLERABLE {
            Strategy::ChannelOnly
        } else if in_channel > BUSY_CHANNEL {
            Strategy::ChannelThenTime(self.range)
        } else {
            let bits = (CELLS_PER_DIGI * in_channel).log2().ceil();
            Strategy::TimeThenChannel(self.range.coarse(bits as u32))
        }
    }
}

// Sorting by time within each channel, if channels have many digis: those of a channel fit into the
// first-level cache, together with a table of coarse times and the buffer they go to.

/// With more bits, table and digis together do not fit into the first-level cache.
const MAX_BITS: u32 = 14;

/// Sorts digis that are in order of channels into `target`, by time within each channel; stable.
/// `ends` are the ends of the channels.
fn sort_channels(
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
fn sort_channels_in_parts(
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

#[cfg(test)]
mod tests {
    use generators_sts::{DigiShape, Order, Skew, generate};

    use super::*;

    fn strategy(order: Order, digis: u64) -> Strategy {
        let shape = DigiShape {
            segments: 1,
            digis,
            order,
            skew: Skew::Ratio(1.0),
            duplicates: 0.0,
            timeslice_ns: 1 << 31,
        };
        let digis = generate(&shape, 1).expect("a sensible shape");
        Survey::new(digis.digis()).strategy()
    }

    #[test]
    fn nearly_ordered_digis_need_no_scatter_by_time() {
        for digis in [300, 10_000, 1_000_000] {
            for order in [Order::Time, Order::Jitter(64)] {
                assert!(matches!(strategy(order, digis), Strategy::ChannelOnly));
            }
        }
    }

    #[test]
    fn disordered_digis_need_one() {
        let small = strategy(Order::Random, 10_000);
        assert!(matches!(small, Strategy::TimeThenChannel(time) if time.buckets() > 100));
        let large = strategy(Order::Random, 1_000_000);
        assert!(matches!(large, Strategy::ChannelThenTime(_)));
    }
}
