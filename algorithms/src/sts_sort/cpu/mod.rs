//! Sorting on the host.
//!
//! A variant here is a sort of one segment; `segments` has the common code: segments in parallel,
//! and large segments in `parts`.

mod block_merge;
mod channel_bucket;
mod concat;
mod count;
mod merge_path;
pub(crate) mod parts;
mod peers;
pub(crate) mod radix;
mod scatter;
pub(crate) mod scratch;
pub(crate) mod segments;
mod std_sorts;
mod streams;
#[cfg(test)]
mod test_digis;
mod time_bucket;
mod times;
pub(crate) mod two_arrays;

use super::StsSort;
use crate::algorithm::Variant;

pub(crate) use channel_bucket::sort_alone_in_place;
pub(crate) use time_bucket::sort_segment as sort_by_time;

pub(super) const VARIANTS: &[Variant<StsSort>] = &[
    std_sorts::STD_STABLE,
    std_sorts::STD_UNSTABLE,
    std_sorts::STD_SORT,
    block_merge::BLOCK_MERGE,
    radix::SEGMENTED_RADIX,
    concat::CONCAT,
    channel_bucket::CHANNEL_BUCKET,
    peers::RDST,
    peers::VORACIOUS,
    peers::VORACIOUS_STABLE,
];
