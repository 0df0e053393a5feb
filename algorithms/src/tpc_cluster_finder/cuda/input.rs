//! Samples of all sectors on the device, and what clusters are found by.

use std::sync::Arc;

use generators::tpc::charges::{Charge, ChargeCase};
use generators::tpc::geometry::{ROWS, pads_in_row};

use crate::device::gpu::{DeviceBuffer, DeviceError, Gpu, Lent, PinnedBuffer, same_as};
use crate::device::{Arena, buffers};
use crate::kernels::tpc_cluster_finder_cuda_finder_job_h::{NOISY_WORDS, Sample, Thresholds};
use crate::tpc_cluster_finder::input::Charges;
use crate::tpc_cluster_finder::settings::{Settings, sixteenths};
use crate::tpc_decode::charge_map::column;

same_as!(Charge { time, pad, charge } => Sample);

/// What is held of the input during a run.
pub(super) struct Input<'a> {
    host: Lent<'a, PinnedBuffer<Charge>>,
    /// One sector behind the other.
    pub(super) samples: DeviceBuffer<Charge>,
    pub(super) tables: Lent<'a, Tables>,
}

buffers!(Input<'_>: host, samples, tables);

/// What is there before the samples come: in an experiment thresholds are set, and pads were found
/// to be noisy by a stage before, on the device.
pub(crate) struct Tables {
    /// Of each sector.
    pub(super) thresholds: DeviceBuffer<Thresholds>,
    /// A bit for each column of each sector: [`noisy_words`].
    pub(crate) noisy: DeviceBuffer<u32>,
    pub(super) pads_in_rows: DeviceBuffer<u32>,
}

buffers!(Tables: noisy; kept: thresholds, pads_in_rows);

impl<'a> Input<'a> {
    pub(super) fn new(
        gpu: &Arc<Gpu>,
        (charges, arena): (&Charges, &'a Arena),
    ) -> Result<Self, DeviceError> {
        Ok(Input {
            host: Lent::of(charges, arena, gpu, |gpu| page_locked(gpu, charges))?,
            samples: gpu.buffer(charges.samples())?,
            tables: Lent::of(charges, arena, gpu, |gpu| Tables::new(gpu, charges.cases()))?,
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
        let noisy: Vec<u32> = cases.iter().flat_map(noisy_words).collect();
        Tables::of_settings(gpu, settings, gpu.table(&noisy)?)
    }

    /// For so many sectors whose noisy pads are not known yet.
    pub(crate) fn of_sectors(
        gpu: &Gpu,
        settings: &Settings,
        sectors: usize,
    ) -> Result<Self, DeviceError> {
        let noisy = gpu.buffer(sectors * NOISY_WORDS as usize)?;
        Tables::of_settings(gpu, std::iter::repeat_n(settings, sectors), noisy)
    }

    fn of_settings<'s>(
        gpu: &Gpu,
        settings: impl Iterator<Item = &'s Settings>,
        noisy: DeviceBuffer<u32>,
    ) -> Result<Self, DeviceError> {
        let of_sectors: Vec<_> = settings.map(thresholds).collect();
        let pads: Vec<_> = (0..ROWS).map(|row| pads_in_row(row) as u32).collect();
        Ok(Tables { thresholds: gpu.table(&of_sectors)?, noisy, pads_in_rows: gpu.table(&pads)? })
    }
}

fn page_locked(gpu: &Gpu, charges: &Charges) -> Result<PinnedBuffer<Charge>, DeviceError> {
    let mut all = gpu.pinned(charges.samples())?;
    let mut places = &mut all[..];
    for case in charges.cases() {
        let (own, others) = places.split_at_mut(case.charges.len());
        own.copy_from_slice(&case.charges);
        places = others;
    }
    Ok(all)
}

fn thresholds(settings: &Settings) -> Thresholds {
    let in_sixteenths = |threshold| sixteenths(threshold) as u32;
    Thresholds {
        peak: in_sixteenths(settings.qmax_cutoff),
        inner: in_sixteenths(settings.inner_threshold),
        valley: in_sixteenths(settings.noise_eps),
        relative_valley: settings.noise_eps_rel.into(),
        whole_charge: settings.qtot_cutoff.into(),
        single_time: in_sixteenths(settings.qmax_single_time),
        single_pad: in_sixteenths(settings.qmax_single_pad),
        min_split: settings.min_split.into(),
        time_shift: settings.time_shift,
    }
}

fn noisy_words(case: &ChargeCase) -> Vec<u32> {
    let mut words = vec![0; NOISY_WORDS as usize];
    for &pad in &case.noisy {
        let column = column(pad);
        words[column / 32] |= 1 << (column % 32);
    }
    words
}
