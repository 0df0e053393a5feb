//! Pages to positions and maps of charges, fragment by fragment.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Instant;

use generators::tpc::Digit;
use rayon::prelude::*;

use super::digits::close;
use super::headers::{self, Slot};
use super::kernel::DecodePage;
use super::page_decoder::PageDecoder;
use super::tasks::split_mut;
use crate::algorithm::{Prepared, Stage, Stages};
use crate::all_cores::{fill, mapped};
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::tpc_decode::charge_map::{Converter, Position, entries, present};
use crate::tpc_decode::damage::DamagedPage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};

/// What no sample has: it is outside every map.
const POISON: Position = Position {
    column: i16::MAX,
    time: i16::MAX,
};
/// What no map should keep.
const POISON_CHARGE: u16 = u16::MAX;
/// Entries that are cleared at a time.
const CLEARED: usize = 1 << 18;

pub(super) struct PreparedCharges<'a> {
    frame: &'a TimeFrame,
    arena: &'a Arena,
    tasks: Vec<Range<usize>>,
    decode: DecodePage,
    fragments: Fragments,
    /// Samples that the headers promise, once for each fragment that their page is in.
    promised: usize,
    /// Entries of a sector's map.
    entries: usize,
    /// The sectors' places among the maps, by the pages that they begin with.
    sectors: Vec<Range<usize>>,
    slots: Vec<Slot>,
    maps: Vec<u16>,
    output: Decoded,
    clear: Stage,
    fill: Stage,
}

/// A fragment of a time frame: what its tasks have in common.
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

/// A page that was rejected, and the positions that it does not have.
struct Rejected {
    page: DamagedPage,
    positions: Range<usize>,
}

impl<'a> PreparedCharges<'a> {
    pub(super) fn new(
        frame: &'a TimeFrame,
        arena: &'a Arena,
        tasks: Vec<Range<usize>>,
        decode: DecodePage,
    ) -> Self {
        let slots = headers::of(frame, &tasks);
        let fragments = Fragments::new(frame.settings.fragment);
        let copies =
            |page: &OpenPage| fragments.of(time_bins_of(page)).len() * usize::from(page.samples);
        let pages = slots.iter().filter_map(Slot::page);
        let time_bins = pages.clone().map(|page| time_bins_of(page).end).max();
        let time_bins = time_bins.unwrap_or(0).min(frame.settings.fragment);
        PreparedCharges {
            frame,
            arena,
            tasks,
            decode,
            fragments,
            promised: pages.map(copies).sum(),
            entries: entries(time_bins),
            sectors: frame.sectors(),
            slots: Vec::new(),
            maps: Vec::new(),
            output: Decoded::default(),
            clear: Stage::new("clear"),
            fill: Stage::new("decode"),
        }
    }

    fn decode(&mut self) {
        (self.clear, self.fill) = (Stage::new("clear"), Stage::new("decode"));
        self.output.damaged.clear();
        let start = Instant::now();
        headers::read(self.frame, &self.tasks, &mut self.slots);
        let mut holes = Vec::new();
        let mut position = 0;
        let numbers = self
            .frame
            .fragments(self.slots.iter().filter_map(Slot::page));
        self.fill.add(start.elapsed().as_secs_f64(), 0);
        for number in numbers {
            self.clear_maps();
            let start = Instant::now();
            position = self.decode_fragment(number, position, &mut holes);
            self.fill.add(start.elapsed().as_secs_f64(), 0);
        }
        self.conclude(&holes);
    }

    fn clear_maps(&mut self) {
        let start = Instant::now();
        self.maps
            .par_chunks_mut(CLEARED)
            .for_each(|part| part.fill(0));
        let bytes = size_of_val(self.maps.as_slice()) as u64;
        self.clear.add(start.elapsed().as_secs_f64(), bytes);
    }

    /// Decodes the pages of a fragment; returns where its positions end.
    fn decode_fragment(
        &mut self,
        number: u32,
        start: usize,
        holes: &mut Vec<Range<usize>>,
    ) -> usize {
        let fragments = self.fragments;
        let touches = |page: &&OpenPage| fragments.of(time_bins_of(page)).contains(&number);
        let of_task = |pages: &Range<usize>| {
            let pages = self.slots[pages.clone()].iter().filter_map(Slot::page);
            pages
                .filter(touches)
                .map(|page| usize::from(page.samples))
                .sum()
        };
        let lengths: Vec<usize> = self.tasks.iter().map(of_task).collect();
        let fragment = Fragment {
            frame: self.frame,
            decode: self.decode,
            time_bins: fragments.time_bins(number),
            slots: &self.slots,
            maps: as_atomic(&mut self.maps),
            entries: self.entries,
            sectors: &self.sectors,
        };
        let parts = split_mut(&mut self.output.positions[start..], lengths.iter().copied());
        let rejected: Vec<_> = self
            .tasks
            .par_iter()
            .zip(parts)
            .with_max_len(1)
            .map(|(pages, positions)| fragment.decode_task(pages, touches, positions))
            .collect();
        let mut start = start;
        for (of_task, length) in rejected.into_iter().zip(lengths) {
            for Rejected { page, positions } in of_task {
                self.output.damaged.push(page);
                holes.push(start + positions.start..start + positions.end);
            }
            start += length;
        }
        start
    }

    /// Takes out what damaged pages have left, and names each of them once.
    fn conclude(&mut self, holes: &[Range<usize>]) {
        close(&mut self.output.positions, holes);
        let slots = self.slots.iter().enumerate();
        let headers = slots.filter_map(|(number, slot)| match slot {
            Slot::Damaged(damage) => Some(self.frame.damaged(number, *damage)),
            _ => None,
        });
        self.output.damaged.extend(headers);
        self.output.damaged.sort_unstable_by_key(|page| page.page);
        self.output.damaged.dedup_by_key(|page| page.page);
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

    /// Puts the digits of a page into the map of its sector.
    fn put(&self, number: usize, page: &OpenPage, digits: &[Digit], positions: &mut [Position]) {
        let sector = self.sectors.partition_point(|pages| pages.end <= number);
        let map = &self.maps[sector * self.entries..][..self.entries];
        let converter = Converter::new(&self.frame.tables.gains, page.sector, page.format);
        for (digit, position) in digits.iter().zip(positions) {
            let local_time = digit.time_bin().wrapping_sub(self.time_bins.start);
            *position = Position::OUTSIDE;
            if local_time < self.time_bins.len() as u32 {
                *position = Position::new(digit.pad_id(), local_time);
                // Threads of the same sector have other pads or time bins.
                map[position.index()].store(converter.charge(*digit), Ordering::Relaxed);
            }
        }
    }
}

/// Entries that several threads may write.
fn as_atomic(entries: &mut [u16]) -> &[AtomicU16] {
    let pointer = std::ptr::from_mut(entries) as *const [AtomicU16];
    // SAFETY: an atomic has the size and alignment of its number, and as the entries
    // are borrowed mutably, nobody accesses them otherwise meanwhile.
    unsafe { &*pointer }
}

impl Prepared<TpcDecode> for PreparedCharges<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        if self.slots.is_empty() {
            self.slots = self.arena.take(self.frame.pages.pages().len());
            self.maps = self.arena.take(self.entries * self.sectors.len());
            self.output.positions = self.arena.take(self.promised);
        }
        // What damaged pages took away.
        self.output.positions.resize(self.promised, POISON);
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.slots.fill(Slot::Empty);
        fill(&mut self.maps, POISON_CHARGE);
        fill(&mut self.output.positions, POISON);
        self.output.damaged.clear();
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        self.decode();
        Ok(())
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        let bytes = self
            .slots
            .iter()
            .filter_map(Slot::page)
            .map(|page| u64::from(page.used));
        self.fill.bytes = bytes.sum();
        Ok(vec![self.clear.clone(), self.fill.clone()])
    }

    fn output(&self) -> Cow<'_, Decoded> {
        Cow::Owned(Decoded {
            charges: self.maps.chunks(self.entries).map(present).collect(),
            positions: mapped(&self.output.positions, |position| *position),
            damaged: self.output.damaged.clone(),
            digits: Vec::new(),
        })
    }

    fn release(&mut self) {
        self.arena.give(std::mem::take(&mut self.slots));
        self.arena.give(std::mem::take(&mut self.maps));
        self.arena.give(std::mem::take(&mut self.output.positions));
    }

    fn buffer_bytes(&self) -> u64 {
        let slots = self.frame.pages.pages().len() * size_of::<Slot>();
        let maps = self.entries * self.sectors.len() * size_of::<u16>();
        let positions = self.promised * size_of::<Position>();
        (self.frame.pages.bytes().len() + slots + maps + positions) as u64
    }
}
