//! recobench's chain: pages to digits, digits to bins by row and time, and from these clusters,
//! some sectors at a time, in three slots: copies for some sectors overlap with the work on others.

use std::borrow::Cow;

use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, QUEUES};

use super::noisy::InBins;
use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::{FusedFinding, Sector};
use crate::kernels::tpc_digits::{BIN_DIGITS, COUNT_DIGITS, DigitBinning};
use crate::tpc::Tpc;
use crate::tpc::input::RawFrame;
use crate::tpc_cluster_finder::RowCluster;
use crate::tpc_cluster_finder::cuda::{
    BINNED, Bins, HostCapacity, HostClusters, Sizes, WORDS_OF_SECTOR, sector, words_of,
};
use crate::tpc_decode::Output;
use crate::tpc_decode::cuda::{
    DecoderConfig, DeviceTables, Division, FUSED_CONFIG, FragmentContext, PageBuffers, Part,
    Resident, Target, fit, parts_of,
};
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{CachedPerInput, PinnedInput, buffers};

pub(super) const FUSED: Variant<Tpc> = Variant::<Tpc>::cuda(
    "fused",
    "ours: digits in bins by row and time, tiles of rows in shared memory; six sectors at a \
     time, their copies concurrent with the work on others",
    |at| prepare(at),
)
.by_published_rules();

const CONFIG: DecoderConfig = FUSED_CONFIG;
/// Sectors that are processed together: enough for all multiprocessors, and few enough that the
/// copies before the first and after the last ones are short.
const SECTORS: usize = 6;
const HEADERS: &str = "headers";
const DECODE: &str = "decode";
const BINS: &str = "bins";
const CLUSTERS: &str = "clusters";
/// Bytes of a digit.
const DIGIT: u64 = size_of::<u64>() as u64;

struct Fused {
    /// Parts, as each run determines them; buffers are allocated for these.
    parts: Vec<Part>,
    /// Capacity for clusters of each part on the host.
    host_capacity: Vec<HostCapacity>,
}

struct FusedBuffers<'a> {
    shared: SharedBuffers<'a>,
    /// Device buffers for each queue.
    slots: Vec<PipelineSlot>,
    parts: Vec<PartBuffers>,
}

buffers!(FusedBuffers<'_>: shared, slots, parts);

/// Buffers that all parts read.
struct SharedBuffers<'a> {
    geometry: CachedPerInput<'a, DeviceTables>,
    /// All pages, page-locked. A run does not change them.
    pages: PinnedInput<'a, u8>,
    sectors: DeviceBuffer<Sector>,
    in_bins: InBins,
}

buffers!(SharedBuffers<'_>: geometry, pages, in_bins; kept: sectors);

buffers! {
    /// Device buffers in which one part at a time is processed.
    struct PipelineSlot(gpu, sizes: Sizes) {
        digits: Target = Target::for_digits(gpu, sizes.samples)?,
        bins: Bins = Bins::new(gpu, sizes)?,
        noisy: DeviceBuffer<u32> = gpu.buffer(sizes.sectors * WORDS_OF_SECTOR)?,
    }
}

/// Buffers of a part.
struct PartBuffers {
    pages: PageBuffers,
    /// The first word of each sector among those of the bins, by its id in the detector.
    first_words: DeviceBuffer<u32>,
    found: HostClusters,
}

buffers!(PartBuffers: pages, found; kept: first_words);

fn prepare<'a>(at: &VariantContext<'a, '_, Tpc>) -> PrepareResult<'a, Tpc> {
    let parts = parts_of(&at.input.frame, Output::Digits, Division::Sectors(SECTORS));
    fit(&parts)?;
    parts.iter().try_for_each(|part| sizes(at.input, part).fit())?;
    let capacity = |part: &Part| HostCapacity::for_samples(part.samples() as usize);
    let host_capacity = parts.iter().map(capacity).collect();
    at.on_gpu::<FusedBuffers<'a>>(Fused { parts, host_capacity })
}

/// Time bins of each sector of a part.
fn time_bins(input: &RawFrame, part: &Part) -> impl Iterator<Item = u32> + Clone {
    std::iter::repeat_n(input.finding.time_bins, part.sectors.len())
}

fn sizes(input: &RawFrame, part: &Part) -> Sizes {
    Sizes::for_samples(part.samples() as usize, time_bins(input, part))
}

impl PartBuffers {
    fn new(
        gpu: &Gpu,
        input: &RawFrame,
        part: &Part,
        capacity: HostCapacity,
    ) -> Result<Self, DeviceError> {
        let numbers = input.frame.sector_numbers();
        let own = &numbers[part.sectors.clone()];
        let mut first_words = vec![0; 1 + own.iter().copied().max().map_or(0, usize::from)];
        for (index, sector) in own.iter().enumerate() {
            let before = index * words_of(input.finding.time_bins);
            first_words[usize::from(*sector)] = before as u32;
        }
        Ok(PartBuffers {
            pages: PageBuffers::new(gpu, &input.frame, part, CONFIG.index)?,
            first_words: gpu.table(&first_words)?,
            found: HostClusters::new(gpu, capacity)?,
        })
    }
}

/// A part with the slot in which it is processed.
struct InFlightPart<'w> {
    gpu: &'w Gpu,
    input: &'w RawFrame,
    shared: &'w SharedBuffers<'w>,
    part: &'w Part,
    own: &'w PartBuffers,
}

impl InFlightPart<'_> {
    /// Starts all its kernels, from its pages to clusters on the device.
    fn start(&self, slot: &mut PipelineSlot) -> Result<(), DeviceError> {
        let gpu = self.gpu;
        self.decode(slot)?;
        slot.bins.empty(gpu, time_bins(self.input, self.part))?;
        let arguments = slot.bins.arguments(self.shared.sectors.ptr(), slot.noisy.ptr());
        gpu.scope(BINS, || self.bin(slot, arguments))?;
        let sectors = self.part.sectors.len();
        let time_bins = self.input.finding.time_bins;
        let bytes = slot.bins.binned_bytes();
        self.shared.in_bins.find(gpu, arguments, sectors, time_bins, bytes)?;
        gpu.scope(CLUSTERS, || slot.bins.find(gpu, arguments))
    }

    fn decode(&self, slot: &PipelineSlot) -> Result<(), DeviceError> {
        let gpu = self.gpu;
        let shared = self.shared;
        let part = self.part;
        let frame = &self.input.frame;
        let tables = &*shared.geometry;
        let buffers = &self.own.pages;
        let resident = Resident { frame, part, tables, buffers };
        resident.prepare(gpu)?;
        let work = FragmentContext { gpu, resident: &resident, target: &slot.digits, fragment: 0 };
        gpu.scope(DECODE, || (CONFIG.decode)(&work))
    }

    /// A grid with a block for each page that headers announce.
    fn by_pages(&self, bytes_of_digit: u64) -> LaunchConfig {
        let load = self.part.load;
        LaunchConfig::blocks(load.pages as u32).with_traffic(load.samples * bytes_of_digit)
    }

    /// Brings digits into bins, whose sizes are not known beforehand.
    fn bin(&self, slot: &PipelineSlot, all: FusedFinding) -> Result<(), DeviceError> {
        let gpu = self.gpu;
        let pages = &self.own.pages;
        let tables = &self.shared.geometry;
        let arguments = DigitBinning {
            jobs: pages.jobs.ptr(),
            job_offsets: pages.job_offsets.ptr(),
            extents: pages.extents.ptr(),
            records: pages.records.ptr(),
            geometry: tables.geometry.ptr(),
            digits: slot.digits.digits_ptr(),
            first_words: self.own.first_words.ptr(),
            gains: tables.gains.ptr(),
            words: all.words,
            binned: all.binned,
            time_bins: self.input.finding.time_bins,
            scale: self.input.frame.charge_of_adc(),
        };
        // SAFETY: each digit has a word for its bin.
        unsafe { gpu.launch(&COUNT_DIGITS, self.by_pages(DIGIT), arguments) }?;
        slot.bins.compute_offsets(gpu, all)?;
        // SAFETY: each bin has an entry for each of its digits.
        unsafe { gpu.launch(&BIN_DIGITS, self.by_pages(DIGIT + BINNED), arguments) }
    }
}

impl FusedBuffers<'_> {
    /// Starts a part, once the previous part in its slot is being copied to the host.
    fn start(
        &mut self,
        gpu: &Gpu,
        input: &RawFrame,
        part: &Part,
        index: usize,
    ) -> Result<(), DeviceError> {
        let queue = index % QUEUES as usize;
        gpu.with_queue(queue as u32, |gpu| {
            if let Some(before) = index.checked_sub(QUEUES as usize) {
                self.fetch(gpu, before)?;
                self.upload(gpu, part, index)?;
            }
            let shared = &self.shared;
            let own = &self.parts[index];
            let in_flight = InFlightPart { gpu, input, shared, part, own };
            in_flight.start(&mut self.slots[queue])?;
            let found = &self.slots[queue].bins.found;
            found.download_totals(gpu, &mut self.parts[index].found)
        })
    }

    /// Starts to copy the pages of a part.
    fn upload(&self, gpu: &Gpu, part: &Part, index: usize) -> Result<(), DeviceError> {
        self.parts[index].pages.upload(gpu, self.shared.pages.part(part.bytes()))
    }

    /// Starts to copy the pages of the first parts, which depend on no earlier work.
    fn upload_first(&self, gpu: &Gpu, parts: &[Part]) -> Result<(), DeviceError> {
        parts.iter().zip(0..QUEUES).try_for_each(|(part, queue)| {
            gpu.with_queue(queue, |gpu| self.upload(gpu, part, queue as usize))
        })
    }

    /// Waits for the index of clusters of a part, and starts to copy them.
    fn fetch(&mut self, gpu: &Gpu, index: usize) -> Result<(), DeviceError> {
        let slot = &self.slots[index % QUEUES as usize];
        slot.bins.found.download_found(gpu, &mut self.parts[index].found)
    }
}

impl<'a> GpuTask<'a> for FusedBuffers<'a> {
    type Task = Tpc;
    type Config = Fused;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, config, .. } = at;
        let tables = input.frame.tables();
        let pages = input.frame.page_bytes();
        let finding = &input.finding;
        let largest = config.parts.iter().map(|part| sizes(input, part));
        let largest = largest.fold(Sizes::default(), Sizes::largest);
        let slots =
            (0..config.parts.len().min(QUEUES as usize)).map(|_| PipelineSlot::new(gpu, largest));
        let parts = config.parts.iter().zip(&config.host_capacity);
        let parts = parts.map(|(part, capacity)| PartBuffers::new(gpu, input, part, *capacity));
        let sectors = vec![sector(finding.time_bins, &finding.settings); largest.sectors];
        Ok(FusedBuffers {
            shared: SharedBuffers {
                geometry: CachedPerInput::get_or_make("tables", tables, arena, gpu, |gpu| {
                    DeviceTables::new(gpu, tables)
                })?,
                pages: PinnedInput::take(arena, gpu, pages, 0..pages.len())?,
                sectors: gpu.table(&sectors)?,
                in_bins: InBins::new(gpu, finding.rule, finding.limits())?,
            },
            slots: slots.collect::<Result<_, _>>()?,
            parts: parts.collect::<Result<_, _>>()?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let division = Division::Sectors(SECTORS);
        self.upload_first(gpu, &config.parts)?;
        let headers = || Ok(gpu.host_stage(|| parts_of(&input.frame, Output::Digits, division)));
        let parts = gpu.scope(HEADERS, headers)?;
        for (part, index) in parts.iter().zip(0..) {
            self.start(gpu, input, part, index)?;
        }
        let last = parts.len().saturating_sub(QUEUES as usize)..parts.len();
        last.into_iter().try_for_each(|number| {
            gpu.with_queue(number as u32 % QUEUES, |gpu| self.fetch(gpu, number))
        })
    }

    fn output(&self, at: &GpuRunner<'a, Self>) -> Cow<'_, Vec<RowCluster>> {
        let config = &at.config;
        let both = config.parts.iter().zip(&self.parts);
        let of_part =
            |(part, own): (&Part, &PartBuffers)| own.found.sorted(part.sectors.start as u32);
        Cow::Owned(both.flat_map(of_part).collect())
    }

    fn release(self, config: &mut Fused) {
        config.host_capacity = self.parts.iter().map(|part| part.found.capacity()).collect();
    }
}
