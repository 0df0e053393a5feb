//! Pages to positions and maps of charges, whole tiles at a time.
//!
//! A map is much larger than any cache, and most of it is zeros. To clear it first and to put
//! charges where they belong moves each line of the cache three times: cleared, read, written
//! back. Here a thread has the pages of a region in order of time, puts the charges of four time
//! bins together in a few tiles that stay in the nearest cache, and sends these with their zeros
//! past the caches, once: nothing is cleared, and nothing of the map is read.
//!
//! | module | holds |
//! |---|---|
//! | [`regions`] | which pages make which tiles |
//! | [`source`] | the digits of a stream, one page after the other |
//! | [`put`] | digits to positions and staged ADC values |
//! | [`staging`] | the tiles of a line |
//! | [`leave`] | ADC values to charges, and those to the map |

mod leave;
mod put;
mod regions;
mod source;
mod staging;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::cast_slice;
use generators::tpc::Digit;
use generators::tpc::page::PAGE_BYTES;

use super::charges::{Rejected, conclude};
use super::crew::Crew;
use super::headers::{self, Slot};
use super::levels::DecodePage;
use super::page_decoder::PageDecoder;
use crate::algorithm::Runner;
use crate::all_cores::mapped;
use crate::device::gpu::DeviceError;
use crate::device::{Arena, ArenaVec, SharedSlice, Stores, buffers, prefetch_to_second, streaming};
use crate::tpc_decode::charge_map::{
    Converter, MapShape, Position, TILE, TILE_TIMES, TILES_IN_ROW, Tile, present,
};
use crate::tpc_decode::damage::{Damage, DamagedPage};
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};
use leave::Leave;
use put::{Line, Put};
use regions::RegionPages;
use source::{Shared, Source};
use staging::Staging;

/// The inner work, for the instructions that this machine has.
#[derive(Clone, Copy)]
struct Kernels {
    decode: DecodePage,
    put: Put,
    leave: Leave,
}

impl Kernels {
    fn best(decode: DecodePage) -> Self {
        let (put, leave) = (put::all().pop(), leave::all().pop());
        match put.zip(leave) {
            Some((put, leave)) => Kernels { decode, put, leave },
            None => unreachable!("what is plain all machines can"),
        }
    }
}

/// A decoder with the pages of a time frame.
pub(super) struct TilesOf<'a> {
    frame: &'a TimeFrame,
    arena: &'a Arena,
    /// Who reads headers, and who decodes.
    crew: Crew,
    region_crew: Crew,
    kernels: Kernels,
    fragments: Fragments,
    shape: MapShape,
    regions: Vec<RegionPages>,
    /// Samples that the headers promise, once for each fragment that their page is in.
    promised: usize,
    maps: usize,
}

pub(super) struct Held<'a> {
    slots: ArenaVec<'a, Slot>,
    /// Where the positions of each page begin, of the fragment that is decoded.
    starts: ArenaVec<'a, usize>,
    maps: ArenaVec<'a, Tile>,
    positions: ArenaVec<'a, Position>,
    damaged: Vec<DamagedPage>,
}

buffers!(Held<'_>: slots, starts, maps, positions);

impl<'a> TilesOf<'a> {
    pub(super) fn new(
        frame: &'a TimeFrame,
        arena: &'a Arena,
        (crew, threads): (Crew, usize),
        decode: DecodePage,
    ) -> Self {
        let slots = headers::of(frame);
        let fragments = Fragments::new(frame.settings.fragment);
        let copies =
            |page: &OpenPage| fragments.of(time_bins_of(page)).len() * usize::from(page.samples);
        let pages = slots.iter().filter_map(Slot::page);
        TilesOf {
            frame,
            arena,
            region_crew: crew.for_regions(frame, threads),
            crew,
            kernels: Kernels::best(decode),
            fragments,
            shape: frame.map_shape(pages.clone()),
            regions: regions::of(frame),
            promised: pages.map(copies).sum(),
            maps: frame.sectors().len(),
        }
    }

    /// Decodes the pages of a fragment; returns where its positions end.
    fn decode_fragment(
        &self,
        held: &mut Held<'a>,
        number: u32,
        start: usize,
        holes: &mut Vec<Range<usize>>,
    ) -> usize {
        let end = place(&held.slots, self.fragments, number, start, &mut held.starts);
        let first = self.fragments.time_bins(number).start;
        let fragment = Fragment {
            frame: self.frame,
            number,
            time_bins: first..first + self.shape.time_bins,
            fragments: self.fragments,
            slots: &held.slots,
            starts: &held.starts,
            positions: SharedSlice::new(&mut held.positions),
            maps: SharedSlice::new(&mut held.maps),
            shape: self.shape,
        };
        let regions = |task: &Range<usize>, ()| {
            let mut worker = Worker::new(&fragment, self.kernels);
            self.regions[task.clone()].iter().for_each(|region| worker.decode(region));
            worker.rejected
        };
        let tasks = self.region_crew.tasks.iter().map(|_| ());
        let rejected = self.region_crew.map(tasks, regions);
        for Rejected { page, positions } in rejected.into_iter().flatten() {
            held.damaged.push(page);
            holes.push(positions);
        }
        end
    }
}

/// Finds out where the positions of the pages that a fragment wants begin; returns where all end.
fn place(
    slots: &[Slot],
    fragments: Fragments,
    number: u32,
    mut start: usize,
    starts: &mut [usize],
) -> usize {
    for (slot, place) in slots.iter().zip(starts) {
        *place = start;
        let page = slot.page().filter(|page| fragments.of(time_bins_of(page)).contains(&number));
        start += page.map_or(0, |page| usize::from(page.samples));
    }
    start
}

impl<'a> Runner<TpcDecode> for TilesOf<'a> {
    type Buffers = Held<'a>;

    fn allocate(&self) -> Result<Held<'a>, DeviceError> {
        let pages = self.frame.pages.pages().len();
        Ok(Held {
            slots: self.arena.vector(pages),
            starts: self.arena.vector(pages),
            maps: self.arena.vector(self.shape.tiles() * self.maps),
            positions: self.arena.vector(self.promised),
            damaged: Vec::new(),
        })
    }

    /// Margins are zeros from the beginning, which no run changes; all else of a map a run
    /// writes. Gives back what damaged pages took away.
    fn load(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        for map in held.maps.chunks_mut(self.shape.tiles()) {
            self.shape.clear_margins(map);
        }
        held.positions.resize(self.promised, Position::default());
        held.damaged.clear();
        Ok(())
    }

    fn run(&mut self, held: &mut Held<'a>) -> Result<(), DeviceError> {
        held.damaged.clear();
        headers::read(self.frame, &self.crew, &mut held.slots);
        let (mut holes, mut position) = (Vec::new(), 0);
        let numbers = self.frame.fragments(held.slots.iter().filter_map(Slot::page));
        for number in numbers {
            position = self.decode_fragment(held, number, position, &mut holes);
        }
        holes.sort_unstable_by_key(|hole| hole.start);
        conclude(self.frame, &held.slots, &mut held.positions, &mut held.damaged, &holes);
        Ok(())
    }

    fn output<'b>(&'b self, held: &'b Held<'a>) -> Cow<'b, Decoded> {
        let maps = held.maps.chunks(self.shape.tiles());
        Cow::Owned(Decoded {
            charges: maps.map(|map| present(cast_slice(map))).collect(),
            positions: mapped(&held.positions, |position| *position),
            damaged: held.damaged.clone(),
            digits: Vec::new(),
        })
    }

    fn input_bytes(&self) -> u64 {
        self.frame.pages.bytes().len() as u64
    }
}

/// A fragment of a time frame: what its regions have in common.
struct Fragment<'a> {
    frame: &'a TimeFrame,
    number: u32,
    fragments: Fragments,
    /// Those that its maps have.
    time_bins: Range<u32>,
    slots: &'a [Slot],
    starts: &'a [usize],
    positions: SharedSlice<'a, Position>,
    maps: SharedSlice<'a, Tile>,
    shape: MapShape,
}

impl<'a> Fragment<'a> {
    /// A page, if it has time bins of the fragment.
    fn wanted(&self, number: usize) -> Option<&'a OpenPage> {
        let touches =
            |page: &&OpenPage| self.fragments.of(time_bins_of(page)).contains(&self.number);
        self.slots[number].page().filter(touches)
    }

    /// Has the page behind this one fetched: the streams of a region are in turn, so nothing
    /// else foresees it.
    fn fetch_behind(&self, number: usize, page: &OpenPage) {
        let bytes = self.frame.pages.bytes();
        let start = (number + 1) * PAGE_BYTES;
        for line in (0..usize::from(page.used)).step_by(64) {
            prefetch_to_second(bytes, start + line);
        }
    }

    fn places_of(&self, number: usize, page: &OpenPage) -> Range<usize> {
        let start = self.starts[number];
        start..start + usize::from(page.samples)
    }

    /// The places for the positions of a page.
    ///
    /// # Safety
    /// Nobody else may ask for those of this page as long as they are held.
    unsafe fn positions_of(&self, number: usize, page: &OpenPage) -> &'a mut [Position] {
        // SAFETY: pages have places of their own, and as the caller promises.
        unsafe { self.positions.part(self.places_of(number, page)) }
    }

    fn rejected(&self, number: usize, page: &OpenPage, damage: Damage) -> Rejected {
        let positions = self.places_of(number, page);
        Rejected { page: self.frame.damaged(number, damage), positions }
    }
}

/// A sample whose line has left before its page came: pages are not always in order of time.
struct Late {
    position: Position,
    digit: Digit,
}

/// What a thread needs to decode one region after the other.
struct Worker<'a> {
    fragment: &'a Fragment<'a>,
    decoder: PageDecoder<'a>,
    kernels: Kernels,
    staging: Staging,
    /// Room for the digits of pages.
    digits: Vec<Vec<Digit>>,
    late: Vec<Late>,
    rejected: Vec<Rejected>,
}

impl<'a> Worker<'a> {
    fn new(fragment: &'a Fragment<'a>, kernels: Kernels) -> Self {
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
    fn decode(&mut self, region: &RegionPages) {
        let frame = self.fragment.frame;
        let (gains, format) = (&frame.tables.gains, frame.format());
        self.staging.turn_to(region.region, region.sector, gains, format);
        streaming(|stores| self.decode_lines(region, stores));
        // What was streamed has arrived: now the same tiles may be written to.
        for Late { position, digit } in std::mem::take(&mut self.late) {
            self.put_late(region, position, digit);
        }
    }

    fn decode_lines(&mut self, region: &RegionPages, stores: &Stores) {
        let fragment = self.fragment;
        let streams = region.streams.iter().cloned();
        let mut sources: Vec<Source<'a>> = streams
            .map(|pages| Source::new(pages, self.digits.pop().unwrap_or_default()))
            .collect();
        let mut shared = Shared {
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
            let place = region.map * fragment.shape.tiles() + number * TILES_IN_ROW;
            // SAFETY: each region of each map is in one task.
            unsafe { self.staging.leave(&fragment.maps, place, self.kernels.leave, stores) };
        }
        for source in sources {
            self.digits.push(source.finish(&mut shared));
        }
    }

    fn put_late(&self, region: &RegionPages, position: Position, digit: Digit) {
        if !region.region.rows().contains(&usize::from(digit.row())) {
            // No sound page has a pad of another region.
            return;
        }
        let fragment = self.fragment;
        let gains = &fragment.frame.tables.gains;
        let converter = Converter::new(gains, region.sector, fragment.frame.format());
        let entry = position.index();
        let tile = region.map * fragment.shape.tiles() + entry / TILE;
        // SAFETY: as above: the tile is one of this region.
        let tiles = unsafe { fragment.maps.part(tile..tile + 1) };
        tiles[0].0[entry % TILE] = converter.charge(digit);
    }
}
