//! Data of a fragment that the regions share.

use std::ops::Range;

use generators::tpc::Digit;
use generators::tpc::page::PAGE_BYTES;

use crate::prefetch::prefetch_to_second;
use crate::shared::SharedSlice;
use crate::tpc_decode::charge_map::{MapShape, Position, Tile};
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::headers::Slot;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;

/// Bytes of a line of the cache.
const LINE_BYTES: usize = 64;

/// Data of a fragment of a time frame that its regions share.
pub(super) struct Fragment<'a> {
    pub(super) frame: &'a TimeFrame,
    pub(super) number: u32,
    pub(super) fragments: Fragments,
    /// Time bins of its maps.
    pub(super) time_bins: Range<u32>,
    pub(super) slots: &'a [Slot],
    pub(super) starts: &'a [usize],
    pub(super) positions: SharedSlice<'a, Position>,
    pub(super) maps: SharedSlice<'a, Tile>,
    pub(super) shape: MapShape,
}

impl<'a> Fragment<'a> {
    /// A page, if it has time bins of the fragment.
    pub(super) fn wanted(&self, number: usize) -> Option<&'a OpenPage> {
        let touches =
            |page: &&OpenPage| self.fragments.touching(time_bins_of(page)).contains(&self.number);
        self.slots[number].page().filter(touches)
    }

    /// Prefetches the page after this one: the streams of a region alternate, so the hardware
    /// prefetcher doesn't predict it.
    pub(super) fn fetch_behind(&self, number: usize, page: &OpenPage) {
        let bytes = self.frame.pages.bytes();
        let start = (number + 1) * PAGE_BYTES;
        for line in (0..usize::from(page.used)).step_by(LINE_BYTES) {
            prefetch_to_second(bytes, start + line);
        }
    }

    fn range_of(&self, number: usize, page: &OpenPage) -> Range<usize> {
        let start = self.starts[number];
        start..start + usize::from(page.samples)
    }

    /// The slice for the positions of a page.
    ///
    /// # Safety
    /// No other slice of this page's positions may exist at the same time.
    pub(super) unsafe fn positions_of(&self, number: usize, page: &OpenPage) -> &'a mut [Position] {
        // SAFETY: pages have disjoint ranges, and the caller ensures that this page's slice is
        // unique.
        unsafe { self.positions.part(self.range_of(number, page)) }
    }

    pub(super) fn rejected(&self, number: usize, page: &OpenPage, damage: Damage) -> Rejected {
        let positions = self.range_of(number, page);
        Rejected { page: self.frame.damaged(number, damage), positions }
    }
}

/// A sample whose line was flushed before its page came: pages are not always in order of time.
pub(super) struct OutOfOrderSample {
    pub(super) position: Position,
    pub(super) digit: Digit,
}
