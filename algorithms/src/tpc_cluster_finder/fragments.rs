//! A sector's time frame in fragments: the units that published variants process.

use generators::tpc::charges::ChargeCase;

use crate::tpc_decode::{FragmentOfFrame, Fragments};

/// The fragments of a sector, which end with its last sample.
pub(super) fn of_case(case: &ChargeCase) -> impl Iterator<Item = FragmentOfFrame> {
    Fragments::new(case.fragment).of_frame(used_time_bins(case))
}

/// Time bins up to the last sample of a sector.
pub(super) fn used_time_bins(case: &ChargeCase) -> u32 {
    case.charges.iter().map(|sample| sample.time + 1).max().unwrap_or(0)
}
