//! What counts as sorted.
//!
//! A stable variant has exactly one right answer. An unstable one may order
//! equal keys as it likes, but must neither lose nor change a digi. Where the
//! input is too large for a reference, the order is checked directly and the
//! digis of each segment by a checksum.
//!
//! Every check looks at digis through a [`View`]: what a variant does not keep of
//! them does not count.

use std::fmt;

use generators::random::mix;
use generators::sts::{Address, Digi, SegmentedDigis};

use crate::algorithm::Content;

/// A digi as far as it counts.
pub(super) type View = fn(Digi) -> Digi;

/// What counts of digis for variants that keep so much of them.
pub(super) fn view(content: Content) -> View {
    match content {
        Content::Whole => |digi| digi,
        Content::WithoutAddress => |digi| {
            let nowhere = Address::from_packed(0);
            Digi::new(nowhere, digi.channel(), digi.time_ns(), digi.adc())
        },
    }
}

/// How an output is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// Not as many digis as in the input.
    #[error("{found} digis came out of {expected}")]
    Length {
        /// Digis in the input.
        expected: usize,
        /// Digis in the output.
        found: usize,
    },
    /// Not the digi of the reference.
    #[error("{place}: {} instead of {}", Show(*.found), Show(*.expected))]
    Digi {
        /// Where.
        place: Position,
        /// The reference's.
        expected: Digi,
        /// The output's.
        found: Digi,
    },
    /// Digis with the right key, but not those of the input.
    #[error("{place}: the digis with channel {} and time {} ns are not those of the input", .digi.channel(), .digi.time_ns())]
    Run {
        /// Where the run of equal keys begins.
        place: Position,
        /// The first of them.
        digi: Digi,
    },
    /// A key smaller than the one before.
    #[error("{place}: {} comes after {}", Show(*.digi), Show(*.previous))]
    Order {
        /// Where.
        place: Position,
        /// The digi before it.
        previous: Digi,
        /// The digi there.
        digi: Digi,
    },
    /// A segment that holds other digis than before.
    #[error("segment {segment}: digis were lost, changed or moved between segments")]
    Content {
        /// The segment.
        segment: usize,
    },
}

/// A place in an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The segment.
    pub segment: usize,
    /// The position in the segment.
    pub index: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "segment {}, position {}", self.segment, self.index)
    }
}

/// A digi in words.
struct Show(Digi);

impl fmt::Display for Show {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (channel, time, adc) = (self.0.channel(), self.0.time_ns(), self.0.adc());
        write!(f, "channel {channel} time {time} ns adc {adc}")
    }
}

/// Digi for digi as the reference.
pub(super) fn identical(
    input: &SegmentedDigis,
    reference: &[Digi],
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(input, output)?;
    each_segment(input, |segment, range| {
        let (expected, found) = (&reference[range.clone()], &output[range]);
        let differ = |&index: &usize| view(expected[index]) != view(found[index]);
        match (0..found.len()).find(differ) {
            None => Ok(()),
            Some(index) => Err(wrong_digi(segment, index, expected, found)),
        }
    })
}

/// The keys of the reference, and within each run of equal keys its digis.
pub(super) fn same_keys_and_runs(
    input: &SegmentedDigis,
    reference: &[Digi],
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(input, output)?;
    each_segment(input, |segment, range| {
        let (expected, found) = (&reference[range.clone()], &output[range]);
        let differ = |&index: &usize| expected[index].key() != found[index].key();
        if let Some(index) = (0..found.len()).find(differ) {
            return Err(wrong_digi(segment, index, expected, found));
        }
        let mut index = 0;
        for run in expected.chunk_by(|a, b| a.key() == b.key()) {
            if !same_digis(run, &found[index..index + run.len()], view) {
                let place = Position { segment, index };
                return Err(Mismatch::Run {
                    place,
                    digi: run[0],
                });
            }
            index += run.len();
        }
        Ok(())
    })
}

/// In order, with the digis of the input in each segment (by a checksum).
pub(super) fn ordered_and_complete(
    input: &SegmentedDigis,
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(input, output)?;
    each_segment(input, |segment, range| {
        let found = &output[range];
        let descends = |index: &usize| found[*index].key() < found[index - 1].key();
        if let Some(index) = (1..found.len()).find(descends) {
            return Err(Mismatch::Order {
                place: Position { segment, index },
                previous: found[index - 1],
                digi: found[index],
            });
        }
        if checksum(found, view) != checksum(input.segment(segment), view) {
            return Err(Mismatch::Content { segment });
        }
        Ok(())
    })
}

fn check_length(input: &SegmentedDigis, output: &[Digi]) -> Result<(), Mismatch> {
    let (expected, found) = (input.digis().len(), output.len());
    if expected == found {
        return Ok(());
    }
    Err(Mismatch::Length { expected, found })
}

fn each_segment(
    input: &SegmentedDigis,
    mut check: impl FnMut(usize, std::ops::Range<usize>) -> Result<(), Mismatch>,
) -> Result<(), Mismatch> {
    let ranges = input.partition().ranges().enumerate();
    ranges
        .into_iter()
        .try_for_each(|(segment, range)| check(segment, range))
}

fn wrong_digi(segment: usize, index: usize, expected: &[Digi], found: &[Digi]) -> Mismatch {
    Mismatch::Digi {
        place: Position { segment, index },
        expected: expected[index],
        found: found[index],
    }
}

fn same_digis(left: &[Digi], right: &[Digi], view: View) -> bool {
    if left == right {
        return true;
    }
    let sorted = |digis: &[Digi]| {
        let mut bits: Vec<_> = digis.iter().map(|&digi| view(digi).bits()).collect();
        bits.sort_unstable();
        bits
    };
    sorted(left) == sorted(right)
}

/// A sum over all digis, so that the order makes no difference: 128 bits in
/// which each bit of each digi counts.
fn checksum(digis: &[Digi], view: View) -> (u64, u64) {
    digis.iter().fold((0, 0), |(low, high), &digi| {
        let hash = mix(view(digi).bits());
        (low.wrapping_add(hash), high.wrapping_add(mix(hash)))
    })
}

#[cfg(test)]
mod tests {
    use generators::sts::{DigiShape, Order, Skew, generate};

    use super::*;
    use crate::sts_sort::reference;

    type Check = fn(&SegmentedDigis, &[Digi], &[Digi], View) -> Result<(), Mismatch>;

    const WHOLE: View = |digi| digi;

    const CHECKS: [(&str, Check); 3] = [
        ("stable", identical),
        ("unstable", same_keys_and_runs),
        ("without reference", |input, _, output, view| {
            ordered_and_complete(input, output, view)
        }),
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

    /// Each check on the right output, spoilt.
    fn rejects(spoil: impl Fn(&SegmentedDigis, &mut Vec<Digi>)) -> [bool; 3] {
        rejects_in(Content::Whole, spoil)
    }

    fn rejects_in(content: Content, spoil: impl Fn(&SegmentedDigis, &mut Vec<Digi>)) -> [bool; 3] {
        let input = input();
        let reference = reference::sort(&input);
        let mut output = reference.clone();
        spoil(&input, &mut output);
        CHECKS.map(|(_, check)| check(&input, &reference, &output, view(content)).is_err())
    }

    #[test]
    fn the_right_output_passes() {
        assert_eq!(rejects(|_, _| {}), [false; 3]);
    }

    #[test]
    fn a_no_op_fails() {
        let no_op = |input: &SegmentedDigis, output: &mut Vec<Digi>| {
            output.copy_from_slice(input.digis());
        };
        assert_eq!(rejects(no_op), [true; 3]);
    }

    #[test]
    fn an_empty_or_poisoned_output_fails() {
        assert_eq!(rejects(|_, output| output.clear()), [true; 3]);
        assert_eq!(rejects(|_, output| output.fill(Digi::default())), [true; 3]);
    }

    #[test]
    fn a_swapped_pair_of_unequal_keys_fails() {
        let swap = |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            let unequal = |&i: &usize| output[i].key() != output[i + 1].key();
            let first = (0..).find(unequal).expect("unequal keys");
            output.swap(first, first + 1);
        };
        assert_eq!(rejects(swap), [true; 3]);
    }

    #[test]
    fn a_swapped_pair_of_equal_keys_fails_for_stable_variants_only() {
        let swap = |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            let equal =
                |&i: &usize| output[i].key() == output[i + 1].key() && output[i] != output[i + 1];
            let first = (0..).find(equal).expect("equal keys");
            output.swap(first, first + 1);
        };
        assert_eq!(rejects(swap), [true, false, false]);
    }

    #[test]
    fn a_dropped_digi_fails() {
        let shorter = |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            output.remove(17);
        };
        assert_eq!(rejects(shorter), [true; 3]);
        // In its place the one before it once more: the order is still right.
        let doubled = |_: &SegmentedDigis, output: &mut Vec<Digi>| output[17] = output[16];
        assert_eq!(rejects(doubled), [true; 3]);
    }

    #[test]
    fn a_changed_charge_fails() {
        let change = |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            output[17] = Digi::from_bits(output[17].bits() ^ (1 << 32));
        };
        assert_eq!(rejects(change), [true; 3]);
    }

    #[test]
    fn a_lost_address_counts_only_where_it_was_promised() {
        let lose = |_: &SegmentedDigis, output: &mut Vec<Digi>| {
            let without = view(Content::WithoutAddress);
            output.iter_mut().for_each(|digi| *digi = without(*digi));
        };
        assert_eq!(rejects(lose), [true; 3]);
        assert_eq!(rejects_in(Content::WithoutAddress, lose), [false; 3]);
    }

    #[test]
    fn without_addresses_all_else_counts() {
        let change = |bit: u32| {
            move |_: &SegmentedDigis, output: &mut Vec<Digi>| {
                output[17] = Digi::from_bits(output[17].bits() ^ (1 << bit));
            }
        };
        for (bit, rejected) in [(3, true), (32, true), (40, true), (31, false), (50, false)] {
            let found = rejects_in(Content::WithoutAddress, change(bit));
            assert_eq!(found, [rejected; 3], "bit {bit}");
        }
    }

    #[test]
    fn a_digi_moved_to_another_segment_fails() {
        // The last digi of segment 0 changes places with the first of segment
        // 1; both stay in order if their keys are made alike.
        let one = |adc: u64| Digi::from_bits(1 | (adc << 32));
        let input = SegmentedDigis::from_segments(&[vec![one(1)], vec![one(2)]]);
        let reference = reference::sort(&input);
        let output = [one(2), one(1)];
        for (name, check) in CHECKS {
            assert!(check(&input, &reference, &output, WHOLE).is_err(), "{name}");
        }
    }

    #[test]
    fn messages_name_the_place() {
        let input = input();
        let reference = reference::sort(&input);
        let mut output = reference.clone();
        let start = input.partition().range(2).start;
        output[start + 3] = Digi::default();
        let error = identical(&input, &reference, &output, WHOLE).expect_err("changed");
        let text = error.to_string();
        assert!(
            text.starts_with("segment 2, position 3: channel 0 time 0 ns"),
            "{text}"
        );
    }
}
