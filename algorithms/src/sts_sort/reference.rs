//! The right answer, by the standard library's stable sort.

use generators::sts::{Digi, SegmentedDigis};

/// Each segment sorted by key; equal keys keep their order of arrival.
pub(super) fn sort(input: &SegmentedDigis) -> Vec<Digi> {
    let mut digis = input.digis().to_vec();
    for segment in input.partition().split_mut(&mut digis) {
        segment.sort_by_key(|digi| digi.key());
    }
    digis
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

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
            assert_eq!(sort(&input), expected, "{name}");
        }
    }
}
