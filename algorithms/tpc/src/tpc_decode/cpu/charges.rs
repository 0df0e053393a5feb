//! Pages to positions and maps of charges, fragment by fragment: maps are cleared, then charges are
//! scattered. See `tiles` for the algorithm without clearing.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};

use bytemuck::{cast_slice, cast_slice_mut};
use generators_tpc::Digit;
use parallel::shared::atomic;
use parallel::{par_map, split_mut};
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::digits::close;
use super::workers::{DecodeWorkers, Slot};
use super::{DecodePage, Level, PageDecoder, workers};
use crate::tpc_decode::charge_map::{Converter, MapShape, Position, TILE, Tile, present};
use crate::tpc_decode::damage::DamagedPage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, Poison, buffers};

/// An invalid position: outside every map.
impl Poison for Position {
    const POISON: Self = Position { column: i16::MAX, time: i16::MAX };
}

/// The stages of a run.
const CLEAR: &str = "clear";
const DECODE: &str = "decode";

/// A decoder with the pages of a time frame.
pub(crate) struct ChargesRunner<'a> {
    frame: &'a TimeFrame,
    arena: &'a Arena,
    workers: DecodeWorkers,
    decode: DecodePage,
    fragments: Fragments,
    /// Number of samples that the headers state, once for each fragment of their page.
    promised: usize,
    shape: MapShape,
    /// Ranges of maps of the sectors, by the pages at which these start.
    sectors: Vec<Range<usize>>,
    laps: Laps,
}

/// Buffers of the decoder.
pub(crate) struct DecodedCharges<'a> {
    slots: ArenaVec<'a, Slot>,
    maps: ArenaVec<'a, Tile>,
    positions: ArenaVec<'a, Position>,
    damaged: Vec<DamagedPage>,
}

buffers!(DecodedCharges<'_>: slots, maps, positions);

/// A fragment of a time frame: the common data of its tasks.
struct Fragment<'a> {
    frame: &'a TimeFrame,
    decode: DecodePage,
    time_bins: Range<u32>,
    slots: &'a [Slot],
    /// The maps of all sectors, and the entries of each.
    maps: &'a [AtomicU16],
    entries: usize,
    sectors: &'a [Range<usize>],
}

/// A rejected page, and the range of its unused positions.
pub(super) struct Rejected {
    pub(super) page: DamagedPage,
    pub(super) positions: Range<usize>,
}

impl<'a> ChargesRunner<'a> {
    /// Uses the fastest decoder of pages of this machine, with a team of `threads` threads.
    pub(crate) fn fastest(frame: &'a TimeFrame, arena: &'a Arena, threads: usize) -> Self {
        let decode = Level::best().decoder().unwrap_or(super::reference_page);
        ChargesRunner::new(frame, arena, DecodeWorkers::for_one_team(frame, threads), decode)
    }

    pub(super) fn new(
        frame: &'a TimeFrame,
        arena: &'a Arena,
        workers: DecodeWorkers,
        decode: DecodePage,
    ) -> Self {
        let slots = workers::slots(frame);
        let fragments = Fragments::new(frame.settings.fragment);
        let copies = |page: &OpenPage| {
            fragments.touching(time_bins_of(page)).len() * usize::from(page.samples)
        };
        let pages = slots.iter().filter_map(Slot::page);
        ChargesRunner {
            frame,
            arena,
            workers,
            decode,
            fragments,
            shape: frame.map_shape(pages.clone()),
            promised: pages.map(copies).sum(),
            sectors: frame.sectors(),
            laps: Laps::default(),
        }
    }

    /// Number of positions of all fragments that headers state.
    pub(crate) fn promised(&self) -> usize {
        self.promised
    }

    /// Entries of a sector's map.
    pub(crate) fn entries(&self) -> usize {
        self.shape.tiles() * TILE
    }

    /// Reads the headers of all pages.
    pub(crate) fn read_headers(&self, buffers: &mut DecodedCharges<'a>) {
        workers::read(self.frame, &self.workers, &mut buffers.slots);
    }

    /// Clears the maps of all sectors, and fills them with a fragment; returns the ends of the
    /// positions of each sector. Positions of damaged pages are outside of the fragment.
    pub(crate) fn make_fragment(
        &self,
        buffers: &mut DecodedCharges<'a>,
        number: u32,
    ) -> Vec<usize> {
        self.workers.clear(&mut buffers.maps, self.shape.tiles());
        let mut holes = Vec::new();
        self.decode_fragment(buffers, number, 0, &mut holes);
        for hole in holes {
            buffers.positions[hole].fill(Position::OUTSIDE);
        }
        let touches =
            |page: &&OpenPage| self.fragments.touching(time_bins_of(page)).contains(&number);
        let mut end = 0;
        let end_of_sector = |pages: &Range<usize>| {
            let pages = buffers.slots[pages.clone()].iter().filter_map(Slot::page);
            end += pages.filter(touches).map(|page| usize::from(page.samples)).sum::<usize>();
            end
        };
        self.sectors.iter().map(end_of_sector).collect()
    }

    /// Decodes the pages of a fragment; returns the end of its positions.
    fn decode_fragment(
        &self,
        buffers: &mut DecodedCharges<'a>,
        number: u32,
        start: usize,
        holes: &mut Vec<Range<usize>>,
    ) -> usize {
        let DecodedCharges { slots, maps, .. } = buffers;
        let fragments = self.fragments;
        let touches = |page: &&OpenPage| fragments.touching(time_bins_of(page)).contains(&number);
        let of_task = |pages: &Range<usize>| {
            let pages = slots[pages.clone()].iter().filter_map(Slot::page);
            let samples = pages.filter(touches).map(|page| usize::from(page.samples));
            samples.sum()
        };
        let lengths: Vec<usize> = self.workers.tasks.iter().map(of_task).collect();
        let fragment = Fragment {
            frame: self.frame,
            decode: self.decode,
            time_bins: fragments.time_bins(number),
            slots,
            maps: atomic(cast_slice_mut::<Tile, u16>(maps)),
            entries: self.entries(),
            sectors: &self.sectors,
        };
        let parts = split_mut(&mut buffers.positions[start..], lengths.iter().copied());
        let rejected = self
            .workers
            .map(parts, |pages, positions| fragment.decode_task(pages, touches, positions));
        let mut start = start;
        for (of_task, length) in rejected.into_iter().zip(lengths) {
            for Rejected { page, positions } in of_task {
                buffers.damaged.push(page);
                holes.push(start + positions.start..start + positions.end);
            }
            start += length;
        }
        start
    }
}

impl DecodedCharges<'_> {
    /// The maps of all sectors, and the positions of the last fragment.
    pub(crate) fn maps_and_positions(&mut self) -> (&mut [u16], &[Position]) {
        (cast_slice_mut(&mut self.maps), &self.positions)
    }
}

/// Converts maps of all sectors and positions to an output.
pub(super) fn decoded(
    maps: &[Tile],
    shape: MapShape,
    positions: &[Position],
    damaged: &[DamagedPage],
) -> Decoded {
    let maps = maps.chunks(shape.tiles());
    Decoded {
        charges: maps.map(|map| present(cast_slice(map))).collect(),
        positions: par_map(positions, |position| *position),
        damaged: damaged.to_vec(),
        digits: Vec::new(),
    }
}

/// Removes the unused ranges of damaged pages, and lists each page once. The ranges are in
/// ascending order.
pub(super) fn conclude(
    frame: &TimeFrame,
    slots: &[Slot],
    positions: &mut Vec<Position>,
    damaged: &mut Vec<DamagedPage>,
    holes: &[Range<usize>],
) {
    close(positions, holes);
    let headers = slots.iter().enumerate().filter_map(|(number, slot)| match slot {
        Slot::Damaged(damage) => Some(frame.damaged(number, *damage)),
        _ => None,
    });
    damaged.extend(headers);
    damaged.sort_unstable_by_key(|page| page.page);
    damaged.dedup_by_key(|page| page.page);
}

impl<'a> Runner<TpcDecode> for ChargesRunner<'a> {
    type Buffers = DecodedCharges<'a>;

    fn allocate(&self) -> Result<DecodedCharges<'a>, DeviceError> {
        Ok(DecodedCharges {
            slots: self.arena.vector(self.frame.pages.pages().len()),
            maps: self.arena.vector(self.shape.tiles() * self.sectors.len()),
            positions: self.arena.vector(self.promised),
            damaged: Vec::new(),
        })
    }

    /// Restores the capacity that damaged pages have removed.
    fn load(&mut self, buffers: &mut DecodedCharges<'a>) -> Result<(), DeviceError> {
        buffers.positions.resize(self.promised, Position::POISON);
        buffers.damaged.clear();
        Ok(())
    }

    fn run(&mut self, buffers: &mut DecodedCharges<'a>) -> Result<(), DeviceError> {
        self.laps.start();
        buffers.damaged.clear();
        self.read_headers(buffers);
        let mut holes = Vec::new();
        let mut position = 0;
        let indices = buffers.slots.iter().filter_map(Slot::page);
        let indices = self.frame.fragments(indices);
        self.laps.lap(DECODE, 0);
        for number in indices {
            self.workers.clear(&mut buffers.maps, self.shape.tiles());
            let bytes = size_of_val(buffers.maps.as_slice()) as u64;
            self.laps.lap(CLEAR, bytes);
            position = self.decode_fragment(buffers, number, position, &mut holes);
            self.laps.lap(DECODE, 0);
        }
        conclude(self.frame, &buffers.slots, &mut buffers.positions, &mut buffers.damaged, &holes);
        Ok(())
    }

    fn stages(&self, buffers: &DecodedCharges<'a>) -> Stages {
        let pages = buffers.slots.iter().filter_map(Slot::page);
        let bytes = pages.map(|page| u64::from(page.used)).sum();
        let mut stages = self.laps.stages();
        stages.sort_by_key(|stage| stage.name != CLEAR);
        for decoding in stages.iter_mut().filter(|stage| stage.name == DECODE) {
            decoding.bytes = bytes;
        }
        stages
    }

    fn output<'b>(&'b self, buffers: &'b DecodedCharges<'a>) -> Cow<'b, Decoded> {
        Cow::Owned(decoded(&buffers.maps, self.shape, &buffers.positions, &buffers.damaged))
    }

    fn input_bytes(&self) -> u64 {
        self.frame.pages.bytes().len() as u64
    }
}

impl Fragment<'_> {
    fn decode_task(
        &self,
        pages: &Range<usize>,
        touches: impl Fn(&&OpenPage) -> bool,
        positions: &mut [Position],
    ) -> Vec<Rejected> {
        let mut decoder = PageDecoder::new(self.frame, self.decode);
        let mut digits = Vec::new();
        let mut rejected = Vec::new();
        let mut start = 0;
        for number in pages.clone() {
            let Some(page) = self.slots[number].page().filter(&touches) else {
                continue;
            };
            let end = start + usize::from(page.samples);
            digits.resize(end - start, Digit::default());
            match decoder.decode(number, page, &mut digits) {
                Ok(()) => self.put(number, page, &digits, &mut positions[start..end]),
                Err(damage) => rejected.push(Rejected {
                    page: self.frame.damaged(number, damage),
                    positions: start..end,
                }),
            }
            start = end;
        }
        rejected
    }

    /// Stores the digits of a page in the map of its sector.
    fn put(&self, number: usize, page: &OpenPage, digits: &[Digit], positions: &mut [Position]) {
        let sector = self.sectors.partition_point(|pages| pages.end <= number);
        let map = &self.maps[sector * self.entries..][..self.entries];
        let converter = Converter::new(&self.frame.tables.gains, page.sector, page.format);
        for (digit, position) in digits.iter().zip(positions) {
            let local_time = digit.time_bin().wrapping_sub(self.time_bins.start);
            *position = Position::OUTSIDE;
            if local_time < self.time_bins.len() as u32 {
                *position = Position::new(digit.pad_id(), local_time);
                // Threads of the same sector write distinct pads or time bins.
                map[position.index()].store(converter.charge(*digit), Ordering::Relaxed);
            }
        }
    }
}
