//! Noisy pads, found on the device.

use generators_tpc::PadId;
use generators_tpc::geometry::ROWS;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, LaunchConfig, Ptr};

use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h::FusedFinding;
use crate::kernels::tpc_cuda_noisy_h as kernels;
use crate::kernels::tpc_noisy_in_bins::{FIND_NOISY_IN_BINS, FindNoisyInBins};
use crate::kernels::tpc_noisy_in_maps::{FIND_NOISY_IN_MAPS, FindNoisyInMaps};
use crate::tpc::finding::{Limits, NoisyRule, groups, looked_at};
use crate::tpc_cluster_finder::cuda::WORDS_OF_ROW;
use crate::tpc_decode::charge_map::{TILE, TILE_TIMES, TILES_IN_ROW, TIME_MARGIN, column};
use tasks::device::buffers;

const STAGE: &str = "noisy-pads";

/// The maps of a fragment of some sectors.
#[derive(Clone, Copy)]
pub(super) struct SectorMaps {
    pub(super) maps: Ptr<u16>,
    /// Entries of each.
    pub(super) entries: usize,
    pub(super) sectors: usize,
    pub(super) first_sector: u32,
}

/// Buffers of the search in maps, as published.
pub(super) struct InMaps {
    limits: Limits,
    /// The first column of each group of pads.
    columns: DeviceBuffer<u32>,
}

buffers!(InMaps: ; kept: columns);

impl InMaps {
    pub(super) fn new(gpu: &Gpu, limits: Limits) -> Result<Self, DeviceError> {
        let columns = groups().map(|(row, pad)| column(PadId::new(row as u8, pad as u8)) as u32);
        Ok(InMaps { limits, columns: gpu.table(&columns.collect::<Vec<_>>())? })
    }

    /// Finds the noisy pads in maps of the first fragment.
    pub(super) fn find(
        &self,
        gpu: &Gpu,
        of: SectorMaps,
        noisy: Ptr<u32>,
    ) -> Result<(), DeviceError> {
        let groups = self.columns.len();
        let lines = of.entries / (TILES_IN_ROW * TILE);
        let arguments = FindNoisyInMaps {
            maps: of.maps,
            entries: of.entries as u32,
            lines: lines as u32,
            columns: self.columns.ptr(),
            groups: groups as u32,
            limits: self.limits.into(),
            first_sector: of.first_sector,
            noisy: noisy.cast(),
        };
        let margin = TIME_MARGIN as usize / TILE_TIMES;
        let looked_at = self.limits.time_bins as usize / TILE_TIMES;
        let read = groups * of.sectors * looked_at.min(lines - margin) * TILE * size_of::<u16>();
        let grid = LaunchConfig::blocks((groups * of.sectors) as u32).with_traffic(read as u64);
        // SAFETY: groups are columns of the maps, and there are bits for all pads.
        gpu.scope(STAGE, || unsafe { gpu.launch(&FIND_NOISY_IN_MAPS, grid, arguments) })
    }
}

/// Buffers of the search in bins, by either rule.
pub(super) struct InBins {
    limits: Limits,
    looked_at: DeviceBuffer<u32>,
}

buffers!(InBins: ; kept: looked_at);

impl InBins {
    pub(super) fn new(gpu: &Gpu, rule: NoisyRule, limits: Limits) -> Result<Self, DeviceError> {
        let words: Vec<_> = looked_at(rule).iter().flat_map(|row| words_of_row(row)).collect();
        Ok(InBins { limits, looked_at: gpu.table(&words)? })
    }

    /// Finds the noisy pads of all rows, bits by pad, from samples in bins of up to `bytes` bytes.
    pub(super) fn find(
        &self,
        gpu: &Gpu,
        all: FusedFinding,
        sectors: usize,
        time_bins: u32,
        bytes: u64,
    ) -> Result<(), DeviceError> {
        let arguments = FindNoisyInBins {
            binned: all.binned,
            words: all.words,
            first_words: all.first_words,
            time_bins,
            looked_at: self.looked_at.ptr(),
            limits: self.limits.into(),
            noisy: all.noisy,
        };
        let grid = LaunchConfig::blocks((sectors * ROWS) as u32).with_traffic(bytes);
        // SAFETY: samples are in their bins, and there is a word for each 32 pads of each row.
        gpu.scope(STAGE, || unsafe { gpu.launch(&FIND_NOISY_IN_BINS, grid, arguments) })
    }
}

impl From<Limits> for kernels::Limits {
    fn from(limits: Limits) -> Self {
        kernels::Limits {
            time_bins: limits.time_bins,
            min_charges: limits.min_charges,
            min_run: limits.min_run,
            saturation: limits.saturation,
        }
    }
}

fn words_of_row(pads: &[bool]) -> [u32; WORDS_OF_ROW] {
    let mut words = [0; WORDS_OF_ROW];
    for (pad, _) in pads.iter().enumerate().filter(|(_, is_looked_at)| **is_looked_at) {
        words[pad / 32] |= 1 << (pad % 32);
    }
    words
}
