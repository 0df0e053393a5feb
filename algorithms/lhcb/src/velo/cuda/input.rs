//! Raw banks of events, and constants of kernels, in device memory.

use std::ops::Range;

use generators_lhcb::geometry::Geometry;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, Ptr};
use tasks::device::{CachedPerInput, Execution, PinnedInput, buffers};

use super::layout::Layout;
use crate::kernels::velo_cuda_event_h::{Bank, EventHeader, Events};
use crate::kernels::velo_cuda_tracks_h;
use crate::kernels::velo_cuda_window_h::Pattern;
use crate::velo::cpu::patterns::{PATTERNS, PatternClusters};
use crate::velo::model::search::SearchCuts;
use crate::velo::{Stage, VeloInput};

impl From<SearchCuts> for velo_cuda_tracks_h::SearchCuts {
    fn from(cuts: SearchCuts) -> Self {
        let SearchCuts { phi_tolerance, max_scatter } = cuts;
        Self { phi_tolerance: phi_tolerance.into(), max_scatter }
    }
}

/// Constants that kernels read.
struct Constants {
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
        let pattern = |of: &PatternClusters| Pattern {
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
struct HostBanks<'a> {
    words: PinnedInput<'a, u32>,
    banks: PinnedInput<'a, Bank>,
    headers: PinnedInput<'a, EventHeader>,
}

buffers!(HostBanks<'_>: words, banks, headers);

buffers! {
    /// Raw banks on the device.
    struct DeviceBanks(gpu, words: usize, banks: usize, events: usize) {
        words: DeviceBuffer<u32> = gpu.buffer(words)?,
        banks: DeviceBuffer<Bank> = gpu.buffer(banks)?,
        headers: DeviceBuffer<EventHeader> = gpu.buffer(events)?,
    }
}

/// Raw banks of all events on both sides, and constants.
pub(super) struct InputBuffers<'a> {
    host: HostBanks<'a>,
    device: DeviceBanks,
    bases: DeviceBuffer<u32>,
    large_pairs: Vec<DeviceBuffer<u32>>,
    constants: CachedPerInput<'a, Constants>,
}

buffers!(InputBuffers<'_>: host, device; kept: bases, large_pairs, constants);

impl<'a> InputBuffers<'a> {
    /// Buffers of a stage, with banks if it starts from them.
    pub(super) fn new(
        at: Execution<'_, 'a>,
        input: &'a VeloInput,
        stage: Stage,
        layout: &Layout,
    ) -> Result<Self, DeviceError> {
        let Execution { gpu, arena, .. } = at;
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
        let words = if stage.starts_from_banks() { events.words() } else { &[] };
        let banks = if stage.starts_from_banks() { events.banks() } else { &[] };
        Ok(InputBuffers {
            host: HostBanks {
                words: PinnedInput::take(arena, gpu, words, 0..words.len())?,
                banks: PinnedInput::converted(arena, gpu, banks, bank)?,
                headers: PinnedInput::converted(arena, gpu, events.headers(), header)?,
            },
            device: DeviceBanks::new(gpu, words.len(), banks.len(), layout.events())?,
            bases: gpu.table(&layout.bases)?,
            large_pairs: { layout.large_pairs.iter() }
                .map(|large| gpu.table(&large.pairs))
                .collect::<Result<_, _>>()?,
            constants: CachedPerInput::get_or_make("geometry", geometry, arena, gpu, |gpu| {
                Constants::new(gpu, geometry)
            })?,
        })
    }

    /// A batch of events, as kernels take it.
    pub(super) fn events(&self, batch: &Range<usize>) -> Events {
        Events {
            words: self.device.words.ptr(),
            banks: self.device.banks.ptr(),
            headers: self.device.headers.ptr(),
            bases: self.bases.ptr(),
            geometry: self.constants.geometry.ptr(),
            first: batch.start as u32,
            count: batch.len() as u32,
        }
    }

    /// Clusters of flagged super-pixels by pattern.
    pub(super) fn patterns(&self) -> Ptr<Pattern> {
        self.constants.patterns.ptr()
    }

    /// Large pairs of modules of a similar size, from one of their list on.
    pub(super) fn large_pairs(&self, of_size: usize, first: usize) -> Ptr<u32> {
        self.large_pairs[of_size].ptr().skipping(first)
    }

    /// Starts the copies of the raw banks of a batch.
    pub(super) fn upload(
        &self,
        gpu: &Gpu,
        input: &VeloInput,
        batch: &Range<usize>,
    ) -> Result<(), DeviceError> {
        let HostBanks { words, banks, headers } = &self.host;
        let word_range = input.events.words_of(batch.clone());
        let bank_range = input.events.banks_of(batch.clone());
        let device = &self.device;
        gpu.upload_part(&device.headers, batch.start, headers.part(batch.clone()))?;
        gpu.upload_part(&device.banks, bank_range.start, banks.part(bank_range.clone()))?;
        gpu.upload_part(&device.words, word_range.start, words.part(word_range.clone()))
    }

    /// Starts the copy of what is known of all events besides their banks.
    pub(super) fn upload_headers(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.device.headers, &self.host.headers)
    }
}
