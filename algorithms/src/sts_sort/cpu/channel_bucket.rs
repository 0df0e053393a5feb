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

mod survey;
mod within_channels;

use generators::sts::Digi;

use super::count::{count, count_and_look, count_twice};
use super::parts::Cost;
use super::scatter;
use super::scratch::Scratch;
use super::segments::{sort_in_place, sort_segments};
use super::times::{finish, finish_in_parts};
use super::two_arrays::ResultIn;
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;
use survey::{Strategy, Survey};
use within_channels::{sort_channels, sort_channels_in_parts};

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
