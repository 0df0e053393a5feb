//! Sorting on a GPU.
//!
//! Digis are copied to the device, sorted, and copied back. A variant here is a
//! [`Sorter`](runner::Sorter): its buffers and its kernels. Each launcher is next to its kernels.

mod block_merge;
mod channel_bucket;
mod cub;
mod runner;
mod segmented_radix;
mod segments;

use super::StsSort;
use tasks::algorithm::Variant;

pub(crate) use block_merge::start_block_merge;
pub(crate) use channel_bucket::ChannelBucket;
pub(super) use cub::CUB;
pub(crate) use runner::segment_offsets;

pub(super) const VARIANTS: &[Variant<StsSort>] = &[
    block_merge::BLOCK_MERGE,
    block_merge::BLOCK_MERGE_256,
    block_merge::BLOCK_MERGE_512,
    block_merge::BLOCK_MERGE_1024,
    segmented_radix::SEGMENTED_RADIX,
    segmented_radix::CONCAT,
    channel_bucket::CHANNEL_BUCKET,
    channel_bucket::CHANNEL_BUCKET_STABLE,
];

/// Variants whose kernels exist as shaders too: the published one and the fastest one.
pub(super) const AS_SHADERS: &[Variant<StsSort>] = &[
    block_merge::BLOCK_MERGE
        .as_shaders()
        .compared_with(block_merge::BLOCK_MERGE_256.name)
        .summary("published: a block a segment, chunks by radix sort, Merge Path"),
    channel_bucket::CHANNEL_BUCKET.as_shaders().differing(
        "4096 digis are sorted at once, of 8192: workgroup memory of 48 KiB is all that is asked for",
    ),
];
