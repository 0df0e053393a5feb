//! Chain with maps of charges, as published: fragment by fragment, for some sectors at a time or
//! for all, pages are decoded to maps and positions, and the stages of the cluster finder follow.

use std::borrow::Cow;

use generators_tpc::geometry::{PADS_IN_SECTOR, ROWS, pads_in_row};
use portable_gpu::{DeviceError, Gpu, Ptr};

use super::jobs::{Jobs, batches};
use super::noisy::{InMaps, SectorMaps};
use crate::tpc::Tpc;
use crate::tpc::finding::NoisyRule;
use crate::tpc::input::RawFrame;
use crate::tpc_cluster_finder::RowCluster;
use crate::tpc_cluster_finder::cuda::{
    Batch, BatchContext, Buckets, Compaction, Lists, PUBLISHED_STAGES, SECTORS_AT_ONCE, Samples,
    Stages, Tables,
};
use crate::tpc_decode::Output;
use crate::tpc_decode::cuda::{
    BALLOT_CONFIG, DecoderConfig, DeviceTables, Division, FragmentContext, PageBuffers, Part,
    Resident, Target, fit, parts_of,
};
use tasks::algorithm::{GpuRunner, GpuTask, PrepareResult, Variant, VariantContext};
use tasks::device::{CachedPerInput, PinnedInput, Unavailable, buffers};

pub(super) const PUBLISHED: Variant<Tpc> = Variant::<Tpc>::cuda(
    "published",
    "published: three sectors at a time, fragment by fragment: maps of charges, and a kernel for \
     each stage",
    |at| prepare(at, Division::Sectors(SECTORS_AT_ONCE)),
)
.by_published_rules();

pub(super) const AT_ONCE: Variant<Tpc> =
    Variant::<Tpc>::cuda("at-once", "published, but all sectors at once", |at| {
        prepare(at, Division::Whole)
    })
    .by_published_rules();

const CONFIG: DecoderConfig = BALLOT_CONFIG;
const STAGES: &Stages = &PUBLISHED_STAGES;
const HEADERS: &str = "headers";
const DECODE: &str = "decode";
/// Initial capacity of buckets: one cluster for this number of samples. Buckets that overflow are
/// enlarged.
const SAMPLES_OF_CLUSTER: usize = 8;
/// Minimum capacity of a bucket.
const MIN_CAPACITY: usize = 16;

struct OnMaps {
    division: Division,
    /// Parts, as each run determines them; buffers are allocated for these.
    parts: Vec<Part>,
    /// Capacity of the bucket of each row of each sector, in clusters.
    capacity: Vec<u32>,
}

struct MapsBuffers<'a> {
    geometry: CachedPerInput<'a, DeviceTables>,
    /// All pages, page-locked. A run does not change them.
    pages: PinnedInput<'a, u8>,
    finding: Tables,
    in_maps: InMaps,
    parts: Vec<PartBuffers>,
    /// Target of the current part: parts are processed one after the other.
    target: Target,
    lists: Lists,
    compaction: Compaction,
    buckets: Buckets,
}

buffers!(
    MapsBuffers<'_>: geometry, pages, finding, in_maps, parts, target, lists, compaction, buckets
);

buffers! {
    /// Buffers of a part, in use while other parts are processed.
    struct PartBuffers(gpu, input: &RawFrame, part: &Part) {
        pages: PageBuffers = PageBuffers::new(gpu, &input.frame, part, CONFIG.index)?,
        jobs: Jobs = Jobs::new(gpu, input, part)?,
    }
}

fn prepare<'a>(at: &VariantContext<'a, '_, Tpc>, division: Division) -> PrepareResult<'a, Tpc> {
    if at.input.finding.rule == NoisyRule::Lab {
        return Err(Unavailable(
            "it searches noisy pads in the first fragment only: use --noisy published".into(),
        ));
    }
    let parts = parts_of(&at.input.frame, Output::ChargeMap, division);
    fit(&parts)?;
    let capacity = parts.iter().flat_map(initial_capacities).collect();
    at.on_gpu::<MapsBuffers<'a>>(OnMaps { division, parts, capacity })
}

/// Initial capacity of each row of each sector of a part.
fn initial_capacities(part: &Part) -> Vec<u32> {
    let samples = part.samples() as usize / part.sectors.len().max(1);
    let of_row = |row| {
        let own = samples * pads_in_row(row) / PADS_IN_SECTOR;
        (own / SAMPLES_OF_CLUSTER).max(MIN_CAPACITY) as u32
    };
    let of_sector = (0..ROWS).map(of_row).collect::<Vec<_>>();
    of_sector.repeat(part.sectors.len())
}

impl MapsBuffers<'_> {
    /// Starts all kernels of a part, from its pages to clusters in buckets.
    fn start(
        &self,
        gpu: &Gpu,
        input: &RawFrame,
        part: &Part,
        own: &PartBuffers,
    ) -> Result<(), DeviceError> {
        let frame = &input.frame;
        let tables = &*self.geometry;
        let resident = Resident { frame, part, tables, buffers: &own.pages };
        own.pages.upload(gpu, self.pages.part(part.bytes()))?;
        resident.prepare(gpu)?;
        own.jobs.list(gpu, part, &own.pages)?;
        for (fragment, batch) in batches(input, part).iter().enumerate() {
            self.target.clear(gpu)?;
            let work = FragmentContext { gpu, resident: &resident, target: &self.target, fragment };
            gpu.scope(DECODE, || (CONFIG.decode)(&work))?;
            self.find(gpu, part, own, batch)?;
        }
        Ok(())
    }

    /// Finds clusters in the maps of a fragment.
    fn find(
        &self,
        gpu: &Gpu,
        part: &Part,
        own: &PartBuffers,
        batch: &Batch,
    ) -> Result<(), DeviceError> {
        let Target::Charges(charges) = &self.target else { unreachable!("maps are asked for") };
        let maps = charges.maps.ptr();
        let entries = part.entries();
        let is_first = batch.jobs.start == 0 && part.has_first_fragment();
        if is_first {
            let sectors = part.sectors.len();
            let first_sector = part.sectors.start as u32;
            let of = SectorMaps { maps, entries, sectors, first_sector };
            self.in_maps.find(gpu, of, self.finding.noisy.ptr())?;
        }
        let context = BatchContext {
            gpu,
            tables: &self.finding,
            samples: Samples { charges: maps, entries, positions: charges.positions.ptr() },
            jobs: own.jobs.ptr(),
            lists: &self.lists,
            buckets: &self.buckets,
            cluster_indices: Ptr::NONE,
            batch,
        };
        STAGES.find(&context, &self.compaction)
    }

    /// Reads the headers, and starts all parts.
    fn start_all(
        &self,
        gpu: &Gpu,
        input: &RawFrame,
        division: Division,
    ) -> Result<(), DeviceError> {
        let headers = || Ok(gpu.host_stage(|| parts_of(&input.frame, Output::ChargeMap, division)));
        let parts = gpu.scope(HEADERS, headers)?;
        self.buckets.empty(gpu)?;
        gpu.fill(&self.finding.noisy, 0)?;
        for (part, own) in parts.iter().zip(&self.parts) {
            self.start(gpu, input, part, own)?;
        }
        Ok(())
    }
}

impl OnMaps {
    /// Maximum of a quantity over all parts.
    fn most(&self, of_part: impl Fn(&Part) -> usize) -> usize {
        self.parts.iter().map(of_part).max().unwrap_or(0)
    }
}

impl<'a> GpuTask<'a> for MapsBuffers<'a> {
    type Task = Tpc;
    type Config = OnMaps;

    fn allocate(at: &GpuRunner<'a, Self>) -> Result<Self, DeviceError> {
        let GpuRunner { input, arena, gpu, config, .. } = at;
        let tables = input.frame.tables();
        let pages = input.frame.page_bytes();
        let sectors = config.capacity.len() / ROWS;
        let samples = config.most(|part| part.samples() as usize);
        let entries = config.most(|part| part.entries() * part.sectors.len());
        let batches: Vec<_> = config.parts.iter().flat_map(|part| batches(input, part)).collect();
        let parts = config.parts.iter().map(|part| PartBuffers::new(gpu, input, part));
        Ok(MapsBuffers {
            geometry: CachedPerInput::get_or_make("tables", tables, arena, gpu, |gpu| {
                DeviceTables::new(gpu, tables)
            })?,
            pages: PinnedInput::take(arena, gpu, pages, 0..pages.len())?,
            finding: Tables::for_sectors(gpu, &input.finding.settings, sectors)?,
            in_maps: InMaps::new(gpu, input.finding.limits())?,
            parts: parts.collect::<Result<_, _>>()?,
            target: Target::for_charges(gpu, samples, entries)?,
            lists: Lists::new(gpu, &batches, samples)?,
            compaction: Compaction::new(gpu, STAGES.compaction, &batches)?,
            buckets: Buckets::new(gpu, config.capacity.clone(), samples / SAMPLES_OF_CLUSTER)?,
        })
    }

    fn run(&mut self, at: &GpuRunner<'a, Self>) -> Result<(), DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        self.start_all(gpu, input, config.division)?;
        self.buckets.count(gpu)?;
        if let Some(capacity) = self.buckets.needed_capacities() {
            // The counts include clusters beyond the capacity.
            self.buckets = Buckets::new(gpu, capacity, self.buckets.packed_capacity())?;
            self.start_all(gpu, input, config.division)?;
            self.buckets.count(gpu)?;
        }
        self.buckets.download(gpu)
    }

    fn output(&self, _: &GpuRunner<'a, Self>) -> Cow<'_, Vec<RowCluster>> {
        Cow::Owned(self.buckets.sorted())
    }

    fn release(self, config: &mut OnMaps) {
        config.capacity = self.buckets.capacity().to_vec();
    }
}
