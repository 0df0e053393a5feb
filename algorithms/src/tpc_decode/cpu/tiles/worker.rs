//! A thread's work: the lines of tiles of one region after the other.

use std::ops::Range;

use generators::tpc::Digit;
use generators::tpc::page::PAGE_BYTES;

use super::leave::{self, FlushTiles};
use super::put::{self, Line, StageSamples};
use super::regions::RegionPages;
use super::source::{RegionContext, Source};
use super::staging::Staging;
use crate::device::{SharedSlice, Stores, prefetch_to_second, streaming};
use crate::tpc_decode::charge_map::{
    Converter, MapShape, Position, TILE, TILE_TIMES, TILES_IN_ROW, Tile,
};
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::headers::Slot;
use crate::tpc_decode::cpu::levels::DecodePage;
use crate::tpc_decode::cpu::page_decoder::PageDecoder;
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;

/// Bytes of a line of the cache.
const LINE_BYTES: usize = 64;

/// The inner loops, for the instruction sets of this machine.
#[derive(Clone, Copy)]
pub(super) struct Kernels {
    decode: DecodePage,
    put: StageSamples,
    leave: FlushTiles,
}

impl Kernels {
    pub(super) fn best(decode: DecodePage) -> Self {
        let put = put::all().pop();
        let leave = leave::all().pop();
        match put.zip(leave) {
            Some((put, leave)) => Kernels { decode, put, leave },
            None => unreachable!("every machine supports the plain kernels"),
        }
    }
}

/// A fragment of a time frame: what its regions have in common.
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

/// Buffers of a thread, reused for one region after the other.
pub(super) struct Worker<'a> {
    fragment: &'a Fragment<'a>,
    decoder: PageDecoder<'a>,
    kernels: Kernels,
    staging: Staging,
    /// Buffers for the digits of pages.
    digits: Vec<Vec<Digit>>,
    late: Vec<OutOfOrderSample>,
    pub(super) rejected: Vec<Rejected>,
}

impl<'a> Worker<'a> {
    pub(super) fn new(fragment: &'a Fragment<'a>, kernels: Kernels) -> Self {
        Worker {
            fragment,
            decoder: PageDecoder::new(fragment.frame, kernels.decode),
            kernels,
            staging: Staging::new(),
            digits: Vec::new(),
            late: Vec::new(),
            rejected: Vec::new(),
        }
    }

    /// Makes all tiles of a region, and the positions of its pages.
    pub(super) fn decode(&mut self, region: &RegionPages) {
        let frame = self.fragment.frame;
        let gains = &frame.tables.gains;
        let format = frame.format();
        self.staging.turn_to(region.region, region.sector, gains, format);
        streaming(|stores| self.decode_lines(region, stores));
        // Streaming stores are complete: now the same tiles may be written to.
        for OutOfOrderSample { position, digit } in std::mem::take(&mut self.late) {
            self.put_late(region, position, digit);
        }
    }

    fn decode_lines(&mut self, region: &RegionPages, stores: &Stores) {
        let fragment = self.fragment;
        let streams = region.streams.iter().cloned();
        let mut sources: Vec<Source<'a>> = streams
            .map(|pages| Source::new(pages, self.digits.pop().unwrap_or_default()))
            .collect();
        let mut shared = RegionContext {
            fragment,
            decoder: &mut self.decoder,
            rejected: &mut self.rejected,
            late: &mut self.late,
        };
        for (number, first) in
            fragment.shape.lines().zip(fragment.time_bins.clone().step_by(TILE_TIMES))
        {
            let end = (first + TILE_TIMES as u32).min(fragment.time_bins.end);
            let line = Line { first, end, time: (number * TILE_TIMES) as u32 };
            for source in &mut sources {
                source.put(self.kernels.put, line, &mut self.staging, &mut shared);
            }
            let first_tile = region.map * fragment.shape.tiles() + number * TILES_IN_ROW;
            // SAFETY: each region of each map is in one task.
            unsafe { self.staging.leave(&fragment.maps, first_tile, self.kernels.leave, stores) };
        }
        for source in sources {
            self.digits.push(source.finish(&mut shared));
        }
    }

    fn put_late(&self, region: &RegionPages, position: Position, digit: Digit) {
        if !region.region.rows().contains(&usize::from(digit.row())) {
            // No valid page has a pad of another region.
            return;
        }
        let fragment = self.fragment;
        let gains = &fragment.frame.tables.gains;
        let converter = Converter::new(gains, region.sector, fragment.frame.format());
        let entry = position.index();
        let tile = region.map * fragment.shape.tiles() + entry / TILE;
        // SAFETY: the tile is of this region, and each region of each map is in one task.
        let tiles = unsafe { fragment.maps.part(tile..tile + 1) };
        tiles[0].0[entry % TILE] = converter.charge(digit);
    }
}
