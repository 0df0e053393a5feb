//! The expected order of hits, slow and obvious.

use generators_lhcb::geometry::MODULE_PAIRS;

use crate::velo::model::{Hit, PairRange};

/// Sorts the hits of each pair of modules by angle and identifier; hits with equal ones stay in the order
/// of creation.
pub fn sort(pairs: &[PairRange; MODULE_PAIRS], slots: &[Hit]) -> Vec<Hit> {
    let mut sorted = slots.to_vec();
    for &PairRange { start, count } in pairs {
        sorted[start as usize..(start + count) as usize].sort_by_key(Hit::key);
    }
    sorted
}
