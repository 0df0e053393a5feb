//! What the cluster finder goes by.

use generators::tpc::charges::CHARGE_STEPS;

pub use generators::tpc::charges::ClusterSettings as Settings;

/// A threshold in sixteenths of an ADC unit, as charges are.
pub(super) fn sixteenths(threshold: u8) -> i32 {
    i32::from(CHARGE_STEPS) * i32::from(threshold)
}
