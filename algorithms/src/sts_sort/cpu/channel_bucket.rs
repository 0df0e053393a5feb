//! Our sort: by channel in one scatter, with as little care for the time as
//! the input allows.
//!
//! Detector data arrive nearly in order of time. A stable scatter by channel
//! then leaves nothing, or nearly nothing, to do: a final pass puts the few
//! digis right that are not yet in place. Where a sample shows that the input
//! is too far from that, scatters by coarse time come first and make it so.
//! Every pass is stable, and all choices follow from the digis, within the
//! timed run. `docs/sorting.md` explains the numbers.

mod finish;
mod passes;
mod survey;

use generators::sts::Digi;

use super::scatter::{self, Counts};
use super::{CpuSort, ResultIn, Scratch, accept_all};
use finish::{finish, finish_in_parts};
use passes::Passes;
use survey::{Survey, TimeDigit};

/// All 11 bits of a channel.
const CHANNELS: usize = 1 << 11;

/// Below so many digis the tables cost more than they save.
const SMALL: usize = 256;

/// Scatters by coarse time as far as needed, a scatter by channel, a final pass.
pub(in crate::sts_sort) static CHANNEL_BUCKET: CpuSort = CpuSort {
    name: "channel-bucket",
    summary: "ours: one scatter by channel; if the input is not nearly time-ordered, it is made so first",
    stable: true,
    scratch: Scratch::Always,
    accepts: accept_all,
    sort_segment,
};

fn sort_segment(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn {
    if digis.len() < SMALL {
        digis.sort_by_key(|digi| digi.key());
        return ResultIn::Digis;
    }
    let time_digits = Survey::of(digis).time_digits();
    if parts == 1 {
        sort_alone(digis, scratch, &time_digits)
    } else {
        sort_in_parts(digis, scratch, &time_digits, parts)
    }
}

fn sort_alone(digis: &mut [Digi], scratch: &mut [Digi], time_digits: &[TimeDigit]) -> ResultIn {
    let mut tables = Tables::of(digis, time_digits);
    let mut passes = Passes::new(digis, scratch);
    for (digit, places) in time_digits.iter().zip(&mut tables.times) {
        passes.scatter(places, |digi| digit.of(digi));
    }
    passes.scatter(&mut tables.channels, channel);
    let (sorted, result) = passes.end();
    if !tables.time_ordered {
        finish(sorted);
    }
    result
}

/// The same with each pass in parts that run in parallel.
fn sort_in_parts(
    digis: &mut [Digi],
    scratch: &mut [Digi],
    time_digits: &[TimeDigit],
    parts: usize,
) -> ResultIn {
    let part = digis.len().div_ceil(parts);
    let mut passes = Passes::new(digis, scratch);
    for digit in time_digits {
        passes.scatter_in_parts(part, digit.buckets(), |digi| digit.of(digi));
    }
    passes.scatter_in_parts(part, CHANNELS, channel);
    let (sorted, result) = passes.end();
    finish_in_parts(sorted, part);
    result
}

#[inline]
fn channel(digi: Digi) -> usize {
    usize::from(digi.channel())
}

/// What one look at all digis tells.
struct Tables {
    /// The counts of each scatter by time.
    times: Vec<Counts>,
    /// The counts of the scatter by channel.
    channels: Counts,
    /// Whether no digi is earlier than the one before it.
    time_ordered: bool,
}

impl Tables {
    fn of(digis: &[Digi], time_digits: &[TimeDigit]) -> Self {
        let counts = |digit: &TimeDigit| vec![0; digit.buckets()];
        let mut tables = Tables {
            times: time_digits.iter().map(counts).collect(),
            channels: vec![0; CHANNELS],
            time_ordered: false,
        };
        // One loop each for the usual numbers of passes: a loop over passes
        // for each digi would take as long as a scatter.
        match (time_digits, &mut tables.times[..]) {
            ([], _) => tables.time_ordered = count_channels(digis, &mut tables.channels),
            ([digit], [counts]) => {
                for &digi in digis {
                    tables.channels[channel(digi)] += 1;
                    counts[digit.of(digi)] += 1;
                }
            }
            ([first, second], [first_counts, second_counts]) => {
                for &digi in digis {
                    tables.channels[channel(digi)] += 1;
                    first_counts[first.of(digi)] += 1;
                    second_counts[second.of(digi)] += 1;
                }
            }
            (digits, times) => {
                tables.channels = scatter::count(digis, CHANNELS, channel);
                for (digit, counts) in digits.iter().zip(times) {
                    *counts = scatter::count(digis, digit.buckets(), |digi| digit.of(digi));
                }
            }
        }
        tables
    }
}

/// Counts by channel; tells whether the digis are in order of time.
fn count_channels(digis: &[Digi], counts: &mut [u32]) -> bool {
    let (mut previous, mut descents) = (0, 0);
    for &digi in digis {
        counts[channel(digi)] += 1;
        descents += usize::from(digi.time_ns() < previous);
        previous = digi.time_ns();
    }
    descents == 0
}
