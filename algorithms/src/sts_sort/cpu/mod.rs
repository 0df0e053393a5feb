//! Sorting on the host.
//!
//! A variant here is a sort of one segment; `segments` has the common code: segments in parallel,
//! and large segments in `parts`.

mod channel_bucket;
mod count;
mod library_sorts;
pub(crate) mod parts;
pub(crate) mod radix;
mod scatter;
pub(crate) mod segments;
mod time_bucket;
mod times;

use generators::sts::Digi;

use super::StsSort;
use super::order::{ByChannelAndTime, CHANNELS, channels_in_order};
use crate::algorithm::Variant;
use crate::parallel::for_each;
use count::count;
use parts::Cost;
use segments::{Scratch, sort_segments};

pub(crate) use channel_bucket::sort_alone_in_place;
pub(crate) use time_bucket::sort_segment as sort_by_time;

pub(super) const VARIANTS: &[Variant<StsSort>] = &[
    library_sorts::STD_STABLE,
    library_sorts::STD_UNSTABLE,
    library_sorts::STD_SORT,
    BLOCK_MERGE,
    radix::SEGMENTED_RADIX,
    CONCAT,
    channel_bucket::CHANNEL_BUCKET,
    library_sorts::RDST,
    library_sorts::VORACIOUS,
    library_sorts::VORACIOUS_STABLE,
];

/// The array that has the result of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ResultIn {
    Digis,
    Scratch,
}

impl ResultIn {
    fn other(self) -> Self {
        match self {
            ResultIn::Digis => ResultIn::Scratch,
            ResultIn::Scratch => ResultIn::Digis,
        }
    }

    #[cfg(test)]
    fn select<'a, T>(self, digis: &'a [T], scratch: &'a [T]) -> &'a [T] {
        match self {
            ResultIn::Digis => digis,
            ResultIn::Scratch => &scratch[..digis.len()],
        }
    }
}

// The published GPU algorithm: CBM sorts a segment on the GPU with one block: chunks of 512 threads
// × 11 digis by a block-wide radix sort, then merges of neighbouring runs by Merge Path, in which
// all threads share one merge. Here the chunks are those, and threads share a segment where there
// are more threads than segments can feed.

/// Digis that a block sorts at once: 512 threads with 11 each.
const CHUNK: usize = 512 * 11;

/// Chunks by radix sort, then merges: two arrays of the size of the input.
const BLOCK_MERGE: Variant<StsSort> = Variant::cpu(
    "block-merge",
    "published: chunks of 5632 digis by radix sort, merged by Merge Path",
    |at| sort_segments(at, Scratch::Always, Cost::LogLinear, sort_segment),
);

fn sort_segment(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn {
    let sort_chunk =
        |(chunk, scratch): (&mut [Digi], &mut [Digi])| radix::sort_in_place(chunk, scratch);
    let chunks = digis.chunks_mut(CHUNK).zip(scratch.chunks_mut(CHUNK));
    if parts == 1 {
        chunks.for_each(sort_chunk);
    } else {
        for_each(chunks, sort_chunk);
    }
    parts::merge_runs::<ByChannelAndTime>(digis, scratch, CHUNK, parts)
}

// Concat sort is linear, for channels that are each ordered in time: if the digis of each channel
// arrive in order of time, no comparisons are needed: the concatenated lists of the channels are
// the result.

/// The digis of each channel are counted, then appended to its list.
const CONCAT: Variant<StsSort> = Variant::cpu(
    "concat",
    "Concat Sort: linear, if the digis of each channel arrive in order of time",
    |at| {
        channels_in_order(at.input)?;
        sort_segments(at, Scratch::Always, Cost::Linear, |digis, output, parts| {
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
        })
    },
);

#[inline]
fn channel(digi: Digi) -> usize {
    usize::from(digi.channel())
}

#[cfg(test)]
mod test_digis {
    use generators::random::mix;
    use generators::sts::Digi;

    /// `length` digis of random bits.
    pub(super) fn random_digis(length: u64) -> Vec<Digi> {
        let bits = (0..length).map(mix);
        bits.map(Digi::from_bits).collect()
    }

    /// Digis sorted stably by the standard library.
    pub(super) fn sorted(digis: &[Digi]) -> Vec<Digi> {
        let mut digis = digis.to_vec();
        digis.sort_by_key(|digi| digi.key());
        digis
    }
}
