//! A thread's work: the lines of tiles of one region after the other.

use std::ops::Range;

use generators::tpc::Digit;
use generators::tpc::geometry::Region;

use super::put::{Line, StageSamples};
use super::source::{Fragment, OutOfOrderSample, RegionContext, Source};
use super::staging::{FlushTiles, Staging};
use super::{put, staging};
use crate::device::{Stores, streaming};
use crate::tpc_decode::charge_map::{Converter, Position, TILE, TILE_TIMES, TILES_IN_ROW};
use crate::tpc_decode::cpu::charges::Rejected;
use crate::tpc_decode::cpu::levels::{DecodePage, PageDecoder};
use crate::tpc_decode::input::TimeFrame;

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
