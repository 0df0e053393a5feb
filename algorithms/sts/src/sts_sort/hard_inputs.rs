//! Small inputs that are hard in some respect, and smaller ones of those that are sorted wrongly.

use std::ops::Range;

use generators_common::random::{hash, mix};
use generators_sts::{Digi, DigiShape, Order, SegmentedDigis, Skew, generate};

use tasks::algorithm::shrink::without_parts;

/// Sizes around thresholds of variants: powers of two, the chunk of `block-merge`, 512 × 11, the
/// tiles of `segmented-radix`, 512 × 8, and of `channel-bucket` the tile, 512 × 14, and the
/// capacity of shared memory, 512 × 16.
const SIZES: [usize; 27] = [
    0, 1, 2, 3, 31, 32, 33, 64, 65, 255, 256, 257, 1025, 4095, 4097, 5631, 5632, 5633, 7166, 7168,
    7169, 8191, 8192, 8193, 11_264, 11_265, 36_865,
];

/// A name, and the bits of a digi that follow from its number.
type Pattern = (&'static str, fn(u64) -> u64);

pub(super) fn all(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let mut inputs = sizes(seed);
    inputs.extend(keys());
    inputs.extend(crowds(seed));
    inputs.extend(shapes(seed));
    inputs
}

/// One segment of each size, and all sizes as the segments of one input.
fn sizes(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let segments = SIZES.map(|size| random_segment(size, seed));
    let mut inputs: Vec<_> = segments
        .iter()
        .map(|segment| {
            let name = format!("one segment of {} digis", segment.len());
            (name, SegmentedDigis::from_segments(&[segment]))
        })
        .collect();
    let together = SegmentedDigis::from_segments(&segments);
    inputs.push(("segments of all sizes".to_owned(), together));
    inputs
}

/// Keys that are equal, extreme or in an order that is special.
fn keys() -> Vec<(String, SegmentedDigis)> {
    const DIGIS: u64 = 6000;
    const MAX: u64 = u64::MAX;
    let patterns: [Pattern; 9] = [
        ("all digis identical", |_| 12345),
        ("all keys equal, charges not", |i| 12345 | (i % 32) << 32),
        ("already in order", |i| (i / 8) << 37 | i),
        ("in reverse order", |i| (749 - i / 8) << 37 | (DIGIS - i)),
        ("one channel, random times", |i| mix(i) & 0x7fff_ffff | 5 << 37),
        ("one time, all channels", |i| (i * 7 % 2048) << 37 | 1000),
        ("the largest and the smallest key in turns", |i| MAX * (i % 2)),
        ("all bits set", |_| MAX),
        ("few keys, many of each", |i| ((i * i % 3) << 37) | ((i % 32) << 32) | (i * i % 2)),
    ];
    made(&patterns, 0..DIGIS)
}

/// Many digis in one channel, or at about the same time: more than a bucket usually has.
fn crowds(seed: u64) -> Vec<(String, SegmentedDigis)> {
    const DIGIS: u64 = 40_000;
    let patterns: [Pattern; 4] = [
        ("a crowd in one channel", |random| {
            let channel = if random % 4 == 0 { random % 2048 } else { 77 };
            channel << 37 | random >> 33
        }),
        ("a crowd in one channel at two times", |random| {
            77 << 37 | (random % 2) << 30 | ((random >> 8) % 32) << 32
        }),
        ("times crowded at the beginning", |random| {
            (random % 3) << 37 | (1 << ((random >> 8) % 31)) | ((random >> 16) % 16)
        }),
        ("a crowd of equal keys and some others", |random| {
            if random % 8 == 0 { random } else { 5 << 37 | 99 }
        }),
    ];
    made(&patterns, (0..DIGIS).map(|i| hash(seed, [i])))
}

/// One segment of each pattern.
fn made(
    patterns: &[Pattern],
    numbers: impl Iterator<Item = u64> + Clone,
) -> Vec<(String, SegmentedDigis)> {
    let input = |(name, bits): &Pattern| {
        let digis: Vec<_> = numbers.clone().map(bits).map(Digi::from_bits).collect();
        ((*name).to_owned(), SegmentedDigis::from_segments(&[digis]))
    };
    patterns.iter().map(input).collect()
}

/// Generated digis: each order, with skew, duplicates and many segments.
fn shapes(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let base = DigiShape {
        segments: 24,
        digis: 50_000,
        order: Order::Random,
        skew: Skew::Ratio(1.0),
        duplicates: 0.0,
        timeslice_ns: 1 << 31,
    };
    let mut shapes = Vec::new();
    for order in [Order::Random, Order::Time, Order::Jitter(64)] {
        let even = Skew::Ratio(1.0);
        for skew in [even, Skew::Ratio(1000.0), Skew::Hot(0.5), Skew::Hot(1.0)] {
            shapes.extend([0.0, 0.9].map(|duplicates| DigiShape {
                order,
                skew,
                duplicates,
                ..base.clone()
            }));
        }
    }
    for (segments, digis) in [(1, 200_000), (2, 200_000), (1792, 100_000), (5000, 100)] {
        shapes.push(DigiShape { segments, digis, ..base.clone() });
    }
    shapes.push(DigiShape { timeslice_ns: 10, ..base });
    shapes.iter().map(|shape| generated(shape, seed)).collect()
}

fn generated(shape: &DigiShape, seed: u64) -> (String, SegmentedDigis) {
    let name = format!(
        "{} digis in {} segments, order {}, skew {}, duplicates {}, timeslice {} ns",
        shape.digis, shape.segments, shape.order, shape.skew, shape.duplicates, shape.timeslice_ns
    );
    // The shapes above are all sensible; an empty input would be noticed.
    let empty = || SegmentedDigis::from_segments::<Vec<Digi>>(&[]);
    (name, generate(shape, seed).unwrap_or_else(|_| empty()))
}

fn random_segment(size: usize, seed: u64) -> Vec<Digi> {
    let size = size as u64;
    let digi = |i| Digi::from_bits(hash(seed, [size, i]));
    (0..size).map(digi).collect()
}

/// Without each part of the segments, then without each part of the digis.
pub(super) fn shrunk(input: &SegmentedDigis) -> impl Iterator<Item = SegmentedDigis> + '_ {
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

    #[test]
    fn no_generated_input_is_empty() {
        for (name, input) in shapes(1) {
            assert!(!input.digis().is_empty(), "{name}");
        }
    }

    fn input() -> SegmentedDigis {
        let digi = |i: u64| Digi::from_bits(i);
        SegmentedDigis::from_segments(&[(0..5).map(digi).collect(), Vec::new(), vec![digi(9)]])
    }

    #[test]
    fn shrunk_inputs_are_smaller_and_in_order() {
        let whole = input();
        for left in shrunk(&whole) {
            let fewer_digis = left.digis().len() < whole.digis().len();
            let fewer_segments = left.partition().segments() < whole.partition().segments();
            assert!(fewer_digis || fewer_segments);
            assert!(left.digis().is_sorted_by_key(|digi| digi.bits()));
        }
    }

    #[test]
    fn a_single_digi_can_be_reached() {
        let has_it = |left: &SegmentedDigis| left.digis().iter().any(|digi| digi.bits() == 3);
        let smaller = |left: &SegmentedDigis| shrunk(left).find(has_it);
        let steps = std::iter::successors(Some(input()), smaller);
        let left = steps.last().expect("the first");
        assert_eq!((left.digis().len(), left.partition().segments()), (1, 1));
    }
}
