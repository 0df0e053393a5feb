//! The kernels of a batch of events.

use std::ops::Range;

use portable_gpu::{DeviceError, Gpu, LaunchConfig, Ptr};

use super::{Config, Published};
use crate::kernels::velo_cuda_event_h::{Events, HitArrays};
use crate::kernels::velo_cuda_published_tracks_h::SearchLists;
use crate::kernels::velo_published_candidates::{
    CountWords, EstimateHits, LimitCandidates, VELO_PUBLISHED_COUNT_WORDS,
    VELO_PUBLISHED_ESTIMATE_HITS, VELO_PUBLISHED_LIMIT_CANDIDATES,
};
use crate::kernels::velo_published_clusters::{FindMaskedClusters, VELO_PUBLISHED_FIND_CLUSTERS};
use crate::kernels::velo_published_consolidate::{
    ConsolidateTracks, CountHits, VELO_PUBLISHED_CONSOLIDATE, VELO_PUBLISHED_COUNT_HITS,
};
use crate::kernels::velo_published_sort::{
    DecodeRetina, SortByPhi, VELO_PUBLISHED_DECODE, VELO_PUBLISHED_SORT_BY_PHI,
};
use crate::kernels::velo_published_tracks::{
    FilterThreeHits, SearchByTriplet, VELO_PUBLISHED_FILTER, VELO_PUBLISHED_SEARCH,
};
use crate::velo::Stage;
use crate::velo::cuda::precision::{DeviceHits, Single};

/// Kernels of a batch of events, whose hits have the indices `hits`.
pub(super) struct Kernels<'b, 'a> {
    pub(super) buffers: &'b Published<'a>,
    pub(super) config: &'b Config,
    pub(super) gpu: &'b Gpu,
    pub(super) events: Range<usize>,
    pub(super) hits: Range<u32>,
}

impl Kernels<'_, '_> {
    fn events(&self) -> Events {
        self.buffers.input.events(&self.events)
    }

    /// A block for each event.
    fn grid(&self) -> LaunchConfig {
        LaunchConfig::blocks(self.events.len() as u32)
    }

    fn unsorted(&self) -> HitArrays {
        arrays(&self.buffers.hits.unsorted)
    }

    fn sorted(&self) -> HitArrays {
        arrays(&self.buffers.hits.sorted)
    }

    fn lists(&self) -> SearchLists {
        self.buffers.lists.arguments(&self.hits, self.buffers.exceeds.ptr())
    }

    /// Starts to limit the number of candidates.
    pub(super) fn limit_candidates(&self) -> Result<(), DeviceError> {
        let counting = &self.buffers.counting;
        let arguments = LimitCandidates {
            events: self.events(),
            limits: counting.limits.ptr(),
            bank_of_sensor: counting.bank_of_sensor.ptr(),
        };
        let grid = VELO_PUBLISHED_LIMIT_CANDIDATES.grid_for(self.events.len());
        // SAFETY: arrays have an element for each event of the largest batch, and for its sensors.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_LIMIT_CANDIDATES, grid, arguments) }
    }

    /// Starts to count what makes hits, of both kinds of banks.
    pub(super) fn estimate_hits(&self) -> Result<(), DeviceError> {
        let counting = &self.buffers.counting;
        // Each kernel passes over events of the other kind.
        if self.config.has_super_pixels {
            let arguments = EstimateHits {
                events: self.events(),
                patterns: self.buffers.input.patterns(),
                candidate_offsets: counting.candidate_offsets.ptr(),
                candidates: counting.candidates.ptr(),
                candidate_counts: counting.candidate_counts.ptr(),
                estimates: counting.estimates.ptr(),
            };
            // SAFETY: there are two candidates for each word, which the offsets are made of.
            unsafe { self.gpu.launch(&VELO_PUBLISHED_ESTIMATE_HITS, self.grid(), arguments) }?;
        }
        if self.config.has_retina {
            let arguments =
                CountWords { events: self.events(), estimates: counting.estimates.ptr() };
            // SAFETY: there is an estimate for each pair of modules.
            unsafe { self.gpu.launch(&VELO_PUBLISHED_COUNT_WORDS, self.grid(), arguments) }?;
        }
        Ok(())
    }

    /// Starts to find hits, of both kinds of banks.
    pub(super) fn find_hits(&self) -> Result<(), DeviceError> {
        let Published { counting, hits, input, created, .. } = self.buffers;
        if self.config.has_super_pixels {
            let arguments = FindMaskedClusters {
                events: self.events(),
                patterns: input.patterns(),
                bank_of_sensor: counting.bank_of_sensor.ptr(),
                candidate_offsets: counting.candidate_offsets.ptr(),
                candidates: counting.candidates.ptr(),
                candidate_counts: counting.candidate_counts.ptr(),
                offsets: counting.offsets.ptr(),
                hits: self.unsorted(),
                created: created.ptr(),
                pairs: hits.pairs.ptr(),
            };
            // SAFETY: a pair of modules has at most as many hits as were estimated.
            unsafe { self.gpu.launch(&VELO_PUBLISHED_FIND_CLUSTERS, self.grid(), arguments) }?;
            if self.config.stage != Stage::Clusters {
                self.sort(created.ptr())?;
            }
        }
        if self.config.has_retina {
            let arguments = DecodeRetina {
                events: self.events(),
                offsets: counting.offsets.ptr(),
                unsorted: self.unsorted(),
                sorted: self.sorted(),
                pairs: hits.pairs.ptr(),
            };
            // SAFETY: there is a slot for each word.
            unsafe { self.gpu.launch(&VELO_PUBLISHED_DECODE, self.grid(), arguments) }?;
        }
        Ok(())
    }

    /// Starts the sort; `created` has the order of hits with equal keys, which is that of the slots if null.
    pub(super) fn sort(&self, created: Ptr<u32>) -> Result<(), DeviceError> {
        let arguments = SortByPhi {
            events: self.events(),
            from: self.unsorted(),
            created,
            to: self.sorted(),
            pairs: self.buffers.hits.pairs.ptr(),
        };
        // SAFETY: both arrays have a slot for each hit.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_SORT_BY_PHI, self.grid(), arguments) }
    }

    /// Starts the search for tracks.
    pub(super) fn search(&self) -> Result<(), DeviceError> {
        let arguments = SearchByTriplet {
            events: self.events(),
            pairs: self.buffers.hits.pairs.ptr(),
            hits: self.sorted(),
            lists: self.lists(),
            cuts: self.config.cuts.into(),
        };
        // SAFETY: lists are as long as for the largest batch; the kernel checks their ends.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_SEARCH, self.grid(), arguments) }
    }

    /// Starts the filter of tracks of three hits.
    pub(super) fn filter(&self) -> Result<(), DeviceError> {
        let arguments = FilterThreeHits {
            events: self.events(),
            pairs: self.buffers.hits.pairs.ptr(),
            hits: self.sorted(),
            lists: self.lists(),
        };
        // SAFETY: the list of accepted tracks is as long as that of all.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_FILTER, self.grid(), arguments) }
    }

    /// Starts to copy the number of hits of each track.
    pub(super) fn count_hits(&self) -> Result<(), DeviceError> {
        let lists = &self.buffers.lists;
        let arguments = CountHits {
            events: self.events(),
            pairs: self.buffers.hits.pairs.ptr(),
            lists: self.lists(),
            track_offsets: lists.track_offsets.ptr(),
            accepted_offsets: lists.accepted_offsets.ptr(),
            hit_counts: lists.hit_counts.ptr(),
        };
        // SAFETY: there is a number for each track and each accepted one.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_COUNT_HITS, self.grid(), arguments) }
    }

    /// Starts to copy the hits of all tracks.
    pub(super) fn consolidate(&self) -> Result<(), DeviceError> {
        let Published { lists, track_hits, .. } = self.buffers;
        let arguments = ConsolidateTracks {
            events: self.events(),
            pairs: self.buffers.hits.pairs.ptr(),
            hits: self.sorted(),
            lists: self.lists(),
            track_offsets: lists.track_offsets.ptr(),
            accepted_offsets: lists.accepted_offsets.ptr(),
            hit_offsets: lists.hit_offsets.ptr(),
            ids: track_hits.ids.ptr(),
            slots: track_hits.slots.ptr(),
            x: track_hits.x.ptr(),
            y: track_hits.y.ptr(),
            z: track_hits.z.ptr(),
        };
        // SAFETY: the caller has made the arrays as long as the sum of the numbers of hits.
        unsafe { self.gpu.launch(&VELO_PUBLISHED_CONSOLIDATE, self.grid(), arguments) }
    }
}

fn arrays(hits: &DeviceHits<Single>) -> HitArrays {
    HitArrays { hits: hits.hits.ptr(), phi: hits.phi.ptr() }
}
