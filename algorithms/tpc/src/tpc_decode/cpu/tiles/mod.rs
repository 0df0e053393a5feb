//! Pages to positions and maps of charges, in complete tiles.
//!
//! A map is much larger than any cache, and most of it is zeros. Clearing it first and then
//! scattering charges moves each cache line three times: cleared, read, written back. Here a thread
//! has the pages of a region in order of time, collects the charges of four time bins in a few
//! tiles that stay in the nearest cache, and writes these with their zeros by streaming stores,
//! once: nothing is cleared, and nothing of the map is read.
//!
//! | module | holds |
//! |---|---|
//! | [`worker`] | a thread's work: the lines of one region after the other |
//! | [`put`] | digits to positions and staged ADC values |
//! | [`staging`] | the tiles of a line |

mod put;
mod staging;
mod worker;

use std::borrow::Cow;
use std::ops::Range;

use parallel::shared::SharedSlice;
use portable_gpu::DeviceError;
use worker::{Fragment, Kernels, RegionPages, Worker};

use super::charges::{Rejected, conclude, decoded};
use super::workers::{DecodeWorkers, Slot};
use super::{DecodePage, workers};
use crate::tpc_decode::charge_map::{MapShape, Position, Tile};
use crate::tpc_decode::damage::DamagedPage;
use crate::tpc_decode::fragments::{Fragments, time_bins_of};
use crate::tpc_decode::header::OpenPage;
use crate::tpc_decode::input::TimeFrame;
use crate::tpc_decode::{Decoded, TpcDecode};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, buffers};

/// A decoder with the pages of a time frame.
pub(super) struct TilesRunner<'a> {
    frame: &'a TimeFrame,
    arena: &'a Arena,
    /// Threads that read headers and decode.
    workers: DecodeWorkers,
    region_workers: DecodeWorkers,
    kernels: Kernels,
    fragments: Fragments,
    shape: MapShape,
    regions: Vec<RegionPages>,
    /// Number of samples that the headers state, once for each fragment of their page.
    promised: usize,
    maps: usize,
}

pub(super) struct TilesBuffers<'a> {
    slots: ArenaVec<'a, Slot>,
    /// Offsets of the positions of each page, for the current fragment.
    starts: ArenaVec<'a, usize>,
    maps: ArenaVec<'a, Tile>,
    positions: ArenaVec<'a, Position>,
    damaged: Vec<DamagedPage>,
}

buffers!(TilesBuffers<'_>: slots, starts, maps, positions);

impl<'a> TilesRunner<'a> {
    pub(super) fn new(
        frame: &'a TimeFrame,
        arena: &'a Arena,
        workers: DecodeWorkers,
        threads: usize,
        decode: DecodePage,
    ) -> Self {
        let slots = workers::slots(frame);
        let fragments = Fragments::new(frame.settings.fragment);
        let copies = |page: &OpenPage| {
            fragments.touching(time_bins_of(page)).len() * usize::from(page.samples)
        };
        let pages = slots.iter().filter_map(Slot::page);
        TilesRunner {
            frame,
            arena,
            region_workers: workers.for_regions(frame, threads),
            workers,
            kernels: Kernels::best(decode),
            fragments,
            shape: frame.map_shape(pages.clone()),
            regions: worker::with_pages(frame),
            promised: pages.map(copies).sum(),
            maps: frame.sectors().len(),
        }
    }

    /// Decodes the pages of a fragment; returns the end of its positions.
    fn decode_fragment(
        &self,
        buffers: &mut TilesBuffers<'a>,
        index: u32,
        start: usize,
        holes: &mut Vec<Range<usize>>,
    ) -> usize {
        let end =
            compute_offsets(&buffers.slots, self.fragments, index, start, &mut buffers.starts);
        let first = self.fragments.time_bins(index).start;
        let fragment = Fragment {
            frame: self.frame,
            number: index,
            time_bins: first..first + self.shape.time_bins,
            fragments: self.fragments,
            slots: &buffers.slots,
            starts: &buffers.starts,
            positions: SharedSlice::new(&mut buffers.positions),
            maps: SharedSlice::new(&mut buffers.maps),
            shape: self.shape,
        };
        let regions = |task: &Range<usize>, ()| {
            let mut worker = Worker::new(&fragment, self.kernels);
            self.regions[task.clone()].iter().for_each(|region| worker.decode(region));
            worker.rejected
        };
        let tasks = self.region_workers.tasks.iter().map(|_| ());
        let rejected = self.region_workers.map(tasks, regions);
        for Rejected { page, positions } in rejected.into_iter().flatten() {
            buffers.damaged.push(page);
            holes.push(positions);
        }
        end
    }
}

/// Computes the offsets of the positions of a fragment's pages; returns the end of all.
fn compute_offsets(
    slots: &[Slot],
    fragments: Fragments,
    index: u32,
    mut start: usize,
    starts: &mut [usize],
) -> usize {
    for (slot, offset) in slots.iter().zip(starts) {
        *offset = start;
        let page =
            slot.page().filter(|page| fragments.touching(time_bins_of(page)).contains(&index));
        start += page.map_or(0, |page| usize::from(page.samples));
    }
    start
}

impl<'a> Runner<TpcDecode> for TilesRunner<'a> {
    type Buffers = TilesBuffers<'a>;

    fn allocate(&self) -> Result<TilesBuffers<'a>, DeviceError> {
        let pages = self.frame.pages.pages().len();
        Ok(TilesBuffers {
            slots: self.arena.vector(pages),
            starts: self.arena.vector(pages),
            maps: self.arena.vector(self.shape.tiles() * self.maps),
            positions: self.arena.vector(self.promised),
            damaged: Vec::new(),
        })
    }

    /// Initializes margins to zeros, which no run changes; runs write all other tiles of a map.
    /// Restores the capacity that damaged pages have removed.
    fn load(&mut self, buffers: &mut TilesBuffers<'a>) -> Result<(), DeviceError> {
        for map in buffers.maps.chunks_mut(self.shape.tiles()) {
            self.shape.clear_margins(map);
        }
        buffers.positions.resize(self.promised, Position::default());
        buffers.damaged.clear();
        Ok(())
    }

    fn run(&mut self, buffers: &mut TilesBuffers<'a>) -> Result<(), DeviceError> {
        buffers.damaged.clear();
        workers::read(self.frame, &self.workers, &mut buffers.slots);
        let mut holes = Vec::new();
        let mut position = 0;
        let indices = self.frame.fragments(buffers.slots.iter().filter_map(Slot::page));
        for index in indices {
            position = self.decode_fragment(buffers, index, position, &mut holes);
        }
        holes.sort_unstable_by_key(|hole| hole.start);
        conclude(self.frame, &buffers.slots, &mut buffers.positions, &mut buffers.damaged, &holes);
        Ok(())
    }

    fn output<'b>(&'b self, buffers: &'b TilesBuffers<'a>) -> Cow<'b, Decoded> {
        Cow::Owned(decoded(&buffers.maps, self.shape, &buffers.positions, &buffers.damaged))
    }

    fn input_bytes(&self) -> u64 {
        self.frame.pages.bytes().len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tpc_decode::charge_map::TILE;
    use crate::tpc_decode::cpu::Level;
    use crate::tpc_decode::hard_inputs;
    use crate::tpc_decode::input::Output;
    use tasks::device::Poison;

    fn runner<'a>(frame: &'a TimeFrame, arena: &'a Arena) -> TilesRunner<'a> {
        let decode = Level::best().decoder().expect("there is always one");
        TilesRunner::new(frame, arena, DecodeWorkers::for_one_team(frame, 1), 1, decode)
    }

    /// The frames that are decoded to maps.
    fn frames() -> impl Iterator<Item = (String, TimeFrame)> {
        let all = hard_inputs::all(5).into_iter();
        all.filter(|(_, frame)| frame.settings.output == Output::ChargeMap)
    }

    #[test]
    fn a_run_writes_all_of_a_map_but_margins() {
        for (name, frame) in frames() {
            let arena = Arena::default();
            let mut runner = runner(&frame, &arena);
            let mut buffers = runner.allocate().expect("on the host");
            let maps = [0_u16, u16::POISON, u16::MAX].map(|before| {
                buffers.maps.fill(Tile([before; TILE]));
                runner.load(&mut buffers).expect("on the host");
                runner.run(&mut buffers).expect("on the host");
                buffers.maps.to_vec()
            });
            assert!(maps.iter().all(|map| *map == maps[0]), "{name}");
        }
    }

    #[test]
    fn margins_are_all_that_a_run_does_not_write() {
        let (_, frame) = frames().next().expect("there are some");
        let arena = Arena::default();
        let mut runner = runner(&frame, &arena);
        let mut buffers = runner.allocate().expect("on the host");
        runner.load(&mut buffers).expect("on the host");
        buffers.maps.fill(Tile::POISON);
        runner.run(&mut buffers).expect("on the host");
        let shape = runner.shape;
        for map in buffers.maps.chunks_mut(shape.tiles()) {
            let mut margins = vec![Tile([1; TILE]); shape.tiles()];
            shape.clear_margins(&mut margins);
            for (tile, margin) in map.iter().zip(&margins) {
                let is_margin = *margin == Tile::default();
                assert_eq!(*tile == Tile::POISON, is_margin);
            }
        }
    }

    #[test]
    fn out_of_order_pages_are_in_the_map() {
        let late = frames().filter(|(name, _)| name.contains("back to front"));
        let mut found = 0;
        for (name, frame) in late {
            let arena = Arena::default();
            let mut runner = runner(&frame, &arena);
            let mut buffers = runner.allocate().expect("on the host");
            runner.load(&mut buffers).expect("on the host");
            runner.run(&mut buffers).expect("on the host");
            let right = crate::tpc_decode::reference::decode(&frame);
            let problem =
                crate::tpc_decode::check::same(&frame, &right, &runner.output(&buffers), true);
            assert_eq!(problem, Ok(()), "{name}");
            found += right.positions.len();
        }
        assert!(found > 10_000, "{found}");
    }
}
