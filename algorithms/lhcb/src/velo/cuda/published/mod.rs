//! The reconstruction as the experiment has it on a GPU: kernels of a thread or a block for each event, slots by
//! atomics, and prefix sums between them on the host.
//!
//! | module | holds |
//! |---|---|
//! | `size` | size of the largest batch |
//! | `prefix_sum` | prefix sums on the host |
//! | `counting` | what is counted before hits are found |
//! | `lists` | lists of the search |
//! | `kernels` | launches of the kernels of a batch |
//! | `steps` | the steps of a batch |

mod counting;
mod kernels;
mod lists;
mod prefix_sum;
mod size;
mod steps;

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use generators_lhcb::BankKind;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask};
use tasks::device::Buffers;

use super::input::InputBuffers;
use super::layout::Layout;
use super::precision::Single;
use super::results::{DeviceTrackHits, FoundTracks, HitBuffers};
use crate::velo::model::search::SearchCuts;
use crate::velo::model::{Hits, TrackCounts, Tracks, capacities};
use crate::velo::{Stage, VeloInput, VeloOutput, VeloTask};
use counting::Counting;
use lists::{Capacity, Lists};
use size::BatchSize;

/// Settings of the variant.
pub(super) struct Config {
    stage: Stage,
    layout: Layout,
    size: BatchSize,
    capacity: Capacity,
    cuts: SearchCuts,
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
        Config {
            stage,
            size: BatchSize::new(input, &layout),
            layout,
            capacity: Capacity::Original,
            cuts: input.cuts,
            has_super_pixels: input.events.has(BankKind::SuperPixel),
            has_retina: input.events.has(BankKind::Retina),
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

impl Published<'_> {
    /// The tracks, of which numbers of hits and identifiers have been copied.
    fn tracks(&self, gpu: &Gpu) -> Result<Tracks, DeviceError> {
        let HostTracks { counts, lengths, hits, ids } = &self.found;
        let ids = &ids[..*hits as usize];
        let found = FoundTracks { counts: counts.clone(), lengths: lengths.clone(), ids };
        self.track_hits.read(gpu, found)
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
        self.hits.load(gpu, input, config.stage, &self.input)
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
