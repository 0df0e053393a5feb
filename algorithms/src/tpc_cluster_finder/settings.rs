//! Settings of the cluster finder.

use generators::tpc::charges::CHARGE_STEPS;

pub use generators::tpc::charges::ClusterSettings as Settings;

/// A threshold in sixteenths of an ADC unit, like charges.
pub(super) fn sixteenths(threshold: u8) -> i32 {
    i32::from(CHARGE_STEPS) * i32::from(threshold)
}

/// True if a charge next to a peak is so much smaller that there is a valley.
#[inline]
pub(super) fn is_valley(peak: i32, charge: i32, settings: &Settings) -> bool {
    let difference = peak - charge;
    let relative = i32::from(settings.noise_eps_rel) * peak.max(charge);
    difference > sixteenths(settings.noise_eps) && 255 * difference > relative
}
