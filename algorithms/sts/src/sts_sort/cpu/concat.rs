//! Concat Sort: linear, for channels that are each ordered in time.
//!
//! If the digis of each channel arrive in order of time, no comparisons are needed: the
//! concatenated lists of the channels are the result.

use generators_sts::Digi;

use super::count::count;
use super::parts::Cost;
use super::segments::{Scratch, sort_segments};
use super::{ResultIn, StsSort, scatter};
use crate::sts_sort::order::{CHANNELS, channels_in_order};
use tasks::algorithm::Variant;

/// The digis of each channel are counted, then appended to its list.
pub(super) const CONCAT: Variant<StsSort> = Variant::cpu(
    "concat",
    "Concat Sort: linear, if the digis of each channel arrive in order of time",
    |at| {
        channels_in_order(at.input)?;
        sort_segments(at, Scratch::Always, Cost::Linear, sort_segment)
    },
);

fn sort_segment(digis: &mut [Digi], output: &mut [Digi], parts: usize) -> ResultIn {
    if parts == 1 {
        let mut offsets = count(digis, CHANNELS, channel);
        scatter::begin(&mut offsets);
        scatter::scatter(digis, output, &mut offsets, channel);
    } else {
        let part = digis.len().div_ceil(parts);
        let counts = scatter::count_parts(digis, part, CHANNELS, channel);
        scatter::scatter_parts(digis, output, part, &counts, channel);
    }
    ResultIn::Scratch
}

#[inline]
fn channel(digi: Digi) -> usize {
    usize::from(digi.channel())
}
