//! Samples of all sectors on the device, and their settings.

use std::sync::Arc;

use generators_tpc::charges::{Charge, ChargeCase, ClusterSettings};
use generators_tpc::geometry::{ROWS, pads_in_row};
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, same_as};

use super::finding::{WORDS_OF_SECTOR, mark_noisy, on_device};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::Sample;
use crate::kernels::tpc_cluster_finder_cuda_finding_h::Settings;
use crate::tpc_cluster_finder::input::Charges;
use tasks::device::{Arena, CachedPerInput, buffers};

same_as!(Charge { time, pad as u16, charge } => Sample);

/// Input buffers of a run.
pub(super) struct Input<'a> {
    host: CachedPerInput<'a, PinnedBuffer<Charge>>,
    /// Samples, sector after sector.
    pub(super) samples: DeviceBuffer<Charge>,
    pub(super) tables: CachedPerInput<'a, Tables>,
}

buffers!(Input<'_>: host, samples, tables);

/// Inputs that are on the device before the samples arrive: in an experiment thresholds are
/// configured, and an earlier stage has found noisy pads on the device.
pub(crate) struct Tables {
    /// Settings of each sector.
    pub(super) settings: DeviceBuffer<Settings>,
    /// A bit for each pad of each row of each sector.
    pub(crate) noisy: DeviceBuffer<u32>,
    pub(super) pads_in_rows: DeviceBuffer<u32>,
}

buffers!(Tables: noisy; kept: settings, pads_in_rows);

impl<'a> Input<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        charges: &Charges,
        arena: &'a Arena,
    ) -> Result<Self, DeviceError> {
        Ok(Input {
            host: CachedPerInput::get_or_make("samples", charges, arena, gpu, |gpu| {
                page_locked(gpu, charges)
            })?,
            samples: gpu.buffer(charges.samples())?,
            tables: CachedPerInput::get_or_make("tables", charges, arena, gpu, |gpu| {
                Tables::new(gpu, charges.cases())
            })?,
        })
    }

    /// Starts to copy the samples to the device.
    pub(super) fn upload(&self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.samples, &*self.host)
    }
}

impl Tables {
    fn new(gpu: &Gpu, cases: &[ChargeCase]) -> Result<Self, DeviceError> {
        let settings = cases.iter().map(|case| &case.settings);
        let mut noisy = vec![0; cases.len() * WORDS_OF_SECTOR];
        for (case, words) in cases.iter().zip(noisy.chunks_exact_mut(WORDS_OF_SECTOR)) {
            mark_noisy(case, words);
        }
        Tables::from_settings(gpu, settings, gpu.table(&noisy)?)
    }

    /// Tables of sectors whose noisy pads are not known yet.
    pub(crate) fn for_sectors(
        gpu: &Gpu,
        settings: &ClusterSettings,
        sectors: usize,
    ) -> Result<Self, DeviceError> {
        let noisy = gpu.buffer(sectors * WORDS_OF_SECTOR)?;
        Tables::from_settings(gpu, std::iter::repeat_n(settings, sectors), noisy)
    }

    fn from_settings<'s>(
        gpu: &Gpu,
        settings: impl Iterator<Item = &'s ClusterSettings>,
        noisy: DeviceBuffer<u32>,
    ) -> Result<Self, DeviceError> {
        let of_sectors: Vec<_> = settings.map(on_device).collect();
        let pads: Vec<_> = (0..ROWS).map(|row| pads_in_row(row) as u32).collect();
        Ok(Tables { settings: gpu.table(&of_sectors)?, noisy, pads_in_rows: gpu.table(&pads)? })
    }
}

fn page_locked(gpu: &Gpu, charges: &Charges) -> Result<PinnedBuffer<Charge>, DeviceError> {
    let mut all = gpu.pinned(charges.samples())?;
    let mut left = &mut all[..];
    for case in charges.cases() {
        let (own, others) = left.split_at_mut(case.charges.len());
        own.copy_from_slice(&case.charges);
        left = others;
    }
    Ok(all)
}
