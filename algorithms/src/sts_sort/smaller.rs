//! What is left of an input if a part is taken away.

use std::ops::Range;

use generators::sts::{Digi, SegmentedDigis};

/// An input is cut into so many parts at first, then into smaller ones.
const FEWEST_PARTS: usize = 2;
/// Beyond this, parts are so small that trying them all takes too long.
const MOST_PARTS: usize = 64;

/// Without each part of the segments, then without each part of the digis; the
/// largest parts first.
pub(super) fn all(input: &SegmentedDigis) -> impl Iterator<Item = SegmentedDigis> + '_ {
    let (segments, digis) = (input.partition().segments(), input.digis().len());
    let without_segments = parts(segments).map(|part| {
        let kept = input.segments().enumerate();
        let kept = kept.filter(|(number, _)| !part.contains(number));
        let kept: Vec<_> = kept.map(|(_, segment)| segment.to_vec()).collect();
        SegmentedDigis::from_segments(&kept)
    });
    let without_digis = parts(digis).map(|part| without(input, &part));
    // Taking all away would leave nothing to be wrong about.
    let of_several = without_segments.filter(|left| left.partition().segments() > 0);
    of_several.chain(without_digis)
}

/// The same segments without the digis at these positions.
fn without(input: &SegmentedDigis, part: &Range<usize>) -> SegmentedDigis {
    let segments: Vec<Vec<Digi>> = input
        .partition()
        .ranges()
        .map(|range| {
            let kept = range.filter(|position| !part.contains(position));
            kept.map(|position| input.digis()[position]).collect()
        })
        .collect();
    SegmentedDigis::from_segments(&segments)
}

/// Halves, quarters and so on of `0..length`.
fn parts(length: usize) -> impl Iterator<Item = Range<usize>> {
    let counts = std::iter::successors(Some(FEWEST_PARTS), |count| Some(2 * count));
    let counts = counts.take_while(move |&count| count <= MOST_PARTS.min(length));
    counts.flat_map(move |count| {
        (0..count).map(move |i| i * length / count..(i + 1) * length / count)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input() -> SegmentedDigis {
        let digi = |i: u64| Digi::from_bits(i);
        SegmentedDigis::from_segments(&[(0..5).map(digi).collect(), Vec::new(), vec![digi(9)]])
    }

    #[test]
    fn every_part_is_taken_away_once_at_each_size() {
        let all: Vec<_> = parts(4).collect();
        assert_eq!(all, [0..2, 2..4, 0..1, 1..2, 2..3, 3..4]);
        assert_eq!(parts(1).count(), 0);
    }

    #[test]
    fn what_is_left_is_smaller_and_in_order() {
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
