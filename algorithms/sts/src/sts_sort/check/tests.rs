//! One wrong digi, wherever it is.

use generators_sts::{DigiShape, Order, Skew, generate};
use parallel::testing::{test_indices, with_all_pools};

use super::*;
use crate::sts_sort::order::ByChannelAndTime;
use crate::sts_sort::reference;

type Check = fn(&SegmentedDigis, &[Digi], &[Digi], View) -> Result<(), Mismatch>;

const WHOLE: View = |digi| digi;

const CHECKS: [(&str, Check); 3] = [
    ("stable", |input, right, output, view| identical(input.partition(), right, output, view)),
    ("unstable", |input, right, output, view| {
        same_keys_and_runs::<ByChannelAndTime>(input.partition(), right, output, view)
    }),
    ("without reference", |input, _, output, view| ordered_and_complete(input, output, view)),
];

fn input() -> SegmentedDigis {
    let shape = DigiShape {
        segments: 5,
        digis: 1000,
        order: Order::Random,
        skew: Skew::Ratio(3.0),
        duplicates: 0.3,
        timeslice_ns: 1_000_000,
    };
    generate(&shape, 7).expect("a sensible shape")
}

/// Checks that refuse the right output changed by `spoil`, for variants that keep this content of
/// digis.
fn rejected(content: Content, spoil: impl Fn(&SegmentedDigis, &mut Vec<Digi>)) -> [bool; 3] {
    let input = input();
    let reference = reference::sort(&input);
    let mut output = reference.clone();
    spoil(&input, &mut output);
    CHECKS.map(|(_, check)| check(&input, &reference, &output, view(content)).is_err())
}

/// Swaps the first digi for which `is_meant` accepts it and its neighbour with that neighbour.
fn swap_first(output: &mut [Digi], is_meant: impl Fn(Digi, Digi) -> bool) {
    let first = (0..).find(|&i: &usize| is_meant(output[i], output[i + 1]));
    let first = first.expect("such neighbours");
    output.swap(first, first + 1);
}

fn lose_addresses(output: &mut [Digi]) {
    let without = view(Content::WithoutAddress);
    output.iter_mut().for_each(|digi| *digi = without(*digi));
}

#[test]
fn exactly_the_wrong_outputs_are_refused() {
    type Spoil = fn(&SegmentedDigis, &mut Vec<Digi>);
    let cases: [(&str, Spoil, [bool; 3]); 10] = [
        ("right", |_, _| {}, [false; 3]),
        ("no-op", |input, output| output.copy_from_slice(input.digis()), [true; 3]),
        ("empty", |_, output| output.clear(), [true; 3]),
        ("poisoned", |_, output| output.fill(Digi::default()), [true; 3]),
        (
            "unequal keys swapped",
            |_, output| swap_first(output, |one, other| one.key() != other.key()),
            [true; 3],
        ),
        (
            "equal keys swapped",
            |_, output| {
                swap_first(output, |one, other| one.key() == other.key() && one != other);
            },
            [true, false, false],
        ),
        ("dropped", |_, output| _ = output.remove(17), [true; 3]),
        // The order is still right.
        ("doubled", |_, output| output[17] = output[16], [true; 3]),
        (
            "another charge",
            |_, output| output[17] = Digi::from_bits(output[17].bits() ^ (1 << 32)),
            [true; 3],
        ),
        ("addresses lost", |_, output| lose_addresses(output), [true; 3]),
    ];
    for (name, spoil, expected) in cases {
        assert_eq!(rejected(Content::Whole, spoil), expected, "{name}");
    }
}

#[test]
fn without_addresses_all_else_counts() {
    let lose = |_: &SegmentedDigis, output: &mut Vec<Digi>| lose_addresses(output);
    assert_eq!(rejected(Content::WithoutAddress, lose), [false; 3]);
    let change = |bit: u32| {
        move |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            output[17] = Digi::from_bits(output[17].bits() ^ (1 << bit));
        }
    };
    for (bit, expected) in [(3, true), (32, true), (40, true), (31, false), (50, false)] {
        let found = rejected(Content::WithoutAddress, change(bit));
        assert_eq!(found, [expected; 3], "bit {bit}");
    }
}

#[test]
fn a_digi_moved_to_another_segment_fails() {
    // Swaps the last digi of segment 0 with the first of segment 1; both segments stay in order if
    // their keys are made equal.
    let one = |adc: u64| Digi::from_bits(1 | (adc << 32));
    let input = SegmentedDigis::from_segments(&[vec![one(1)], vec![one(2)]]);
    let reference = reference::sort(&input);
    let output = [one(2), one(1)];
    for (name, check) in CHECKS {
        assert!(check(&input, &reference, &output, WHOLE).is_err(), "{name}");
    }
}

/// Segments that are larger than what a thread checks at once, and small ones in between.
fn large() -> (SegmentedDigis, Vec<Digi>) {
    let digi = |time: u64| Digi::from_bits(time | 3 << 32);
    let segment = |digis: u64| (0..digis).map(|at| digi(at / 2)).collect::<Vec<_>>();
    let digis = [150_000, 0, 3, 70_000].map(segment);
    let input = SegmentedDigis::from_segments(&digis);
    let reference = reference::sort(&input);
    (input, reference)
}

#[test]
fn a_changed_digi_is_found_wherever_it_is() {
    let (input, reference) = large();
    for at in test_indices(reference.len()) {
        let mut output = reference.clone();
        output[at] = Digi::from_bits(output[at].bits() ^ (1 << 33));
        let segment = input.partition().segment_of(at);
        for (name, check) in CHECKS {
            let found = with_all_pools(|| check(&input, &reference, &output, WHOLE));
            let found_in = match found.expect_err(name) {
                Mismatch::Digi { position, .. } => {
                    assert_eq!(input.partition().range(segment).start + position.index, at);
                    position.segment
                }
                Mismatch::Run { position, .. } => position.segment,
                Mismatch::Content { segment } => segment,
                other => panic!("{name}: {other}"),
            };
            assert_eq!(found_in, segment, "{name} at {at}");
        }
    }
}

#[test]
fn a_lost_doubled_or_swapped_digi_is_found_wherever_it_is() {
    let (input, reference) = large();
    for at in test_indices(reference.len()) {
        let other = if at + 2 < reference.len() { at + 2 } else { at - 2 };
        let mut swapped = reference.clone();
        swapped.swap(at, other);
        let mut doubled = reference.clone();
        doubled[at] = doubled[other];
        for output in [swapped, doubled] {
            for (name, check) in CHECKS {
                let found = with_all_pools(|| check(&input, &reference, &output, WHOLE));
                assert!(found.is_err(), "{name} at {at}");
            }
        }
    }
}

#[test]
fn first_of_several_wrong_digis_is_reported() {
    let (input, reference) = large();
    let wrong = test_indices(reference.len());
    for first in &wrong {
        let mut output = reference.clone();
        for at in wrong.iter().filter(|at| *at >= first) {
            output[*at] = Digi::default();
        }
        let found = with_all_pools(|| identical(input.partition(), &reference, &output, WHOLE));
        let expected = wrong_digi(input.partition(), *first, &reference, &output);
        assert_eq!(found, Err(expected));
    }
}

#[test]
fn a_wrong_run_is_reported_before_a_wrong_key_only_of_a_later_segment() {
    let (input, reference) = large();
    let spoilt = |run: usize, key: usize| {
        let mut output = reference.clone();
        output[run] = Digi::from_bits(output[run].bits() ^ (1 << 33));
        output[key] = Digi::default();
        with_all_pools(|| {
            same_keys_and_runs::<ByChannelAndTime>(input.partition(), &reference, &output, WHOLE)
        })
    };
    let later = input.partition().range(3).start;
    assert!(matches!(spoilt(100, later + 9), Err(Mismatch::Run { .. })));
    assert!(matches!(spoilt(100, 9_000), Err(Mismatch::Digi { .. })));
    assert!(matches!(spoilt(later, 9_000), Err(Mismatch::Digi { .. })));
}

#[test]
fn messages_name_the_position() {
    let input = input();
    let reference = reference::sort(&input);
    let mut output = reference.clone();
    let start = input.partition().range(2).start;
    output[start + 3] = Digi::default();
    let error = identical(input.partition(), &reference, &output, WHOLE).expect_err("changed");
    let text = error.to_string();
    assert!(text.starts_with("segment 2, position 3: channel 0 time 0 ns"), "{text}");
}
