//! A batch of events of `resident`: its kernels in order.

use std::ops::Range;

use generators_lhcb::geometry::MODULE_PAIRS;
use portable_gpu::{DeviceError, Gpu, LaunchConfig};

use super::{Config, Resident, available_shared_bytes};
use crate::kernels::velo_consolidate::{ComputeOffsets, TrackTotals, VELO_COMPUTE_OFFSETS};
use crate::kernels::velo_cuda_event_h::Events;
use crate::kernels::velo_cuda_pair_banks_h::PAIR_THREADS;
use crate::kernels::velo_sort::{FINISH_THREADS, FinishEvents, SORT_THREADS, VELO_FINISH_EVENTS};
use crate::kernels::velo_tracks::WARP_THREADS;
use crate::velo::cuda::precision::{
    ConsolidateArguments, Precision, RawArguments, SearchArguments, SearchGrid, SortArguments,
};
use crate::velo::{Stage, VeloInput};

/// Events for each multiprocessor up to which a block searches an event: warps would leave a device idle.
const FEW_EVENTS: u32 = 4;

/// A batch of events, with the stage that its kernels run up to.
pub(super) struct Batch<'b, 'a, P: Precision> {
    pub(super) buffers: &'b Resident<'a, P>,
    pub(super) input: &'b VeloInput,
    pub(super) config: &'b Config,
    pub(super) events: Range<usize>,
    pub(super) queue: usize,
}

impl<P: Precision> Batch<'_, '_, P> {
    fn count(&self) -> u32 {
        self.events.len() as u32
    }

    fn events(&self) -> Events {
        self.buffers.input.events(&self.events)
    }

    /// Starts the kernels up to the stage.
    pub(super) fn start(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let stage = self.config.stage;
        if stage.starts_from_banks() {
            self.buffers.input.upload(gpu, self.input, &self.events)?;
            self.find_hits(gpu)?;
        }
        if stage != Stage::Tracks {
            self.sort(gpu)?;
        }
        if stage.has_tracks() {
            self.find_tracks(gpu)?;
        }
        Ok(())
    }

    fn find_hits(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let lanes = gpu.properties().lanes;
        let layout = &self.config.layout;
        let warps = self.count() * MODULE_PAIRS as u32;
        let grid = LaunchConfig::blocks(warps.div_ceil(PAIR_THREADS / lanes))
            .with_shared(layout.pair_shared_bytes(lanes) as u32);
        let arguments = || RawArguments {
            events: self.events(),
            patterns: self.buffers.input.patterns(),
            unsorted: P::arrays(&self.buffers.hits.unsorted),
            sorted: P::arrays(&self.buffers.hits.sorted),
            pairs: self.buffers.hits.pairs.ptr(),
            list_capacity: layout.list_capacity() as u32,
        };
        // Each kernel passes over events of the other kind.
        if self.config.has_super_pixels {
            // SAFETY: each event has two slots for each of its words.
            unsafe {
                match self.config.stage {
                    Stage::Clusters => P::find_clusters(gpu, grid, arguments()),
                    _ => P::find_hits(gpu, grid, arguments()),
                }
            }?;
        }
        if self.config.has_retina {
            // SAFETY: each event has a slot for each of its words.
            unsafe { P::decode(gpu, grid, arguments()) }?;
        }
        Ok(())
    }

    fn sort(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let lanes = gpu.properties().lanes;
        let pairs = self.buffers.hits.pairs.ptr();
        let first_event = self.events.start as u32;
        let events = self.count();
        // Hits of raw banks are sorted where they are found.
        if self.config.stage == Stage::Sort {
            let from = P::arrays(&self.buffers.hits.unsorted);
            let to = P::arrays(&self.buffers.hits.sorted);
            let arguments = SortArguments { from, to, pairs, first_event, events };
            let warps = events * MODULE_PAIRS as u32;
            let grid = LaunchConfig::blocks(warps.div_ceil(SORT_THREADS / lanes));
            // SAFETY: both have a slot for each hit.
            unsafe { P::sort(gpu, grid, arguments) }?;
        }
        let grid = LaunchConfig::blocks(events.div_ceil(FINISH_THREADS / lanes));
        // SAFETY: each event has all pairs of modules.
        unsafe {
            gpu.launch(&VELO_FINISH_EVENTS, grid, FinishEvents { pairs, first_event, events })
        }
    }

    fn search(&self) -> SearchArguments<P::Arrays> {
        let buffers = self.buffers;
        let capacity = &self.buffers.capacity;
        SearchArguments {
            events: self.events(),
            pairs: buffers.hits.pairs.ptr(),
            hits: P::arrays(&buffers.hits.sorted),
            entries: buffers.lists.search.entries.ptr(),
            tracks: buffers.lists.search.tracks.ptr(),
            lengths: buffers.lists.search.lengths.ptr(),
            three_hit: buffers.lists.search.three_hit.ptr(),
            counts: buffers.lists.search.counts.ptr(),
            shift: capacity.shift,
            layer_capacity: capacity.layer as u32,
        }
    }

    /// A warp for each event; a block for each if there are few, or if they need much memory.
    fn search_grid(&self, gpu: &Gpu) -> SearchGrid {
        let properties = gpu.properties();
        let events_of_block = WARP_THREADS / properties.lanes;
        let of_event = self.buffers.capacity.shared_bytes() as u32;
        let of_warps = events_of_block * of_event;
        if self.count() <= FEW_EVENTS * properties.multiprocessors
            || of_warps as usize > available_shared_bytes(gpu)
        {
            return SearchGrid::Blocks(LaunchConfig::blocks(self.count()).with_shared(of_event));
        }
        let blocks = self.count().div_ceil(events_of_block);
        SearchGrid::Warps(LaunchConfig::blocks(blocks).with_shared(of_warps))
    }

    fn find_tracks(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let search = &self.buffers.lists.search;
        // SAFETY: lists have the capacity that the kernel derives from the same numbers.
        unsafe { P::find_tracks(gpu, self.search_grid(gpu), self.search()) }?;
        let arguments = ComputeOffsets {
            counts: search.counts.ptr(),
            offsets: search.offsets.ptr(),
            totals: search.totals.ptr().skipping(self.queue),
            first: self.events.start as u32,
            count: self.count(),
        };
        // SAFETY: both arrays have an element for each event.
        unsafe { gpu.launch(&VELO_COMPUTE_OFFSETS, LaunchConfig::blocks(1), arguments) }
    }

    /// Starts to bring its tracks together, after those that were found before.
    pub(super) fn consolidate(&self, gpu: &Gpu, before: TrackTotals) -> Result<(), DeviceError> {
        let lists = &self.buffers.lists;
        let track_hits = &lists.track_hits;
        let hits = before.hits as usize;
        let arguments = ConsolidateArguments {
            search: self.search(),
            offsets: lists.search.offsets.ptr(),
            track_lengths: lists.lengths.ptr().skipping(before.tracks as usize),
            ids: track_hits.ids.ptr().skipping(hits),
            slots: track_hits.slots.ptr().skipping(hits),
            x: track_hits.x.ptr().skipping(hits),
            y: track_hits.y.ptr().skipping(hits),
            z: track_hits.z.ptr().skipping(hits),
        };
        // SAFETY: the caller has compared the totals with the lengths of the arrays.
        unsafe { P::consolidate(gpu, LaunchConfig::blocks(self.count()), arguments) }
    }
}
