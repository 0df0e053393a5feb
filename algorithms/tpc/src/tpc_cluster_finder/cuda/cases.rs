//! Sectors on the device.

use std::sync::Arc;

use generators_tpc::charges::{Charge, ChargeCase};
use parallel::copy;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu, PinnedBuffer, Ptr};

use super::finding::{WORDS_OF_SECTOR, mark_noisy, on_device};
use crate::kernels::tpc_cluster_finder_cuda_fused_bins_h as kernels;
use crate::tpc_cluster_finder::Settings;
use crate::tpc_cluster_finder::input::Charges;
use tasks::device::{Arena, CachedPerInput, StagedArray, Unavailable, buffers};

/// The sectors of an input, on the host and on the device.
pub(super) struct Cases<'a> {
    charges: &'a Charges,
    /// All samples, page-locked, sector after sector.
    host_samples: CachedPerInput<'a, PinnedBuffer<Charge>>,
    host_noisy: CachedPerInput<'a, PinnedBuffer<u32>>,
    samples: DeviceBuffer<Charge>,
    noisy: DeviceBuffer<u32>,
    sectors: StagedArray<kernels::Sector>,
}

buffers!(Cases<'_>: host_samples, host_noisy, samples, noisy, sectors);

/// Checks that samples can be counted with 32 bits.
pub(super) fn fit(charges: &Charges) -> Result<(), Unavailable> {
    let samples = charges.samples();
    let max = u32::MAX as usize / 2;
    if samples <= max {
        return Ok(());
    }
    Err(Unavailable(format!(
        "{samples} samples exceed the limit of {max} on a GPU; use fewer sectors or orbits"
    )))
}

impl<'a> Cases<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        charges: &'a Charges,
        arena: &'a Arena,
    ) -> Result<Self, DeviceError> {
        let cases = charges.cases();
        Ok(Cases {
            charges,
            host_samples: CachedPerInput::get_or_make("samples", cases, arena, gpu, |gpu| {
                page_locked_samples(gpu, charges)
            })?,
            host_noisy: CachedPerInput::get_or_make("noisy pads", cases, arena, gpu, |gpu| {
                page_locked_noisy(gpu, cases)
            })?,
            samples: gpu.buffer(charges.samples())?,
            noisy: gpu.buffer(cases.len() * WORDS_OF_SECTOR)?,
            sectors: StagedArray::new(gpu, cases.len())?,
        })
    }

    /// Starts to copy them to the device.
    pub(super) fn upload(&mut self, gpu: &Gpu) -> Result<(), DeviceError> {
        gpu.upload(&self.samples, &*self.host_samples)?;
        gpu.upload(&self.noisy, &*self.host_noisy)?;
        self.sectors.fill(gpu, sectors(self.charges.cases()))
    }

    pub(super) fn samples(&self) -> Ptr<u64> {
        self.samples.ptr::<Charge>().cast()
    }

    /// A bit for each pad of each row of each sector.
    pub(super) fn noisy(&self) -> Ptr<u32> {
        self.noisy.ptr()
    }

    pub(super) fn sectors(&self) -> Ptr<kernels::Sector> {
        self.sectors.ptr()
    }
}

fn page_locked_samples(gpu: &Gpu, charges: &Charges) -> Result<PinnedBuffer<Charge>, DeviceError> {
    let mut pinned = gpu.pinned(charges.samples())?;
    let mut left = &mut pinned[..];
    for case in charges.cases() {
        let (own, others) = left.split_at_mut(case.charges.len());
        copy(own, &case.charges);
        left = others;
    }
    Ok(pinned)
}

fn page_locked_noisy(gpu: &Gpu, cases: &[ChargeCase]) -> Result<PinnedBuffer<u32>, DeviceError> {
    let mut pinned = gpu.pinned::<u32>(cases.len() * WORDS_OF_SECTOR)?;
    pinned.fill(0);
    for (case, words) in cases.iter().zip(pinned.chunks_exact_mut(WORDS_OF_SECTOR)) {
        mark_noisy(case, words);
    }
    Ok(pinned)
}

fn sectors(cases: &[ChargeCase]) -> impl Iterator<Item = kernels::Sector> {
    cases.iter().scan(0, |next, case| {
        let first_sample = *next;
        *next += case.charges.len() as u32;
        Some(kernels::Sector { first_sample, ..sector(case.time_bins, &case.settings) })
    })
}

/// A sector whose samples are in bins.
pub(crate) fn sector(time_bins: u32, settings: &Settings) -> kernels::Sector {
    kernels::Sector { first_sample: 0, time_bins, settings: on_device(settings) }
}
