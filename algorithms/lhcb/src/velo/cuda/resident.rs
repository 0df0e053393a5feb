//! recobench's reconstruction on a GPU: everything stays on the device, a block for each pair of modules or
//! event, batches on several queues.

use std::borrow::Cow;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use generators_lhcb::BankKind;
use generators_lhcb::geometry::{Geometry, MODULE_PAIRS};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, PinnedBuffer, QUEUES};
use tasks::algorithm::{CheckError, GpuRunner, GpuTask};
use tasks::device::{Buffers, CachedPerInput, PinnedInput, Unavailable, buffers};

use super::layout::{Capacity, Layout};
use super::precision::{
    ConsolidateArguments, DeviceHits, Precision, RawArguments, SearchArguments, SortArguments,
};
use crate::kernels::velo_clusters::Pattern;
use crate::kernels::velo_consolidate::{
    ComputeOffsets, TrackOffsets, TrackTotals, VELO_COMPUTE_OFFSETS,
};
use crate::kernels::velo_cuda_event_h::{Bank, EventHeader, Events, PairHits};
use crate::kernels::velo_cuda_tracks_h::{MAX_HITS, TrackCounts};
use crate::kernels::velo_sort::{FINISH_THREADS, FinishEvents, SORT_THREADS, VELO_FINISH_EVENTS};
use crate::kernels::velo_tracks::Entry;
use crate::velo::cpu::patterns::PATTERNS;
use crate::velo::model::{self, Hit, Hits, PairRange, Tracks};
use crate::velo::{Stage, VeloInput, VeloOutput, VeloTask};

/// Settings of a variant.
pub(super) struct Config {
    stage: Stage,
    layout: Layout,
    capacity: Capacity,
    /// True if events of the input have such banks.
    has_super_pixels: bool,
    has_retina: bool,
}

impl Config {
    /// Settings for a stage on an input.
    ///
    /// # Errors
    /// If a pair of modules has more hits than fit into the shared memory of the device.
    pub(super) fn new(gpu: &Gpu, input: &VeloInput, stage: Stage) -> Result<Self, Unavailable> {
        let layout = Layout::new(input, stage);
        let capacity = layout.usual_capacity();
        let needed = layout.shared_bytes(&layout.max_capacity(1));
        let available = gpu.properties().shared_bytes as usize - STATIC_SHARED_BYTES;
        if needed > available {
            let hits = layout.max_pair;
            return Err(Unavailable(format!(
                "a pair of modules may have {hits} hits, which need {needed} bytes of shared memory of \
                 {available}; use a variant on the CPU for such events"
            )));
        }
        let has = |kind| input.events.iter().any(|event| event.format.kind == kind);
        let has_super_pixels = has(BankKind::SuperPixel);
        let has_retina = has(BankKind::Retina);
        Ok(Config { stage, layout, capacity, has_super_pixels, has_retina })
    }
}

/// Shared memory of the search that does not depend on the events.
const STATIC_SHARED_BYTES: usize = 2048;

/// Constants that kernels read.
pub(super) struct Constants {
    geometry: DeviceBuffer<f32>,
    patterns: DeviceBuffer<Pattern>,
}

buffers!(Constants: ; kept: geometry, patterns);

impl Constants {
    fn new(gpu: &Gpu, geometry: &Geometry) -> Result<Self, DeviceError> {
        let numbers = [
            geometry.module_z.as_slice(),
            &geometry.column_x,
            &geometry.column_pitch,
            geometry.sensors.as_flattened(),
        ];
        let pattern = |of: &crate::velo::cpu::patterns::PatternClusters| Pattern {
            count: of.count as u32,
            column: of.clusters.map(|cluster| cluster.column.into()),
            row: of.clusters.map(|cluster| cluster.row.into()),
            column_fraction: of.clusters.map(|cluster| cluster.column_fraction),
            row_fraction: of.clusters.map(|cluster| cluster.row_fraction),
        };
        let patterns: Vec<_> = PATTERNS.iter().map(pattern).collect();
        Ok(Constants { geometry: gpu.table(&numbers.concat())?, patterns: gpu.table(&patterns)? })
    }
}

/// Raw banks in page-locked memory. No run changes them.
struct HostInput<'a> {
    words: PinnedInput<'a, u32>,
    banks: PinnedInput<'a, Bank>,
    headers: PinnedInput<'a, EventHeader>,
}

buffers!(HostInput<'_>: words, banks, headers);

buffers! {
    /// Raw banks on the device.
    struct DeviceInput(gpu, words: usize, banks: usize, layout: &Layout) {
        words: DeviceBuffer<u32> = gpu.buffer(words)?,
        banks: DeviceBuffer<Bank> = gpu.buffer(banks)?,
        headers: DeviceBuffer<EventHeader> = gpu.buffer(layout.events())?,
    }
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

/// Tracks of all events, one after the other.
struct DeviceTracks<P: Precision> {
    lengths: DeviceBuffer<u8>,
    ids: DeviceBuffer<u32>,
    slots: DeviceBuffer<u32>,
    x: DeviceBuffer<P::Number>,
    y: DeviceBuffer<P::Number>,
    z: DeviceBuffer<P::Number>,
}

impl<P: Precision> DeviceTracks<P> {
    fn new(gpu: &Gpu, hits: usize) -> Result<Self, DeviceError> {
        Ok(DeviceTracks {
            lengths: gpu.buffer(hits / 3 + 1)?,
            ids: gpu.buffer(hits)?,
            slots: gpu.buffer(hits)?,
            x: gpu.buffer(hits)?,
            y: gpu.buffer(hits)?,
            z: gpu.buffer(hits)?,
        })
    }
}

impl<P: Precision> Buffers for DeviceTracks<P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.lengths.poison()?;
        self.ids.poison()?;
        self.slots.poison()?;
        self.x.poison()?;
        self.y.poison()?;
        self.z.poison()
    }

    fn bytes(&self) -> u64 {
        let numbers = Buffers::bytes(&self.x) + Buffers::bytes(&self.y) + Buffers::bytes(&self.z);
        let words = Buffers::bytes(&self.ids) + Buffers::bytes(&self.slots);
        Buffers::bytes(&self.lengths) + words + numbers
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

/// Buffers of a run.
pub(super) struct Resident<'a, P: Precision> {
    host: HostInput<'a>,
    device: DeviceInput,
    bases: DeviceBuffer<u32>,
    constants: CachedPerInput<'a, Constants>,
    unsorted: DeviceHits<P::Number>,
    sorted: DeviceHits<P::Number>,
    pairs: DeviceBuffer<PairHits>,
    search: Search,
    tracks: DeviceTracks<P>,
    found: HostTracks,
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
        self.host.poison()?;
        self.device.poison()?;
        self.unsorted.poison()?;
        self.sorted.poison()?;
        self.pairs.poison()?;
        self.search.poison()?;
        self.tracks.poison()?;
        self.found.poison()
    }

    fn bytes(&self) -> u64 {
        self.host.bytes()
            + self.device.bytes()
            + Buffers::bytes(&self.bases)
            + self.constants.bytes()
            + self.unsorted.bytes()
            + self.sorted.bytes()
            + Buffers::bytes(&self.pairs)
            + self.search.bytes()
            + self.tracks.bytes()
            + self.found.bytes()
    }
}

/// A batch of events, with the stage that its kernels run up to.
struct Batch<'b, 'a, P: Precision> {
    buffers: &'b Resident<'a, P>,
    input: &'b VeloInput,
    config: &'b Config,
    events: Range<usize>,
    queue: usize,
}

impl<P: Precision> Batch<'_, '_, P> {
    fn count(&self) -> u32 {
        self.events.len() as u32
    }

    fn events(&self) -> Events {
        let buffers = self.buffers;
        Events {
            words: buffers.device.words.ptr(),
            banks: buffers.device.banks.ptr(),
            headers: buffers.device.headers.ptr(),
            bases: buffers.bases.ptr(),
            geometry: buffers.constants.geometry.ptr(),
            first: self.events.start as u32,
            count: self.count(),
        }
    }

    /// Starts the copies of its raw banks.
    fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let host = &self.buffers.host;
        let device = &self.buffers.device;
        let words = self.input.events.words_of(self.events.clone());
        let banks = self.input.events.banks_of(self.events.clone());
        gpu.upload_part(
            &device.headers,
            self.events.start,
            host.headers.part(self.events.clone()),
        )?;
        gpu.upload_part(&device.banks, banks.start, host.banks.part(banks.clone()))?;
        gpu.upload_part(&device.words, words.start, host.words.part(words.clone()))
    }

    /// Starts the kernels up to the stage.
    fn start(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let stage = self.config.stage;
        if matches!(stage, Stage::Clusters | Stage::Decode | Stage::Chain) {
            self.upload(gpu)?;
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
        let grid = LaunchConfig::blocks(self.count() * MODULE_PAIRS as u32);
        let arguments = || RawArguments {
            events: self.events(),
            patterns: self.buffers.constants.patterns.ptr(),
            unsorted: P::arrays(&self.buffers.unsorted),
            sorted: P::arrays(&self.buffers.sorted),
            pairs: self.buffers.pairs.ptr(),
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
        let pairs = self.buffers.pairs.ptr();
        let first_event = self.events.start as u32;
        let events = self.count();
        // Hits of raw banks are sorted where they are found.
        if self.config.stage == Stage::Sort {
            let from = P::arrays(&self.buffers.unsorted);
            let to = P::arrays(&self.buffers.sorted);
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
        let layout = &self.config.layout;
        SearchArguments {
            events: self.events(),
            pairs: buffers.pairs.ptr(),
            hits: P::arrays(&buffers.sorted),
            entries: buffers.search.entries.ptr(),
            tracks: buffers.search.tracks.ptr(),
            lengths: buffers.search.lengths.ptr(),
            three_hit: buffers.search.three_hit.ptr(),
            counts: buffers.search.counts.ptr(),
            shift: capacity.shift,
            layer_capacity: capacity.layer as u32,
            used_words: layout.used_words() as u32,
        }
    }

    fn find_tracks(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        let shared = self.config.layout.shared_bytes(&self.buffers.capacity) as u32;
        let grid = LaunchConfig::blocks(self.count()).with_shared(shared);
        let search = &self.buffers.search;
        // SAFETY: lists have the capacity that the kernel derives from the same numbers.
        unsafe { P::find_tracks(gpu, grid, self.search()) }?;
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
    fn consolidate(&self, gpu: &Gpu, before: TrackTotals) -> Result<(), DeviceError> {
        let tracks = &self.buffers.tracks;
        let hits = before.hits as usize;
        let arguments = ConsolidateArguments {
            search: self.search(),
            offsets: self.buffers.search.offsets.ptr(),
            track_lengths: tracks.lengths.ptr().skipping(before.tracks as usize),
            ids: tracks.ids.ptr().skipping(hits),
            slots: tracks.slots.ptr().skipping(hits),
            x: tracks.x.ptr().skipping(hits),
            y: tracks.y.ptr().skipping(hits),
            z: tracks.z.ptr().skipping(hits),
        };
        // SAFETY: the caller has compared the totals with the lengths of the arrays.
        unsafe { P::consolidate(gpu, LaunchConfig::blocks(self.count()), arguments) }
    }
}

/// Memory that a run turned out to need.
enum Attempt {
    Done,
    NeedsMore(Capacity),
}

impl<'a, P: Precision> Resident<'a, P> {
    /// Allocates what depends on the capacity.
    fn lists(
        gpu: &Gpu,
        config: &Config,
        capacity: &Capacity,
    ) -> Result<(Search, DeviceTracks<P>, HostTracks), DeviceError> {
        let Config { layout, stage, .. } = config;
        let has_tracks = stage.has_tracks();
        let entries = if has_tracks { layout.entries(capacity) } else { 0 };
        let hits = if has_tracks { layout.slots() * capacity.track_hits + 1 } else { 0 };
        let events = layout.events();
        let totals = (0..QUEUES).map(|_| gpu.pinned(1)).collect::<Result<_, _>>()?;
        let found = HostTracks {
            totals,
            counts: gpu.pinned(events)?,
            lengths: gpu.pinned(hits / 3 + 1)?,
            ids: gpu.pinned(hits)?,
        };
        Ok((Search::new(gpu, events, entries)?, DeviceTracks::new(gpu, hits)?, found))
    }

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
                let found = &mut self.found;
                gpu.download_part(
                    found.counts.part_mut(events.clone()),
                    &self.search.counts,
                    events.start,
                )?;
                gpu.download_part(&mut found.totals[queue], &self.search.totals, queue)
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
        let totals = self.found.totals[queue][0];
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
        if after.hits as usize > self.tracks.ids.len() {
            let track_hits = 4 * capacity.track_hits;
            return Ok(Attempt::NeedsMore(Capacity { track_hits, ..*capacity }));
        }
        self.totals = after;
        gpu.with_queue(queue as u32, |gpu| {
            let batch = Batch { buffers: &*self, input, config, events: events.clone(), queue };
            batch.consolidate(gpu, before)?;
            let tracks = before.tracks as usize..after.tracks as usize;
            let hits = before.hits as usize..after.hits as usize;
            let found = &mut self.found;
            gpu.download_part(
                found.lengths.part_mut(tracks.clone()),
                &self.tracks.lengths,
                tracks.start,
            )?;
            gpu.download_part(found.ids.part_mut(hits.clone()), &self.tracks.ids, hits.start)
        })?;
        Ok(Attempt::Done)
    }

    /// The hits of a stage, copied from the device.
    fn hits(&self, at: &GpuRunner<'a, Self>) -> Result<Hits, CheckError> {
        let GpuRunner { gpu, config, .. } = at;
        let from = if config.stage == Stage::Clusters { &self.unsorted } else { &self.sorted };
        let pairs: Vec<PairHits> = whole(gpu, &self.pairs)?;
        let ids = whole(gpu, &from.ids)?;
        let x = whole(gpu, &from.x)?;
        let y = whole(gpu, &from.y)?;
        let z = whole(gpu, &from.z)?;
        let phi = whole(gpu, &from.phi)?;
        let hit = |slot: usize| Hit {
            id: ids[slot],
            position: [x[slot], y[slot], z[slot]].map(P::to_f32),
            phi: phi[slot],
        };
        let mut hits = Hits::new();
        for of_event in pairs.chunks(MODULE_PAIRS) {
            check_pairs(of_event, ids.len())?;
            let mut slots = Vec::new();
            let mut ranges = [PairRange::default(); MODULE_PAIRS];
            for (range, pair) in ranges.iter_mut().zip(of_event) {
                *range = PairRange { start: pair.start, count: pair.count };
                slots.extend((pair.first..pair.first + pair.count).map(|slot| hit(slot as usize)));
                slots.resize((pair.start + pair.estimate) as usize, Hit::default());
            }
            hits.push_event(&ranges, &slots);
        }
        Ok(hits)
    }

    /// The tracks, of which numbers of hits and identifiers have been copied.
    fn tracks(&self, at: &GpuRunner<'a, Self>) -> Result<Tracks, DeviceError> {
        let gpu = &at.gpu;
        let hits = self.totals.hits as usize;
        let slots = whole(gpu, &self.tracks.slots)?;
        let x = whole(gpu, &self.tracks.x)?;
        let y = whole(gpu, &self.tracks.y)?;
        let z = whole(gpu, &self.tracks.z)?;
        let position = |hit: usize| [x[hit], y[hit], z[hit]].map(P::to_f32);
        let mut end = 0;
        let lengths = &self.found.lengths[..self.totals.tracks as usize];
        let ends = lengths.iter().map(|length| {
            end += u32::from(*length);
            end
        });
        let counts = self
            .found
            .counts
            .iter()
            .map(|counts| model::TrackCounts { long: counts.tracks, three_hit: counts.three_hit });
        Ok(Tracks {
            counts: counts.collect(),
            offsets: std::iter::once(0).chain(ends).collect(),
            slots: slots[..hits].to_vec(),
            ids: self.found.ids[..hits].to_vec(),
            positions: (0..hits).map(position).collect(),
        })
    }
}

impl<'a, P: Precision> GpuTask<'a> for Resident<'a, P> {
    type Task = VeloTask;
    type Config = Config;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, config, .. } = at;
        let Config { layout, stage, .. } = config;
        let events = &input.events;
        let bank = |bank: &generators_lhcb::Bank| Bank {
            first_word: bank.first_word,
            words: bank.words,
            source: bank.source,
        };
        let header = |header: &generators_lhcb::events::EventHeader| EventHeader {
            first_bank: header.first_bank,
            banks: header.banks,
            kind: header.kind,
            version: header.version,
        };
        let geometry = &*input.geometry;
        let (search, tracks, found) = Self::lists(gpu, config, &config.capacity)?;
        let has_raw = matches!(stage, Stage::Clusters | Stage::Decode | Stage::Chain);
        let words = if has_raw { events.words() } else { &[] };
        let banks = if has_raw { events.banks() } else { &[] };
        let slots = layout.slots() + 1;
        let unsorted = if *stage == Stage::Tracks { 0 } else { slots };
        let sorted = if *stage == Stage::Clusters { 0 } else { slots };
        Ok(Resident {
            host: HostInput {
                words: PinnedInput::take(arena, gpu, words, 0..words.len())?,
                banks: PinnedInput::converted(arena, gpu, banks, bank)?,
                headers: PinnedInput::converted(arena, gpu, events.headers(), header)?,
            },
            device: DeviceInput::new(gpu, words.len(), banks.len(), layout)?,
            bases: gpu.table(&layout.bases)?,
            constants: CachedPerInput::get_or_make("geometry", geometry, arena, gpu, |gpu| {
                Constants::new(gpu, geometry)
            })?,
            unsorted: DeviceHits::new(gpu, unsorted)?,
            sorted: DeviceHits::new(gpu, sorted)?,
            pairs: gpu.buffer(MODULE_PAIRS * layout.events())?,
            search,
            tracks,
            found,
            totals: TrackTotals::zeroed(),
            capacity: config.capacity,
            output: VeloOutput::default(),
        })
    }

    fn load(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let (hits, to) = match config.stage {
            Stage::Sort => (input.unsorted(), &self.unsorted),
            Stage::Tracks => (input.sorted(), &self.sorted),
            Stage::Clusters | Stage::Decode | Stage::Chain => return Ok(()),
        };
        let arrays = &hits.arrays;
        let numbers =
            |list: &[f32]| list.iter().map(|number| P::from_f32(*number)).collect::<Vec<_>>();
        gpu.upload(&to.ids, &arrays.ids[..])?;
        gpu.upload(&to.x, &numbers(&arrays.x)[..])?;
        gpu.upload(&to.y, &numbers(&arrays.y)[..])?;
        gpu.upload(&to.z, &numbers(&arrays.z)[..])?;
        gpu.upload(&to.phi, &arrays.phi[..])?;
        gpu.upload(&self.device.headers, &self.host.headers)?;
        gpu.upload(&self.pairs, &pair_hits(hits)[..])
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        while let Attempt::NeedsMore(capacity) = self.attempt(at)? {
            at.gpu.finish()?;
            self.capacity = capacity;
            let (search, tracks, found) = Self::lists(&at.gpu, &at.config, &capacity)?;
            self.search = search;
            self.tracks = tracks;
            self.found = found;
        }
        Ok(())
    }

    fn inspect(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), CheckError> {
        at.gpu.finish()?;
        let stage = at.config.stage;
        let hits = if stage.has_hits() { self.hits(at)? } else { Hits::new() };
        let tracks = if stage.has_tracks() { self.tracks(at)? } else { Tracks::new() };
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

/// Checks that the pairs of modules of an event follow each other, and are within the arrays of hits.
fn check_pairs(pairs: &[PairHits], slots: usize) -> Result<(), CheckError> {
    let mut start = 0;
    for (index, pair) in pairs.iter().enumerate() {
        let end = u64::from(pair.first) + u64::from(pair.estimate);
        if pair.start != start || pair.count > pair.estimate || end > slots as u64 {
            return Err(format!("pair of modules {index} of an event is {pair:?}").into());
        }
        start += pair.estimate;
    }
    Ok(())
}

/// All elements of a buffer.
fn whole<T: Pod + Default + Send + Sync>(
    gpu: &Gpu,
    buffer: &DeviceBuffer<T>,
) -> Result<Vec<T>, DeviceError> {
    gpu.read_back(buffer, 0..buffer.len())
}

/// Pairs of modules of hits on the host.
fn pair_hits(hits: &Hits) -> Vec<PairHits> {
    let mut all = Vec::with_capacity(hits.pairs.len());
    for (event, pairs) in hits.pairs.chunks(MODULE_PAIRS).enumerate() {
        let base = hits.offsets[event];
        let end = hits.offsets[event + 1] - base;
        let ends = pairs.iter().skip(1).map(|pair| pair.start).chain([end]);
        all.extend(pairs.iter().zip(ends).map(|(pair, end)| PairHits {
            first: base + pair.start,
            count: pair.count,
            estimate: end - pair.start,
            start: pair.start,
        }));
    }
    all
}
