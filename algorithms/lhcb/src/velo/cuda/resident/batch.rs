//! A batch of events of `resident`: its kernels in order.

use std::ops::Range;

use generators_lhcb::geometry::MODULE_PAIRS;
use portable_gpu::{DeviceError, Gpu, LaunchConfig, Ptr};

use super::{Config, Resident};
use crate::kernels::velo_clusters::FindClusters;
use crate::kernels::velo_consolidate::{
    ComputeOffsets, Consolidate, TrackTotals, VELO_COMPUTE_OFFSETS,
};
use crate::kernels::velo_cuda_event_h::Events;
use crate::kernels::velo_cuda_pair_banks_h::{PAIR_THREADS, SelectedPairs};
use crate::kernels::velo_decode::DecodeClusters;
use crate::kernels::velo_sort::{FINISH_THREADS, FinishEvents, SortHits, VELO_FINISH_EVENTS};
use crate::kernels::velo_tracks::{FindTracks, FindTracksInMemory};
use crate::velo::cuda::layout::{LayerRange, pair_shared_bytes};
use crate::velo::cuda::precision::Precision;
use crate::velo::{Stage, VeloInput};

/// A launch with a warp for each pair of modules.
fn grid(pairs: &SelectedPairs, gpu: &Gpu) -> LaunchConfig {
    let lanes = gpu.properties().lanes;
    LaunchConfig::blocks(pairs.count.div_ceil(PAIR_THREADS / lanes))
        .with_shared(pair_shared_bytes(pairs.list_capacity as usize, lanes) as u32)
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
                self.find_hits(gpu, pairs)?;
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
    fn selections(&self) -> Vec<SelectedPairs> {
        let layout = &self.config.layout;
        let has_large = !layout.large_pairs.is_empty();
        let most = SelectedPairs {
            list_capacity: layout.usual_words as u32,
            max_words: if has_large { layout.usual_words as u32 } else { u32::MAX },
            count: self.count() * MODULE_PAIRS as u32,
            selected: Ptr::NONE,
        };
        let large = layout.large_pairs.iter().enumerate().map(|(of_size, large)| {
            let range = large.of_events(&self.events);
            SelectedPairs {
                list_capacity: large.capacity as u32,
                max_words: u32::MAX,
                count: range.len() as u32,
                selected: self.buffers.input.large_pairs(of_size, range.start),
            }
        });
        std::iter::once(most).chain(large.filter(|pairs| pairs.count > 0)).collect()
    }

    fn find_hits(&self, gpu: &Gpu, pairs: SelectedPairs) -> Result<(), DeviceError> {
        let grid = grid(&pairs, gpu);
        let hits = &self.buffers.hits;
        // Each kernel passes over events of the other kind.
        if self.config.has_super_pixels {
            let arguments = FindClusters {
                events: self.events(),
                patterns: self.buffers.input.patterns(),
                unsorted: hits.unsorted.arrays(),
                sorted: hits.sorted.arrays(),
                pairs: hits.pairs.ptr(),
                launched: pairs,
            };
            let kernel = match self.config.stage {
                Stage::Clusters => P::KERNELS.find_clusters,
                _ => P::KERNELS.find_hits,
            };
            // SAFETY: each event has two slots for each of its words.
            unsafe { gpu.launch(kernel, grid, arguments) }?;
        }
        if self.config.has_retina {
            let arguments = DecodeClusters {
                events: self.events(),
                unsorted: hits.unsorted.arrays(),
                sorted: hits.sorted.arrays(),
                pairs: hits.pairs.ptr(),
                launched: pairs,
            };
            // SAFETY: each event has a slot for each of its words.
            unsafe { gpu.launch(P::KERNELS.decode, grid, arguments) }?;
        }
        Ok(())
    }

    /// Starts to sort hits, but for those of raw banks, which are sorted where they are found, and to number the
    /// slots of each event.
    fn sort(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        if self.config.stage == Stage::Sort {
            for pairs in self.selections() {
                self.sort_pairs(gpu, pairs)?;
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

    fn sort_pairs(&self, gpu: &Gpu, pairs: SelectedPairs) -> Result<(), DeviceError> {
        let grid = grid(&pairs, gpu);
        let hits = &self.buffers.hits;
        let arguments = SortHits {
            from: hits.unsorted.arrays(),
            to: hits.sorted.arrays(),
            pairs: hits.pairs.ptr(),
            first_event: self.events.start as u32,
            launched: pairs,
        };
        // SAFETY: both arrays have a slot for each hit.
        unsafe { gpu.launch(P::KERNELS.sort, grid, arguments) }
    }

    /// The search in events with a pair of modules of at least `min_hits`, with lists of a capacity in shared memory.
    fn search(&self, LayerRange { capacity, min_hits }: LayerRange) -> FindTracks {
        let buffers = self.buffers;
        let lists = &buffers.lists.search;
        FindTracks {
            events: self.events(),
            pairs: buffers.hits.pairs.ptr(),
            hits: buffers.hits.sorted.arrays(),
            entries: lists.entries.ptr(),
            tracks: lists.tracks.ptr(),
            lengths: lists.lengths.ptr(),
            three_hit: lists.three_hit.ptr(),
            counts: lists.counts.ptr(),
            shift: buffers.capacity.shift,
            layer_capacity: capacity as u32,
            min_hits: min_hits as u32,
            cuts: self.input.cuts.into(),
        }
    }

    fn find_tracks(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        for layers in &self.config.search.shared {
            let shared = layers.shared_bytes() as u32;
            let grid = LaunchConfig::blocks(self.count()).with_shared(shared);
            // SAFETY: lists have the capacity that the kernel derives from the same numbers.
            unsafe { gpu.launch(P::KERNELS.find_tracks, grid, self.search(*layers)) }?;
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
        let large = &self.buffers.large;
        let arguments = FindTracksInMemory {
            search: self.search(LayerRange { capacity: 0, min_hits: plan.min_hits }),
            large: large.events.ptr().skipping(range.start),
            layers: large.layers.ptr(),
        };
        let grid = LaunchConfig::blocks(range.len() as u32);
        // SAFETY: each event has lists of its capacity.
        unsafe { gpu.launch(P::KERNELS.find_tracks_in_memory, grid, arguments) }
    }

    /// Starts to bring its tracks together, after those that were found before.
    pub(super) fn consolidate(&self, gpu: &Gpu, before: TrackTotals) -> Result<(), DeviceError> {
        let lists = &self.buffers.lists;
        let search = &lists.search;
        let track_hits = &lists.track_hits;
        let hits = before.hits as usize;
        let arguments = Consolidate {
            events: self.events(),
            pairs: self.buffers.hits.pairs.ptr(),
            hits: self.buffers.hits.sorted.arrays(),
            tracks: search.tracks.ptr(),
            lengths: search.lengths.ptr(),
            three_hit: search.three_hit.ptr(),
            counts: search.counts.ptr(),
            offsets: search.offsets.ptr(),
            track_lengths: lists.lengths.ptr().skipping(before.tracks as usize),
            ids: track_hits.ids.ptr().skipping(hits),
            slots: track_hits.slots.ptr().skipping(hits),
            x: track_hits.x.ptr::<P::Number>().skipping(hits).cast(),
            y: track_hits.y.ptr::<P::Number>().skipping(hits).cast(),
            z: track_hits.z.ptr::<P::Number>().skipping(hits).cast(),
            shift: self.buffers.capacity.shift,
        };
        // SAFETY: the caller has compared the totals with the lengths of the arrays.
        unsafe { gpu.launch(P::KERNELS.consolidate, LaunchConfig::blocks(self.count()), arguments) }
    }
}
