//! The right answer, by a library's stable sort.

use generators_sts::{Digi, SegmentedDigis};
use rayon::slice::ParallelSliceMut;

use parallel::{for_each, par_map};

/// Each segment sorted by key; equal keys keep their order of arrival. All cores share
/// even a single segment.
pub(super) fn sort(input: &SegmentedDigis) -> Vec<Digi> {
    let mut digis = par_map(input.digis(), |digi| *digi);
    let segments = input.partition().split_mut(&mut digis);
    for_each(segments, |segment| segment.par_sort_by_key(|digi| digi.key()));
    digis
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use generators_sts::{DigiShape, Order, Skew, generate};
    use parallel::testing::with_all_pools;

    use super::*;
    use crate::sts_sort::hard_inputs;

    /// An ordered map from key to the digis with that key, as they arrived.
    fn by_map(segment: &[Digi]) -> Vec<Digi> {
        let mut by_key = BTreeMap::<u64, Vec<Digi>>::new();
        for &digi in segment {
            by_key.entry(digi.key()).or_default().push(digi);
        }
        by_key.into_values().flatten().collect()
    }

    #[test]
    fn it_agrees_with_an_ordered_map() {
        for (name, input) in hard_inputs::all(3) {
            let expected: Vec<_> = input.segments().flat_map(by_map).collect();
            assert_eq!(with_all_pools(|| sort(&input)), expected, "{name}");
        }
    }

    #[test]
    fn large_segments_are_sorted_as_one_thread_would() {
        let shape = DigiShape {
            segments: 2,
            digis: 150_000,
            order: Order::Random,
            skew: Skew::Ratio(5.0),
            duplicates: 0.5,
            timeslice_ns: 2_000,
        };
        let input = generate(&shape, 1).expect("a sensible shape");
        let mut expected = input.digis().to_vec();
        for segment in input.partition().split_mut(&mut expected) {
            segment.sort_by_key(|digi| digi.key());
        }
        assert_eq!(with_all_pools(|| sort(&input)), expected);
    }
}
