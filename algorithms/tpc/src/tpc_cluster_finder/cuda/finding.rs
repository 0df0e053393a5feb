//! Thresholds and bits of noisy pads in the format of all kernels.

use generators_tpc::charges::ChargeCase;
use generators_tpc::geometry::{ROWS, pads_in_row};

use crate::kernels::tpc_cluster_finder_cuda_finding_h as kernels;
use crate::tpc_cluster_finder::{Settings, sixteenths};

/// Words with a bit for each pad of a row.
pub(crate) const WORDS_OF_ROW: usize = kernels::NOISY_WORDS as usize;
/// Words of bits for all rows of a sector.
pub(crate) const WORDS_OF_SECTOR: usize = ROWS * WORDS_OF_ROW;

const _: () = assert!(kernels::ROWS as usize == ROWS);
const _: () = assert!(pads_in_row(ROWS - 1) <= 32 * WORDS_OF_ROW);

/// Sets the bits of the noisy pads of a sector in words that are 0.
pub(super) fn mark_noisy(case: &ChargeCase, words: &mut [u32]) {
    for pad in &case.noisy {
        let row = usize::from(pad.row());
        let pad = usize::from(pad.pad());
        words[row * WORDS_OF_ROW + pad / 32] |= 1 << (pad % 32);
    }
}

pub(super) fn on_device(settings: &Settings) -> kernels::Settings {
    kernels::Settings {
        qmax_cutoff: sixteenths(settings.qmax_cutoff),
        inner_threshold: sixteenths(settings.inner_threshold),
        noise_eps: sixteenths(settings.noise_eps),
        noise_eps_rel: settings.noise_eps_rel.into(),
        qtot_cutoff: settings.qtot_cutoff.into(),
        qmax_single_time: sixteenths(settings.qmax_single_time),
        qmax_single_pad: sixteenths(settings.qmax_single_pad),
        min_split: settings.min_split.into(),
        time_shift: settings.time_shift,
    }
}
