//! Lists of the search for tracks of a batch.

use std::ops::Range;

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};
use tasks::device::buffers;

use super::prefix_sum::HostPrefixSum;
use super::size::BatchSize;
use crate::kernels::velo_cuda_published_tracks_h::{
    MAX_SLOTS, MIN_TRACKS_PER_EVENT, NEEDS_MORE, QUEUE, SearchLists,
};
use crate::kernels::velo_cuda_tracks_h::MAX_HITS;
use crate::velo::model::capacities::{self, tracks_of_slice};

const _: () = assert!(
    QUEUE == capacities::QUEUE
        && MAX_SLOTS == capacities::MAX_SLOTS
        && MIN_TRACKS_PER_EVENT == capacities::MIN_TRACKS_PER_EVENT
);

/// Memory of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Capacity {
    /// Lists as long as the experiment's.
    Original,
    /// Enough for any event.
    Enlarged,
}

/// Lengths of the lists of a batch.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    events: usize,
    used_words: usize,
    /// Entries of the queue of an event.
    queue: usize,
    tracks: usize,
}

impl Lengths {
    fn new(size: BatchSize, capacity: Capacity) -> Self {
        let BatchSize { events, slots, slots_of_event } = size;
        Lengths {
            events,
            used_words: slots / 32 + events,
            queue: match capacity {
                Capacity::Original => QUEUE as usize,
                // A slot begins at most one triplet, which has an entry in each of three steps.
                Capacity::Enlarged => (3 * slots_of_event + 1).next_power_of_two(),
            },
            tracks: match capacity {
                Capacity::Original => tracks_of_slice(events, slots as u32) as usize,
                Capacity::Enlarged => slots,
            },
        }
    }

    fn queues(&self) -> usize {
        self.events * self.queue
    }
}

buffers! {
    /// Lists of the search, with numbers of tracks and of their hits.
    pub(super) struct Lists(gpu, size: BatchSize, capacity: Capacity) {
        used: DeviceBuffer<u32> = gpu.buffer(max.used_words)?,
        entries: DeviceBuffer<u32> = gpu.buffer(max.queues())?,
        seeds: DeviceBuffer<u32> = gpu.buffer(3 * max.queues())?,
        tracks: DeviceBuffer<u32> = gpu.buffer(MAX_HITS as usize * max.tracks)?,
        lengths: DeviceBuffer<u32> = gpu.buffer(max.tracks)?,
        three_hit: DeviceBuffer<u32> = gpu.buffer(3 * max.tracks)?,
        accepted: DeviceBuffer<u32> = gpu.buffer(3 * max.tracks)?,
        track_counts: DeviceBuffer<u32> = gpu.buffer(max.events)?,
        three_hit_counts: DeviceBuffer<u32> = gpu.buffer(max.events)?,
        accepted_counts: DeviceBuffer<u32> = gpu.buffer(max.events)?,
        pub(super) track_offsets: DeviceBuffer<u32> = gpu.buffer(max.events + 1)?,
        pub(super) accepted_offsets: DeviceBuffer<u32> = gpu.buffer(max.events + 1)?,
        pub(super) hit_counts: DeviceBuffer<u32> = gpu.buffer(2 * max.tracks)?,
        pub(super) hit_offsets: DeviceBuffer<u32> = gpu.buffer(2 * max.tracks + 1)?,
        sums: HostPrefixSum = HostPrefixSum::new(gpu, max.events.max(2 * max.tracks))?,
        ;
        max: Lengths = Lengths::new(size, capacity),
        pub(super) capacity: Capacity = capacity,
    }
}

impl Lists {
    /// The lists, as kernels take them, of a batch whose hits have the indices `hits`.
    pub(super) fn arguments(&self, hits: &Range<u32>, exceeds: Ptr<u32>) -> SearchLists {
        SearchLists {
            used: self.used.ptr(),
            entries: self.entries.ptr(),
            seeds: self.seeds.ptr(),
            tracks: self.tracks.ptr(),
            lengths: self.lengths.ptr(),
            three_hit: self.three_hit.ptr(),
            accepted: self.accepted.ptr(),
            track_counts: self.track_counts.ptr(),
            three_hit_counts: self.three_hit_counts.ptr(),
            accepted_counts: self.accepted_counts.ptr(),
            exceeds,
            first_hit: hits.start,
            slots: hits.end - hits.start,
            queue: self.max.queue as u32,
            is_enlarged: u32::from(self.capacity == Capacity::Enlarged),
        }
    }

    /// Finds the first track of each event; `None` if the lists are too short.
    pub(super) fn sum_tracks(
        &mut self,
        gpu: &Gpu,
        events: usize,
    ) -> Result<Option<Vec<u32>>, DeviceError> {
        self.sums.run(gpu, &self.track_counts, &self.track_offsets, events, 0)?;
        let counts = self.sums.counts(events);
        Ok((!counts.contains(&NEEDS_MORE)).then(|| counts.to_vec()))
    }

    /// Finds the first accepted track of three hits of each event; returns their numbers.
    pub(super) fn sum_accepted(
        &mut self,
        gpu: &Gpu,
        events: usize,
    ) -> Result<Vec<u32>, DeviceError> {
        self.sums.run(gpu, &self.accepted_counts, &self.accepted_offsets, events, 0)?;
        Ok(self.sums.counts(events).to_vec())
    }

    /// Finds the first hit of each track, from the index `first` on; returns the index after the last one.
    pub(super) fn sum_hits(
        &mut self,
        gpu: &Gpu,
        tracks: usize,
        first: u32,
    ) -> Result<u32, DeviceError> {
        self.sums.run(gpu, &self.hit_counts, &self.hit_offsets, tracks, first)
    }

    /// Number of hits of each track, once they are summed.
    pub(super) fn hit_counts(&self, tracks: usize) -> &[u32] {
        self.sums.counts(tracks)
    }
}
