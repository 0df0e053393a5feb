//! recobench's reconstruction on a GPU: everything stays on the device, a warp for each pair of modules, then a
//! block for each event, batches on several queues.

mod batch;

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::Zeroable;
use generators_lhcb::BankKind;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, QUEUES};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask};
use tasks::device::{Buffers, buffers};

use super::input::InputBuffers;
use super::layout::{Capacity, LargeEvents, Layout, SearchPlan};
use super::precision::Precision;
use super::results::{DeviceTrackHits, FoundTracks, HitBuffers};
use crate::kernels::velo_consolidate::{TrackOffsets, TrackTotals};
use crate::kernels::velo_cuda_tracks_h::{MAX_HITS, TrackCounts};
use crate::kernels::velo_tracks::{Entry, LargeEvent};
use crate::velo::model::{self, Hits, Tracks};
use crate::velo::{Stage, VeloInput, VeloOutput, VeloTask};
use batch::Batch;

/// Settings of a variant.
pub(super) struct Config {
    stage: Stage,
    layout: Layout,
    search: SearchPlan,
    capacity: Capacity,
    /// True if events of the input have such banks.
    has_super_pixels: bool,
    has_retina: bool,
}

impl Config {
    /// Settings for a stage on an input.
    pub(super) fn new(gpu: &Gpu, input: &VeloInput, stage: Stage) -> Self {
        let layout = Layout::new(input, stage);
        Config {
            stage,
            search: if stage.has_tracks() {
                SearchPlan::new(&layout, available_shared_bytes(gpu))
            } else {
                SearchPlan::default()
            },
            capacity: layout.usual_capacity(),
            has_super_pixels: input.events.has(BankKind::SuperPixel),
            has_retina: input.events.has(BankKind::Retina),
            layout,
        }
    }
}

/// Shared memory of the search that does not depend on the events.
const STATIC_SHARED_BYTES: usize = 2048;

/// Shared memory that is left for hits of events.
fn available_shared_bytes(gpu: &Gpu) -> usize {
    gpu.properties().shared_bytes as usize - STATIC_SHARED_BYTES
}

buffers! {
    /// Lists of the search.
    struct Search(gpu, events: usize, entries: usize) {
        entries: DeviceBuffer<Entry> = gpu.buffer(2 * entries)?,
        tracks: DeviceBuffer<u32> = gpu.buffer(MAX_HITS as usize * entries)?,
        lengths: DeviceBuffer<u32> = gpu.buffer(entries)?,
        three_hit: DeviceBuffer<u32> = gpu.buffer(3 * entries)?,
        counts: DeviceBuffer<TrackCounts> = gpu.buffer(events)?,
        offsets: DeviceBuffer<TrackOffsets> = gpu.buffer(events)?,
        totals: DeviceBuffer<TrackTotals> = gpu.buffer(QUEUES as usize)?,
    }
}

/// Lists of the events that are too long for shared memory.
struct LargeLists {
    events: DeviceBuffer<LargeEvent>,
    layers: DeviceBuffer<u8>,
}

buffers!(LargeLists: layers; kept: events);

impl LargeLists {
    fn new(gpu: &Gpu, large: &LargeEvents) -> Result<Self, DeviceError> {
        Ok(LargeLists { events: gpu.table(&large.events)?, layers: gpu.buffer(large.bytes)? })
    }
}

/// Results in page-locked memory of the host.
struct HostTracks {
    totals: Vec<PinnedBuffer<TrackTotals>>,
    counts: PinnedBuffer<TrackCounts>,
    lengths: PinnedBuffer<u8>,
    ids: PinnedBuffer<u32>,
}

buffers!(HostTracks: totals, counts, lengths, ids);

/// Lists whose capacity may turn out to be too small.
struct Lists<P: Precision> {
    search: Search,
    /// Number of hits of each track.
    lengths: DeviceBuffer<u8>,
    track_hits: DeviceTrackHits<P>,
    found: HostTracks,
}

impl<P: Precision> Lists<P> {
    fn new(gpu: &Gpu, config: &Config, capacity: &Capacity) -> Result<Self, DeviceError> {
        let Config { layout, stage, .. } = config;
        let has_tracks = stage.has_tracks();
        let entries = if has_tracks { layout.entries(capacity) } else { 0 };
        let hits = if has_tracks { layout.slots() * capacity.track_hits + 1 } else { 0 };
        let tracks = hits / 3 + 1;
        let events = layout.events();
        let totals = (0..QUEUES).map(|_| gpu.pinned(1)).collect::<Result<_, _>>()?;
        Ok(Lists {
            search: Search::new(gpu, events, entries)?,
            lengths: gpu.buffer(tracks)?,
            track_hits: DeviceTrackHits::new(gpu, hits)?,
            found: HostTracks {
                totals,
                counts: gpu.pinned(events)?,
                lengths: gpu.pinned(tracks)?,
                ids: gpu.pinned(hits)?,
            },
        })
    }
}

impl<P: Precision> Buffers for Lists<P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.search.poison()?;
        self.lengths.poison()?;
        self.track_hits.poison()?;
        self.found.poison()
    }

    fn bytes(&self) -> u64 {
        let lengths = Buffers::bytes(&self.lengths);
        self.search.bytes() + lengths + self.track_hits.bytes() + self.found.bytes()
    }
}

/// Buffers of a run.
pub(super) struct Resident<'a, P: Precision> {
    input: InputBuffers<'a>,
    hits: HitBuffers<P>,
    lists: Lists<P>,
    large: LargeLists,
    /// Tracks and hits that were found.
    totals: TrackTotals,
    /// Memory of the search.
    capacity: Capacity,
    output: VeloOutput,
}

impl<P: Precision> Buffers for Resident<'_, P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.totals = TrackTotals::zeroed();
        self.output = VeloOutput::default();
        self.input.poison()?;
        self.hits.poison()?;
        self.large.poison()?;
        self.lists.poison()
    }

    fn bytes(&self) -> u64 {
        self.input.bytes() + self.hits.bytes() + self.lists.bytes() + self.large.bytes()
    }
}

/// Memory that a run turned out to need.
enum Attempt {
    Done,
    NeedsMore(Capacity),
}

impl<'a, P: Precision> Resident<'a, P> {
    fn attempt(&mut self, at: &GpuRunner<'a, Self>) -> Result<Attempt, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        self.totals = TrackTotals::zeroed();
        let all: Vec<_> = input.batches().collect();
        let queues = QUEUES as usize;
        for (index, events) in all.iter().enumerate() {
            if let Some(before) = index.checked_sub(queues)
                && let Attempt::NeedsMore(capacity) = self.fetch(at, before, &all[before])?
            {
                return Ok(Attempt::NeedsMore(capacity));
            }
            let queue = index % queues;
            gpu.with_queue(queue as u32, |gpu| {
                let events = events.clone();
                let batch = Batch { buffers: &*self, input, config, events: events.clone(), queue };
                batch.start(gpu)?;
                if !config.stage.has_tracks() {
                    return Ok(());
                }
                let Lists { search, found, .. } = &mut self.lists;
                let counts = found.counts.part_mut(events.clone());
                gpu.download_part(counts, &search.counts, events.start)?;
                gpu.download_part(&mut found.totals[queue], &search.totals, queue)
            })?;
        }
        let first_pending = all.len().saturating_sub(queues);
        for (index, events) in all.iter().enumerate().skip(first_pending) {
            if let Attempt::NeedsMore(capacity) = self.fetch(at, index, events)? {
                return Ok(Attempt::NeedsMore(capacity));
            }
        }
        Ok(Attempt::Done)
    }

    /// Waits for the totals of a batch, and starts to bring its tracks together and to copy them.
    fn fetch(
        &mut self,
        at: &GpuRunner<'a, Self>,
        index: usize,
        events: &Range<usize>,
    ) -> Result<Attempt, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        if !config.stage.has_tracks() {
            return Ok(Attempt::Done);
        }
        let queue = index % QUEUES as usize;
        let totals = self.lists.found.totals[queue][0];
        let layout = &config.layout;
        let capacity = &self.capacity;
        if totals.overflow != 0 {
            return Ok(Attempt::NeedsMore(layout.max_capacity(capacity.track_hits)));
        }
        let before = self.totals;
        let after = TrackTotals {
            tracks: before.tracks + totals.tracks,
            hits: before.hits + totals.hits,
            overflow: 0,
        };
        if after.hits as usize > self.lists.track_hits.ids.len() {
            let track_hits = 4 * capacity.track_hits;
            return Ok(Attempt::NeedsMore(Capacity { track_hits, ..*capacity }));
        }
        self.totals = after;
        gpu.with_queue(queue as u32, |gpu| {
            let batch = Batch { buffers: &*self, input, config, events: events.clone(), queue };
            batch.consolidate(gpu, before)?;
            let tracks = before.tracks as usize..after.tracks as usize;
            let hits = before.hits as usize..after.hits as usize;
            let Lists { lengths, track_hits, found, .. } = &mut self.lists;
            let found_lengths = found.lengths.part_mut(tracks.clone());
            gpu.download_part(found_lengths, lengths, tracks.start)?;
            gpu.download_part(found.ids.part_mut(hits.clone()), &track_hits.ids, hits.start)
        })?;
        Ok(Attempt::Done)
    }

    /// The tracks, of which numbers of hits and identifiers have been copied.
    fn tracks(&self, gpu: &Gpu) -> Result<Tracks, DeviceError> {
        let Lists { track_hits, found, .. } = &self.lists;
        let counts = found.counts.iter();
        let lengths = found.lengths[..self.totals.tracks as usize].iter();
        track_hits.read(
            gpu,
            FoundTracks {
                counts: counts
                    .map(|counts| model::TrackCounts {
                        long: counts.tracks,
                        three_hit: counts.three_hit,
                    })
                    .collect(),
                lengths: lengths.map(|length| u32::from(*length)).collect(),
                ids: &found.ids[..self.totals.hits as usize],
            },
        )
    }
}

impl<'a, P: Precision> GpuTask<'a> for Resident<'a, P> {
    type Task = VeloTask;
    type Config = Config;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let Config { layout, stage, capacity, .. } = config;
        Ok(Resident {
            input: InputBuffers::new(at.execution(), input, *stage, layout)?,
            hits: HitBuffers::new(gpu, *stage, layout)?,
            lists: Lists::new(gpu, config, capacity)?,
            large: LargeLists::new(gpu, &config.search.large)?,
            totals: TrackTotals::zeroed(),
            capacity: *capacity,
            output: VeloOutput::default(),
        })
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        self.hits.load(gpu, input, config.stage, &self.input)
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        while let Attempt::NeedsMore(capacity) = self.attempt(at)? {
            at.gpu.finish()?;
            self.capacity = capacity;
            self.lists = Lists::new(&at.gpu, &at.config, &capacity)?;
        }
        Ok(())
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        at.gpu.finish()?;
        let stage = at.config.stage;
        let hits = if stage.has_hits() { self.hits.read(&at.gpu, stage)? } else { Hits::new() };
        let tracks = if stage.has_tracks() { self.tracks(&at.gpu)? } else { Tracks::new() };
        self.output = VeloOutput { hits, tracks };
        Ok(())
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, VeloOutput> {
        Cow::Borrowed(&self.output)
    }

    fn release(self, config: &mut Config) {
        config.capacity = self.capacity;
    }
}
