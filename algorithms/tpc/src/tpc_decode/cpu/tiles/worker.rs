//! A thread's work: the lines of tiles of one region after the other, from the digits of streams.

use std::ops::Range;

use generators_tpc::Digit;
use generators_tpc::geometry::Region;
use generators_tpc::page::PAGE_BYTES;
use parallel::prefetch::prefetch_to_second;
use parallel::shared::SharedSlice;

use super::put::{Line, StageSamples};
use super::staging::{FlushTiles, Staging};
use super::{put, staging};
use crate::tpc_decode::charge_map::{
    Converter, MapShape, Position, TILE, TILE_TIMES, TILES_IN_ROW, Tile,
};
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::workers::Slot;
use crate::tpc_decode::cpu::{DecodePage, PageDecoder};
use crate::tpc_decode::damage::Damage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use tasks::device::{Stores, streaming};

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
        let leave = staging::all().pop();
        match put.zip(leave) {
            Some((put, leave)) => Kernels { decode, put, leave },
            None => unreachable!("every machine supports the plain kernels"),
        }
    }
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

// Both endpoints of a region read pads of the same rows, in some formats even of the same tiles.
// So the task that makes these tiles has the pages of both.

/// A region of a sector.
pub(super) struct RegionPages {
    pub(super) region: Region,
    pub(super) sector: u8,
    /// The number of the sector's map.
    pub(super) map: usize,
    /// The pages of each stream, as numbers among all pages.
    pub(super) streams: Vec<Range<usize>>,
}

/// All regions of the sectors that have pages, those without pages too: they have tiles.
pub(super) fn with_pages(frame: &TimeFrame) -> Vec<RegionPages> {
    let sectors = frame.sectors();
    let indices = frame.sector_numbers();
    let mut regions: Vec<RegionPages> = (0..sectors.len())
        .flat_map(|map| {
            let sector = indices[map];
            Region::all().map(move |region| RegionPages {
                region,
                sector,
                map,
                streams: Vec::new(),
            })
        })
        .collect();
    for stream in frame.pages.streams().filter(|stream| !stream.pages.is_empty()) {
        let map = sectors.partition_point(|pages| pages.end <= stream.first_page);
        let region = stream.id.endpoint.region().number();
        let pages = stream.first_page..stream.first_page + stream.pages.len();
        regions[map * Region::all().count() + region].streams.push(pages);
    }
    regions
}

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
