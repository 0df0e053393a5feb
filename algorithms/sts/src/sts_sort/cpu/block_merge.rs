//! The published GPU algorithm.
//!
//! CBM sorts a segment on the GPU with one block: chunks of 512 threads × 11 digis by a block-wide
//! radix sort, then merges of neighbouring runs by Merge Path, in which all threads share one
//! merge. Here the chunks are those, and threads share a segment where there are more threads than
//! segments can feed.

use generators_sts::Digi;
use parallel::for_each;

use super::parts::{self, Cost};
use super::segments::{Scratch, sort_segments};
use super::{ResultIn, StsSort, radix};
use crate::sts_sort::order::ByChannelAndTime;
use tasks::algorithm::Variant;

/// Digis that a block sorts at once: 512 threads with 11 each.
const CHUNK: usize = 512 * 11;

/// Chunks by radix sort, then merges: two arrays of the size of the input.
pub(super) const BLOCK_MERGE: Variant<StsSort> = Variant::cpu(
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
