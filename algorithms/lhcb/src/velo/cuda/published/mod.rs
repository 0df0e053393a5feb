//! The reconstruction as the experiment has it on a GPU: kernels of a thread or a block for each event, slots by
//! atomics, and prefix sums between them on the host.
//!
//! | module | holds |
//! |---|---|
//! | `size` | size of the largest batch |
//! | `prefix_sum` | prefix sums on the host |
//! | `counting` | what is counted before hits are found |
//! | `lists` | lists of the search |
//! | `batch` | the kernels of a batch |

mod batch;
mod counting;
mod lists;
mod prefix_sum;
mod size;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use generators_lhcb::BankKind;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask};
use tasks::device::Buffers;

use super::input::InputBuffers;
use super::layout::Layout;
use super::precision::Single;
use super::results::{DeviceTrackHits, FoundTracks, HitBuffers};
use crate::velo::model::{Hits, TrackCounts, Tracks, capacities};
use crate::velo::{Stage, VeloInput, VeloOutput, VeloTask};
use batch::Batch;
use counting::Counting;
use lists::{Capacity, Lists};
use size::BatchSize;

/// Settings of the variant.
pub(super) struct Config {
    stage: Stage,
    layout: Layout,
    size: BatchSize,
    capacity: Capacity,
    /// True if events of the input have such banks.
    has_super_pixels: bool,
    has_retina: bool,
    /// Events of the last run that exceed the experiment's capacities.
    exceeding: AtomicUsize,
}

impl Config {
    /// Settings for a stage on an input.
    pub(super) fn new(input: &VeloInput, stage: Stage) -> Self {
        let layout = Layout::new(input, stage);
        let has = |kind| input.events.iter().any(|event| event.format.kind == kind);
        Config {
            stage,
            size: BatchSize::new(input, &layout),
            layout,
            capacity: Capacity::Original,
            has_super_pixels: has(BankKind::SuperPixel),
            has_retina: has(BankKind::Retina),
            exceeding: AtomicUsize::new(0),
        }
    }

    fn lists(&self, gpu: &Gpu, capacity: Capacity) -> Result<Lists, DeviceError> {
        if self.stage.has_tracks() {
            Lists::new(gpu, self.size, capacity)
        } else {
            Lists::new(gpu, BatchSize::NONE, capacity)
        }
    }
}

/// Tracks on the host, as far as a run copies them.
struct HostTracks {
    counts: Vec<TrackCounts>,
    /// Number of hits of each track.
    lengths: Vec<u32>,
    /// Number of hits of all tracks.
    hits: u32,
    ids: PinnedBuffer<u32>,
}

impl HostTracks {
    fn new(ids: PinnedBuffer<u32>) -> Self {
        HostTracks { counts: Vec::new(), lengths: Vec::new(), hits: 0, ids }
    }

    fn clear(&mut self) {
        self.counts.clear();
        self.lengths.clear();
        self.hits = 0;
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        self.clear();
        self.ids.poison()
    }
}

/// Buffers of a run.
pub(super) struct Published<'a> {
    input: InputBuffers<'a>,
    counting: Counting,
    hits: HitBuffers<Single>,
    /// Order of creation of hits in the experiment's CPU code.
    created: DeviceBuffer<u32>,
    lists: Lists,
    /// Of each event, 1 if it exceeds the experiment's capacities.
    exceeds: DeviceBuffer<u32>,
    track_hits: DeviceTrackHits<Single>,
    found: HostTracks,
    output: VeloOutput,
}

impl Buffers for Published<'_> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.output = VeloOutput::default();
        self.input.poison()?;
        self.counting.poison()?;
        self.hits.poison()?;
        self.created.poison()?;
        self.lists.poison()?;
        self.exceeds.poison()?;
        self.track_hits.poison()?;
        self.found.poison()
    }

    fn bytes(&self) -> u64 {
        let own = Buffers::bytes(&self.created) + Buffers::bytes(&self.exceeds);
        let of_batch = self.counting.bytes() + self.lists.bytes();
        self.input.bytes() + self.hits.bytes() + own + of_batch + self.track_hits.bytes()
    }
}

impl<'a> Published<'a> {
    /// Processes a batch whose first hit has the index `first`; returns the index after its last one.
    fn process(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        first: u32,
    ) -> Result<u32, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let stage = config.stage;
        let bases = &config.layout.bases;
        let mut hits = bases[events.start]..bases[events.end];
        if stage.starts_from_banks() {
            self.input.upload(gpu, input, events)?;
            hits = self.find_hits(at, events, first)?;
        }
        if stage == Stage::Sort {
            self.batch(at, events, &hits).sort(Ptr::NONE)?;
        }
        if stage.has_tracks() {
            self.find_tracks(at, events, &hits)?;
        }
        Ok(hits.end)
    }

    fn batch<'b>(
        &'b self,
        at: &'b GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Batch<'b, 'a> {
        Batch {
            buffers: self,
            config: &at.config,
            gpu: &at.gpu,
            events: events.clone(),
            hits: hits.clone(),
        }
    }

    /// Finds the hits of a batch; returns their indices.
    fn find_hits(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        first: u32,
    ) -> Result<Range<u32>, DeviceError> {
        let none = first..first;
        if at.config.has_super_pixels {
            self.batch(at, events, &none).limit_candidates()?;
            self.counting.sum_candidates(&at.gpu, events.len())?;
        }
        self.batch(at, events, &none).estimate_hits()?;
        let hits = first..self.counting.sum_estimates(&at.gpu, events.len(), first)?;
        self.batch(at, events, &hits).find_hits()?;
        Ok(hits)
    }

    /// Finds the tracks of a batch.
    fn find_tracks(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Result<(), DeviceError> {
        let gpu = &*at.gpu;
        let long = self.search(at, events, hits)?;
        self.batch(at, events, hits).filter()?;
        let accepted = self.lists.sum_accepted(gpu, events.len())?;
        self.batch(at, events, hits).count_hits()?;
        let counts = long.iter().zip(&accepted);
        let counts = counts.map(|(&long, &three_hit)| TrackCounts { long, three_hit });
        self.found.counts.extend(counts);
        let tracks = long.iter().chain(&accepted).sum::<u32>() as usize;
        let before = self.found.hits;
        let end = self.lists.sum_hits(gpu, tracks, before)?;
        self.found.lengths.extend_from_slice(self.lists.hit_counts(tracks));
        self.reserve(gpu, end as usize)?;
        self.batch(at, events, hits).consolidate()?;
        let ids = self.found.ids.part_mut(before as usize..end as usize);
        gpu.download_part(ids, &self.track_hits.ids, before as usize)?;
        self.found.hits = end;
        Ok(())
    }

    /// Searches for tracks, again with longer lists if needed; returns the number of tracks of four and
    /// more hits of each event.
    fn search(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Result<Vec<u32>, DeviceError> {
        self.batch(at, events, hits).search()?;
        if let Some(counts) = self.lists.sum_tracks(&at.gpu, events.len())? {
            return Ok(counts);
        }
        self.lists = at.config.lists(&at.gpu, Capacity::Enlarged)?;
        self.batch(at, events, hits).search()?;
        let counts = self.lists.sum_tracks(&at.gpu, events.len())?;
        Ok(counts.expect("a track for each slot"))
    }

    /// The tracks, of which numbers of hits and identifiers have been copied.
    fn tracks(&self, gpu: &Gpu) -> Result<Tracks, DeviceError> {
        let HostTracks { counts, lengths, hits, ids } = &self.found;
        let ids = &ids[..*hits as usize];
        let found = FoundTracks { counts: counts.clone(), lengths: lengths.clone(), ids };
        self.track_hits.read(gpu, found)
    }

    /// Makes the arrays of hits of tracks at least this long.
    fn reserve(&mut self, gpu: &Gpu, hits: usize) -> Result<(), DeviceError> {
        if hits <= self.track_hits.ids.len() {
            return Ok(());
        }
        let hits = 2 * hits;
        self.track_hits = self.track_hits.enlarged(gpu, hits)?;
        let mut ids = gpu.pinned(hits)?;
        ids[..self.found.ids.len()].copy_from_slice(&self.found.ids);
        self.found.ids = ids;
        Ok(())
    }
}

impl<'a> GpuTask<'a> for Published<'a> {
    type Task = VeloTask;
    type Config = Config;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let Config { stage, layout, size, .. } = config;
        let slots = layout.slots() + 1;
        let created = if stage.starts_from_banks() { slots } else { 0 };
        let counted = if stage.starts_from_banks() { *size } else { BatchSize::NONE };
        let track_hits = if stage.has_tracks() { slots } else { 0 };
        Ok(Published {
            input: InputBuffers::new(at.execution(), input, *stage, layout)?,
            counting: Counting::new(gpu, counted)?,
            hits: HitBuffers::new(gpu, *stage, layout)?,
            created: gpu.buffer(created)?,
            lists: config.lists(gpu, config.capacity)?,
            exceeds: gpu.buffer(layout.events())?,
            track_hits: DeviceTrackHits::new(gpu, track_hits)?,
            found: HostTracks::new(gpu.pinned(track_hits)?),
            output: VeloOutput::default(),
        })
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        if config.stage.starts_from_banks() {
            return Ok(());
        }
        self.input.upload_headers(gpu)?;
        self.hits.upload(gpu, input, config.stage)
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        self.found.clear();
        let mut first = 0;
        for events in at.input.batches() {
            first = self.process(at, &events, first)?;
        }
        Ok(())
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        let GpuRunner { gpu, config, .. } = at;
        gpu.finish()?;
        let hits =
            if config.stage.has_hits() { self.hits.read(gpu, config.stage)? } else { Hits::new() };
        let tracks = if config.stage.has_tracks() {
            let exceeds = gpu.read_back(&self.exceeds, 0..self.exceeds.len())?;
            let exceeding = exceeds.iter().filter(|exceeds| **exceeds != 0).count();
            config.exceeding.store(exceeding, Ordering::Relaxed);
            self.tracks(gpu)?
        } else {
            Tracks::new()
        };
        self.output = VeloOutput { hits, tracks };
        Ok(())
    }

    fn remarks(at: &GpuRunner<'a, Self>) -> Vec<String> {
        capacities::remarks(at.config.exceeding.load(Ordering::Relaxed))
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, VeloOutput> {
        Cow::Borrowed(&self.output)
    }

    fn release(self, config: &mut Config) {
        config.capacity = self.lists.capacity;
    }
}
