//! Correctness of sorted digis.
//!
//! A stable variant has exactly one right answer. An unstable one may order equal keys in any
//! order, but must neither lose nor change a digi. If the input is too large for a reference, the
//! order is checked directly and the digis of each segment by a checksum.
//!
//! Every check compares digis through a [`View`]: parts of a digi that a variant does not keep are
//! ignored.

use std::fmt;

use generators_common::partition::Partition;
use generators_common::random::mix;
use generators_sts::{Address, Digi, SegmentedDigis};
use parallel::{first_difference, first_error, first_where, map};

use super::order::Order;
use tasks::algorithm::Content;

/// Digis that a thread sums up at a time.
const PART: usize = 1 << 16;

/// A digi as far as it counts.
pub(crate) type View = fn(Digi) -> Digi;

/// The part of digis that is compared for variants that keep this content.
pub(super) fn view(content: Content) -> View {
    match content {
        Content::Whole => |digi| digi,
        Content::WithoutAddress => |digi| {
            let nowhere = Address::from_packed(0);
            Digi::new(nowhere, digi.channel(), digi.time_ns(), digi.adc())
        },
    }
}

/// Difference of an output from the right answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The number of digis differs from the input's.
    #[error("{found} digis came out of {expected}")]
    Length {
        /// Digis in the input.
        expected: usize,
        /// Digis in the output.
        found: usize,
    },
    /// Not the digi of the reference.
    #[error("{position}: {} instead of {}", Show(*.found), Show(*.expected))]
    Digi {
        /// Position of the wrong digi.
        position: Position,
        /// The reference's.
        expected: Digi,
        /// The output's.
        found: Digi,
    },
    /// Digis with the right key, but not those of the input.
    #[error("{position}: the digis with the same key as {} are not those of the input", Show(*.digi))]
    Run {
        /// Start of the run of equal keys.
        position: Position,
        /// The first of them.
        digi: Digi,
    },
    /// A key smaller than the one before.
    #[error("{position}: {} comes after {}", Show(*.digi), Show(*.previous))]
    Order {
        /// Position of the digi that is out of order.
        position: Position,
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

/// A position in an output.
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
        let channel = self.0.channel();
        let time = self.0.time_ns();
        let adc = self.0.adc();
        write!(f, "channel {channel} time {time} ns adc {adc}")
    }
}

/// Digi for digi as the reference.
pub(super) fn identical(
    partition: &Partition,
    reference: &[Digi],
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(partition, output)?;
    let Some(first) = first_difference(reference, output) else {
        return Ok(());
    };
    let differ = |at: usize| at >= first && view(reference[at]) != view(output[at]);
    match first_where(output.len(), differ) {
        None => Ok(()),
        Some(at) => Err(wrong_digi(partition, at, reference, output)),
    }
}

/// The keys of the reference, and within each run of equal keys its digis. Of a segment
/// the keys come first.
pub(crate) fn same_keys_and_runs<O: Order>(
    partition: &Partition,
    reference: &[Digi],
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(partition, output)?;
    if first_difference(reference, output).is_none() {
        return Ok(());
    }
    let keys = |at: usize| O::key(reference[at]) != O::key(output[at]);
    let keys = first_where(output.len(), keys);
    let end = keys.map_or(partition.segments(), |at| partition.segment_of(at));
    // Runs of segments before the one that has a wrong key.
    first_error(end, |segment| {
        let range = partition.range(segment);
        let expected = &reference[range.clone()];
        let found = &output[range];
        match first_wrong_run::<O>(expected, found, view) {
            None => Ok(()),
            Some(index) => {
                Err(Mismatch::Run { position: Position { segment, index }, digi: expected[index] })
            }
        }
    })?;
    match keys {
        None => Ok(()),
        Some(at) => Err(wrong_digi(partition, at, reference, output)),
    }
}

/// Start of the first run of equal keys whose digis differ from the reference's.
fn first_wrong_run<O: Order>(expected: &[Digi], found: &[Digi], view: View) -> Option<usize> {
    let is_first = |at: usize| at == 0 || O::key(expected[at]) != O::key(expected[at - 1]);
    let is_wrong = |at: usize| {
        if !is_first(at) {
            return false;
        }
        let rest = &expected[at..];
        let run = rest.iter().take_while(|digi| O::key(**digi) == O::key(rest[0]));
        let length = run.count();
        !same_digis(&rest[..length], &found[at..at + length], view)
    };
    first_where(expected.len(), is_wrong)
}

/// In order, with the digis of the input in each segment (by a checksum).
pub(super) fn ordered_and_complete(
    input: &SegmentedDigis,
    output: &[Digi],
    view: View,
) -> Result<(), Mismatch> {
    check_length(input.partition(), output)?;
    first_error(input.partition().segments(), |segment| {
        let found = &output[input.partition().range(segment)];
        let descends = |index: usize| index > 0 && found[index].key() < found[index - 1].key();
        if let Some(index) = first_where(found.len(), descends) {
            return Err(Mismatch::Order {
                position: Position { segment, index },
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

fn check_length(partition: &Partition, output: &[Digi]) -> Result<(), Mismatch> {
    let expected = partition.elements();
    let found = output.len();
    if expected == found {
        return Ok(());
    }
    Err(Mismatch::Length { expected, found })
}

fn wrong_digi(partition: &Partition, at: usize, expected: &[Digi], found: &[Digi]) -> Mismatch {
    let segment = partition.segment_of(at);
    let index = at - partition.range(segment).start;
    Mismatch::Digi {
        position: Position { segment, index },
        expected: expected[at],
        found: found[at],
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
    let add =
        |(low, high): (u64, u64), (l, h): (u64, u64)| (low.wrapping_add(l), high.wrapping_add(h));
    let of_part = |part: &[Digi]| {
        part.iter().fold((0, 0), |sum, &digi| {
            let hash = mix(view(digi).bits());
            add(sum, (hash, mix(hash)))
        })
    };
    map(digis.chunks(PART), of_part).into_iter().fold((0, 0), add)
}

#[cfg(test)]
mod tests;
