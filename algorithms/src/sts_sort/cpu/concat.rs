//! Concat sort: linear, for channels that are each ordered in time.
//!
//! If the digis of each channel arrive in order of time, nothing is left to be
//! compared: the lists of the channels, one behind the other, are the result.

use generators::sts::{Digi, SegmentedDigis};

use super::parts::Cost;
use super::scatter;
use super::segments::{Scratch, sort_segments};
use super::two_arrays::ResultIn;
use crate::algorithm::Variant;
use crate::device::Unavailable;
use crate::sts_sort::StsSort;

/// All 11 bits of a channel.
const CHANNELS: usize = 1 << 11;

/// The digis of each channel are counted, then appended to its list.
pub(super) const CONCAT: Variant<StsSort> = Variant::cpu(
    "concat",
    "Concat Sort: linear, if the digis of each channel arrive in order of time",
    |at| {
        channels_in_order(at.input)?;
        sort_segments(at, Scratch::Always, Cost::Linear, |digis, output, parts| {
            if parts == 1 {
                let mut places = scatter::count(digis, CHANNELS, channel);
                scatter::begin(&mut places);
                scatter::scatter(digis, output, &mut places, channel);
            } else {
                let part = digis.len().div_ceil(parts);
                let counts = scatter::count_parts(digis, part, CHANNELS, channel);
                scatter::scatter_parts(digis, output, part, &counts, channel);
            }
            ResultIn::Scratch
        })
    },
);

#[inline]
fn channel(digi: Digi) -> usize {
    usize::from(digi.channel())
}

/// Refuses input that has a channel whose digis are not in order of time.
fn channels_in_order(input: &SegmentedDigis) -> Result<(), Unavailable> {
    for (number, segment) in input.segments().enumerate() {
        let mut latest = [0; CHANNELS];
        for &digi in segment {
            let latest = &mut latest[channel(digi)];
            if digi.time_ns() < *latest {
                return Err(Unavailable(format!(
                    "its digis must be in order of time in each channel; channel {} of segment \
                     {number} has {} ns after {latest} ns",
                    digi.channel(),
                    digi.time_ns()
                )));
            }
            *latest = digi.time_ns();
        }
    }
    Ok(())
}
