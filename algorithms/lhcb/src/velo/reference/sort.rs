//! The expected order of hits, slow and obvious.

use generators_lhcb::geometry::MODULE_PAIRS;

use crate::velo::model::{Hit, PairRange};

/// Sorts the hits of each pair of modules by angle and identifier. Where several hits have the same
/// angle and identifier, the last one of them comes first, and the others become copies of the
/// event's first cluster, as in the experiment.
pub fn sort(pairs: &[PairRange; MODULE_PAIRS], slots: &[Hit]) -> Vec<Hit> {
    let mut sorted = slots.to_vec();
    for &PairRange { start, count } in pairs {
        let range = start as usize..(start + count) as usize;
        let hits = &slots[range.clone()];
        for (index, hit) in hits.iter().enumerate() {
            let smaller = hits.iter().filter(|other| other.key() < hit.key()).count();
            let is_last = hits[index + 1..].iter().all(|other| other.key() != hit.key());
            let equal_before =
                hits[..index].iter().filter(|other| other.key() == hit.key()).count();
            let equal = hits.iter().filter(|other| other.key() == hit.key()).count();
            let place = if is_last { smaller } else { smaller + 1 + equal_before };
            debug_assert!(place < smaller + equal);
            sorted[range.start + place] = if is_last { *hit } else { slots[0] };
        }
    }
    sorted
}
