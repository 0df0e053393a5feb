//! A batch of events of `resident`: its kernels in order.

use std::ops::Range;

use generators_lhcb::geometry::MODULE_PAIRS;
use portable_gpu::{DeviceError, Gpu, LaunchConfig, Ptr};

use super::{Config, Resident};
use crate::kernels::velo_consolidate::{ComputeOffsets, TrackTotals, VELO_COMPUTE_OFFSETS};
use crate::kernels::velo_cuda_event_h::Events;
use crate::kernels::velo_cuda_pair_banks_h::PAIR_THREADS;
use crate::kernels::velo_sort::{FINISH_THREADS, FinishEvents, VELO_FINISH_EVENTS};
use crate::velo::cuda::layout::pair_shared_bytes;
use crate::velo::cuda::precision::{
    ConsolidateArguments, LargeSearch, Precision, RawArguments, SearchArguments, SortArguments,
};
use crate::velo::{Stage, VeloInput};

/// Pairs of modules of a launch.
struct PairSelection {
    /// Hits, and words, of each in shared memory.
    list_capacity: usize,
    /// Those with more words, or hits, are left out.
    max_words: u32,
    count: u32,
    /// Their indices among the pairs of modules of all events; none for all of the batch.
    selected: Ptr<u32>,
}

impl PairSelection {
    /// A launch with a warp for each.
    fn grid(&self, gpu: &Gpu) -> LaunchConfig {
        let lanes = gpu.properties().lanes;
        LaunchConfig::blocks(self.count.div_ceil(PAIR_THREADS / lanes))
            .with_shared(pair_shared_bytes(self.list_capacity, lanes) as u32)
    }
}

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
            for pairs in self.selections() {
                self.find_hits(gpu, &pairs)?;
            }
        }
        if stage != Stage::Tracks {
            self.sort(gpu)?;
        }
        if stage.has_tracks() {
            self.find_tracks(gpu)?;
        }
        Ok(())
    }

    /// Most pairs of modules, then the large ones.
    fn selections(&self) -> Vec<PairSelection> {
        let layout = &self.config.layout;
        let has_large = !layout.large_pairs.is_empty();
        let most = PairSelection {
            list_capacity: layout.usual_words,
            max_words: if has_large { layout.usual_words as u32 } else { u32::MAX },
            count: self.count() * MODULE_PAIRS as u32,
            selected: Ptr::NONE,
        };
        let large = layout.large_pairs.iter().enumerate().map(|(of_size, large)| {
            let range = large.of_events(&self.events);
            PairSelection {
                list_capacity: large.capacity,
                max_words: u32::MAX,
                count: range.len() as u32,
                selected: self.buffers.input.large_pairs(of_size, range.start),
            }
        });
        std::iter::once(most).chain(large.filter(|pairs| pairs.count > 0)).collect()
    }

    fn find_hits(&self, gpu: &Gpu, pairs: &PairSelection) -> Result<(), DeviceError> {
        let grid = pairs.grid(gpu);
        let arguments = || RawArguments {
            events: self.events(),
            patterns: self.buffers.input.patterns(),
            unsorted: P::arrays(&self.buffers.hits.unsorted),
            sorted: P::arrays(&self.buffers.hits.sorted),
            pairs: self.buffers.hits.pairs.ptr(),
            list_capacity: pairs.list_capacity as u32,
            max_words: pairs.max_words,
            pair_count: pairs.count,
            selected: pairs.selected,
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

    /// Starts to sort hits, but for those of raw banks, which are sorted where they are found, and to number the
    /// slots of each event.
    fn sort(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.config.stage == Stage::Sort {
            for pairs in self.selections() {
                self.sort_pairs(gpu, &pairs)?;
            }
        }
        let arguments = FinishEvents {
            pairs: self.buffers.hits.pairs.ptr(),
            first_event: self.events.start as u32,
            events: self.count(),
        };
        let lanes = gpu.properties().lanes;
        let grid = LaunchConfig::blocks(self.count().div_ceil(FINISH_THREADS / lanes));
        // SAFETY: each event has all pairs of modules.
        unsafe { gpu.launch(&VELO_FINISH_EVENTS, grid, arguments) }
    }

    fn sort_pairs(&self, gpu: &Gpu, pairs: &PairSelection) -> Result<(), DeviceError> {
        let hits = &self.buffers.hits;
        let arguments = SortArguments {
            from: P::arrays(&hits.unsorted),
            to: P::arrays(&hits.sorted),
            pairs: hits.pairs.ptr(),
            first_event: self.events.start as u32,
            list_capacity: pairs.list_capacity as u32,
            max_hits: pairs.max_words,
            pair_count: pairs.count,
            selected: pairs.selected,
        };
        // SAFETY: both arrays have a slot for each hit.
        unsafe { P::sort(gpu, pairs.grid(gpu), arguments) }
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
        }
    }

    fn find_tracks(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        for layers in &self.config.search.shared {
            let shared = layers.shared_bytes() as u32;
            let grid = LaunchConfig::blocks(self.count()).with_shared(shared);
            // SAFETY: lists have the capacity that the kernel derives from the same numbers.
            unsafe { P::find_tracks(gpu, grid, self.search(), *layers) }?;
        }
        self.find_tracks_of_large(gpu)?;
        let search = &self.buffers.lists.search;
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

    /// Starts the search in events whose lists may be too long for shared memory.
    fn find_tracks_of_large(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let plan = &self.config.search.large;
        let range = plan.of_batch(&self.events);
        if range.is_empty() {
            return Ok(());
        }
        let large = LargeSearch {
            events: self.buffers.large.events.ptr().skipping(range.start),
            layers: self.buffers.large.layers.ptr(),
            min_hits: plan.min_hits,
        };
        let grid = LaunchConfig::blocks(range.len() as u32);
        // SAFETY: each event has lists of its capacity.
        unsafe { P::find_tracks_in_memory(gpu, grid, self.search(), large) }
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
