//! The digits of a stream, one page after the other.

use std::ops::Range;

use generators::tpc::Digit;
use generators::tpc::page::PAGE_BYTES;

use super::put::{Line, StageSamples};
use super::staging::Staging;
use crate::prefetch::prefetch_to_second;
use crate::shared::SharedSlice;
use crate::tpc_decode::charge_map::{MapShape, Position, Tile};
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::headers::Slot;
use crate::tpc_decode::cpu::levels::PageDecoder;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;

/// A stream, and how far it has come.
pub(super) struct Source<'a> {
    pages: Range<usize>,
    /// Digits: the first `count` are of the current page, and the first `done` of these are
    /// processed.
    digits: Vec<Digit>,
    count: usize,
    done: usize,
    /// Destination of their positions.
    positions: &'a mut [Position],
}

/// Data that the sources of a region share.
pub(super) struct RegionContext<'a, 'd> {
    pub(super) fragment: &'a Fragment<'a>,
    pub(super) decoder: &'d mut PageDecoder<'a>,
    pub(super) rejected: &'d mut Vec<Rejected>,
    pub(super) late: &'d mut Vec<OutOfOrderSample>,
}

impl<'a> Source<'a> {
    /// A stream of pages, with a reused buffer for digits.
    pub(super) fn new(pages: Range<usize>, digits: Vec<Digit>) -> Self {
        Source { pages, digits, count: 0, done: 0, positions: &mut [] }
    }

    /// Puts what belongs to a line, or to one before it.
    pub(super) fn put(
        &mut self,
        put: StageSamples,
        line: Line,
        staging: &mut Staging,
        shared: &mut RegionContext<'a, '_>,
    ) {
        while self.has_more(shared) {
            let is_late = |digit: &&Digit| digit.time_bin() < line.first;
            let rest = &self.digits[self.done..self.count];
            if rest.first().filter(is_late).is_some() {
                let late = rest.iter().take_while(is_late).count();
                self.put_aside(late, shared);
                continue;
            }
            self.done += put(line, rest, &mut self.positions[self.done..], staging);
            if self.done < self.count {
                return;
            }
        }
    }

    /// Puts aside the remaining digits: they are after the fragment, or too late.
    pub(super) fn finish(mut self, shared: &mut RegionContext<'a, '_>) -> Vec<Digit> {
        while self.has_more(shared) {
            self.put_aside(self.count - self.done, shared);
        }
        self.digits
    }

    /// True if there are unprocessed digits; when those of a page are done, the next page is
    /// decoded.
    fn has_more(&mut self, shared: &mut RegionContext<'a, '_>) -> bool {
        while self.done == self.count {
            let Some(page) = self.pages.next() else {
                return false;
            };
            self.decode(page, shared);
        }
        true
    }

    /// Decodes a page, if the fragment wants it. Of one that is damaged there are no digits.
    fn decode(&mut self, index: usize, shared: &mut RegionContext<'a, '_>) {
        let fragment = shared.fragment;
        (self.count, self.done) = (0, 0);
        let Some(page) = fragment.wanted(index) else { return };
        fragment.fetch_behind(index, page);
        let samples = usize::from(page.samples);
        if self.digits.len() < samples {
            self.digits.resize(samples, Digit::default());
        }
        match shared.decoder.decode(index, page, &mut self.digits[..samples]) {
            Ok(()) => {
                self.count = samples;
                // SAFETY: each page is in one stream, and each stream in one region.
                self.positions = unsafe { fragment.positions_of(index, page) };
            }
            Err(damage) => shared.rejected.push(fragment.rejected(index, page, damage)),
        }
    }

    /// Sets the positions of the next `count` digits, whose lines were flushed, or that are in
    /// none.
    #[cold]
    fn put_aside(&mut self, count: usize, shared: &mut RegionContext<'a, '_>) {
        let range = self.done..self.done + count;
        let fragment = shared.fragment;
        for (digit, position) in self.digits[range.clone()].iter().zip(&mut self.positions[range]) {
            let local_time = digit.time_bin().wrapping_sub(fragment.time_bins.start);
            *position = Position::OUTSIDE;
            if local_time < fragment.time_bins.len() as u32 {
                *position = Position::new(digit.pad_id(), local_time);
                shared.late.push(OutOfOrderSample { position: *position, digit: *digit });
            }
        }
        self.done += count;
    }
}

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
