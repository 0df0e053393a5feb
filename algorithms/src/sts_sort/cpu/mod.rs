//! Sorting on the host.
//!
//! A variant here is what it does with one segment; [`CpuSort`] does what all
//! have in common: segments in parallel, and large segments in parts.

mod block_merge;
mod channel_bucket;
mod concat;
mod merge_path;
mod parts;
mod prepared;
mod radix;
mod rdst;
mod scatter;
mod segmented_radix;
mod std_stable;
mod std_unstable;
mod voracious;

use generators::sts::{Digi, SegmentedDigis};

use super::StsSort;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use parts::Cost;
use prepared::PreparedCpuSort;

pub(super) use block_merge::BLOCK_MERGE;
pub(super) use channel_bucket::CHANNEL_BUCKET;
pub(crate) use channel_bucket::sort_alone_in_place;
pub(super) use concat::CONCAT;
pub(super) use rdst::RDST;
pub(super) use segmented_radix::SEGMENTED_RADIX;
pub(super) use std_stable::STD_STABLE;
pub(super) use std_unstable::STD_UNSTABLE;
pub(super) use voracious::{VORACIOUS, VORACIOUS_STABLE};

/// A way to sort one segment.
pub(super) struct CpuSort {
    name: &'static str,
    summary: &'static str,
    stable: bool,
    scratch: Scratch,
    cost: Cost,
    accepts: fn(&SegmentedDigis) -> Result<(), Unavailable>,
    sort_segment: SortSegment,
}

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

/// For sorts that take any input.
fn accept_all(_: &SegmentedDigis) -> Result<(), Unavailable> {
    Ok(())
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

impl Variant<StsSort> for CpuSort {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cpu
    }

    fn stable(&self) -> bool {
        self.stable
    }

    fn prepare<'a>(
        &self,
        input: &'a SegmentedDigis,
        arena: &'a Arena,
        place: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsSort> + 'a>, Unavailable> {
        accept_lengths(input)?;
        (self.accepts)(input)?;
        let threads = place.team.threads();
        let prepared = PreparedCpuSort::new(self, input, arena, threads);
        Ok(Box::new(prepared))
    }
}
