//! The digits of a stream, one page after the other.

use std::ops::Range;

use generators::tpc::Digit;

use super::fragment::{Fragment, OutOfOrderSample};
use super::put::{Line, StageSamples};
use super::staging::Staging;
use crate::tpc_decode::charge_map::Position;
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::page_decoder::PageDecoder;

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
