//! Smaller inputs, from which a part is removed.

use std::ops::Range;

use generators::sts::{Digi, SegmentedDigis};

use crate::algorithm::shrink::without_parts;

/// Without each part of the segments, then without each part of the digis.
pub(super) fn all(input: &SegmentedDigis) -> impl Iterator<Item = SegmentedDigis> + '_ {
    let without_segments = without_parts(input.partition().segments(), |gone| {
        let kept = input.segments().enumerate();
        let kept = kept.filter(|(index, _)| !gone.contains(index));
        let kept: Vec<_> = kept.map(|(_, segment)| segment.to_vec()).collect();
        // An empty input could not be wrong.
        (!kept.is_empty()).then(|| SegmentedDigis::from_segments(&kept))
    });
    without_segments.chain(without_digis(input))
}

/// The segments without each part of the digis.
pub(crate) fn without_digis(input: &SegmentedDigis) -> impl Iterator<Item = SegmentedDigis> + '_ {
    without_parts(input.digis().len(), |gone| Some(without(input, &gone)))
}

/// The segments without the digis at these positions.
fn without(input: &SegmentedDigis, gone: &Range<usize>) -> SegmentedDigis {
    let kept = |range: Range<usize>| -> Vec<Digi> {
        let kept = range.filter(|position| !gone.contains(position));
        kept.map(|position| input.digis()[position]).collect()
    };
    let segments: Vec<_> = input.partition().ranges().map(kept).collect();
    SegmentedDigis::from_segments(&segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> SegmentedDigis {
        let digi = |i: u64| Digi::from_bits(i);
        SegmentedDigis::from_segments(&[(0..5).map(digi).collect(), Vec::new(), vec![digi(9)]])
    }

    #[test]
    fn shrunk_inputs_are_smaller_and_in_order() {
        let whole = input();
        for left in all(&whole) {
            let fewer_digis = left.digis().len() < whole.digis().len();
            let fewer_segments = left.partition().segments() < whole.partition().segments();
            assert!(fewer_digis || fewer_segments);
            assert!(left.digis().is_sorted_by_key(|digi| digi.bits()));
        }
    }

    #[test]
    fn a_single_digi_can_be_reached() {
        let has_it = |left: &SegmentedDigis| left.digis().iter().any(|digi| digi.bits() == 3);
        let smaller = |left: &SegmentedDigis| all(left).find(has_it);
        let steps = std::iter::successors(Some(input()), smaller);
        let left = steps.last().expect("the first");
        assert_eq!((left.digis().len(), left.partition().segments()), (1, 1));
    }
}
