//! Sorting on the host.
//!
//! A variant here is what it does with one segment; [`CpuSort`] does what all
//! have in common: segments in parallel, and large segments in parts.

mod block_merge;
mod merge_path;
mod parts;
mod prepared;
mod radix;
mod segmented_radix;
mod std_stable;
mod std_unstable;

use generators::sts::{Digi, SegmentedDigis};

use super::StsSort;
use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use prepared::PreparedCpuSort;

pub(super) use block_merge::BLOCK_MERGE;
pub(super) use segmented_radix::SEGMENTED_RADIX;
pub(super) use std_stable::STD_STABLE;
pub(super) use std_unstable::STD_UNSTABLE;

/// A way to sort one segment.
pub(super) struct CpuSort {
    name: &'static str,
    summary: &'static str,
    stable: bool,
    scratch: Scratch,
    sort_segment: SortSegment,
}

/// Sorts the digis of a segment in place. The scratch is as long as the
/// segment, or empty where [`Scratch`] says so. The work is to be split into
/// so many parts, which run in parallel on the current team.
type SortSegment = fn(digis: &mut [Digi], scratch: &mut [Digi], parts: usize);

/// When a sort needs a second array of the size of the first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scratch {
    Always,
    /// Only for segments that are split into parts.
    WhenSplit,
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
        let threads = place.team.threads();
        let prepared = PreparedCpuSort::new(self, input, arena, threads);
        Ok(Box::new(prepared))
    }
}
