//! Small inputs that are hard to sort by time.

use generators::random::{hash, mix};
use generators::sts::{Digi, SegmentedDigis};

use crate::algorithm::Algorithm;
use crate::sts_sort::StsSort;
use crate::sts_unpack::StsUnpack;

/// Digis of a timeslice in most of these inputs: several buckets, and several parts.
const DIGIS: u64 = 40_000;

/// A name, and the time of a digi that follows from its number and a random one, in ns.
type Pattern = (&'static str, fn(u64, u64) -> u64);

const PATTERNS: [Pattern; 9] = [
    ("in order", |i, _| 50 * i),
    ("in reverse order", |i, _| 50 * (DIGIS - i)),
    ("eight components, each in order", |i, random| 400 * (i % 5000) + random % 400),
    ("epochs in order, their digis not", |i, random| i / 100 * 3200 + random % 3200),
    ("all at one time", |_, _| 0x7fff_ffff),
    ("two times in turns", |i, _| 0x7fff_ffff * (i % 2)),
    ("crowded at the beginning", |_, random| 1 << (random % 31)),
    (
        "a crowd in one bucket",
        |i, random| if i % 8 == 0 { random >> 33 } else { 1000 + random % 3 },
    ),
    ("what a sample misses", |i, random| if i % 64 == 0 { 5000 } else { random >> 33 }),
];

/// Those of sorting, those of unpacking, and some more.
pub(super) fn all(seed: u64) -> Vec<(String, SegmentedDigis)> {
    let mut inputs: Vec<_> = PATTERNS.iter().map(|pattern| made(*pattern, seed)).collect();
    inputs.extend(StsSort.hard_inputs(seed));
    let raw = StsUnpack.hard_inputs(seed).into_iter();
    inputs.extend(raw.map(|(name, raw)| (name, super::input::unpacked(&raw))));
    inputs
}

/// Three timeslices: one, none and a part of it.
fn made((name, time): Pattern, seed: u64) -> (String, SegmentedDigis) {
    let digi = |i| {
        let random = hash(seed, [i]);
        Digi::from_bits(time(i, random) | mix(random) << 31)
    };
    let of = |digis| (0..digis).map(digi).collect::<Vec<_>>();
    (name.to_owned(), SegmentedDigis::from_segments(&[of(DIGIS), Vec::new(), of(DIGIS / 7)]))
}
