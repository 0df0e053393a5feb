//! Sorting on the host.
//!
//! A variant here is what it does with one segment; `segments` does what all
//! have in common: segments in parallel, and large segments in `parts`.

mod block_merge;
mod channel_bucket;
mod concat;
mod merge_path;
mod parts;
mod radix;
mod rdst;
mod scatter;
mod segmented_radix;
mod segments;
mod std_stable;
mod std_unstable;
mod voracious;

use generators::sts::{Digi, SegmentedDigis};

use super::StsSort;
use crate::algorithm::{Opened, Opening, Variant};
use crate::device::Unavailable;
use parts::Cost;
use segments::Segments;

pub(crate) use channel_bucket::sort_alone_in_place;

pub(super) const VARIANTS: &[Variant<StsSort>] = &[
    std_stable::STD_STABLE,
    std_unstable::STD_UNSTABLE,
    block_merge::BLOCK_MERGE,
    segmented_radix::SEGMENTED_RADIX,
    concat::CONCAT,
    channel_bucket::CHANNEL_BUCKET,
    rdst::RDST,
    voracious::VORACIOUS,
    voracious::VORACIOUS_STABLE,
];

/// Sorts the digis of a segment, in place or into the scratch. The scratch is
/// as long as the segment, or empty where [`Scratch`] says so. The work is to
/// be split into so many parts, which run in parallel on the current team.
type SortSegment = fn(digis: &mut [Digi], scratch: &mut [Digi], parts: usize) -> ResultIn;

/// When a sort needs a second array of the size of the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scratch {
    Always,
    /// Only if a segment is split into parts.
    WhenSplit,
    Never,
}

/// Which of the two arrays a sort leaves its result in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultIn {
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
    fn of<'a>(self, digis: &'a [Digi], scratch: &'a [Digi]) -> &'a [Digi] {
        match self {
            ResultIn::Digis => digis,
            ResultIn::Scratch => &scratch[..digis.len()],
        }
    }
}

/// A sort of segments, ready to run.
fn sort_segments<'a>(
    at: &Opening<'a, '_, StsSort>,
    scratch: Scratch,
    cost: Cost,
    sort_segment: SortSegment,
) -> Opened<'a, StsSort> {
    accept_lengths(at.input)?;
    at.session(Segments::new(at, scratch, cost, sort_segment))
}

/// Places in a segment are counted with 32 bits.
fn accept_lengths(input: &SegmentedDigis) -> Result<(), Unavailable> {
    let longest = input.partition().lengths().max().unwrap_or(0);
    if u32::try_from(longest).is_ok() {
        return Ok(());
    }
    Err(Unavailable(format!(
        "a segment has {longest} digis; 2^32 - 1 is the most; use more segments"
    )))
}
