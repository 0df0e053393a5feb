//! Checks of the plugin that need no GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use generators_common::random::hash;
use generators_sts::Digi;

use super::CUB;
use crate::sts_sort::check::view;
use tasks::algorithm::Content;
use tasks::plugin_session::testing::{assert_in_baseline, compile};

/// Replaces `portable.h`, for a compiler without device code.
const PORTABLE: &str = "#pragma once
#define __device__
#define __forceinline__ inline
typedef unsigned u32;
typedef unsigned long long u64;
";

/// Takes digis, each with a segment, and prints keys and the digis decoded from them.
const PROGRAM: &str = "#include \"digis.cuh\"
#include <cstdio>
int main() {
    u64 segment, digi;
    while (scanf(\"%llu %llu\", &segment, &digi) == 2) {
        const u64 ordered = ordered_from_digi(digi), composite = composite_from_digi(segment, digi);
        printf(\"%llu %llu %llu %llu %llu\\n\", ordered, digi_from_ordered(ordered),
               digi_from_key(digi_key(digi), others_of_digi(digi)), composite,
               digi_from_composite(composite));
    }
}
";

/// Bits below those that digis are sorted by, of both kinds of keys.
const BELOW: [u32; 2] = [22, 5];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cub")
}

#[test]
fn the_plugin_has_the_variants_that_are_listed() {
    assert_in_baseline(&CUB, |cub| format!(" {},", cub.stable));
}

/// Digis with all bits, each with a segment.
fn digis() -> Vec<(u64, Digi)> {
    let digi = |i| (hash(1, [i]) % (1 << 17), Digi::from_bits(hash(2, [i / 2])));
    (0..2000).map(digi).collect()
}

/// The output of the program for digis; none without a C++ compiler.
fn converted(digis: &[(u64, Digi)]) -> Option<Vec<[u64; 5]>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    // Headers are searched next to the files that include them.
    let shared = sources().join("../sts/kernels/digi.h");
    fs::copy(shared, path("digi.h")).expect("copied");
    fs::copy(sources().join("digis.cuh"), path("digis.cuh")).expect("copied");
    fs::write(path("portable.h"), PORTABLE).expect("written");
    fs::write(path("convert.cpp"), PROGRAM).expect("written");
    compile(&path("convert.cpp"), &path("convert"), &[])?;
    let lines = digis.iter().map(|(segment, digi)| format!("{segment} {}\n", digi.bits()));
    fs::write(path("digis"), lines.collect::<String>()).expect("written");
    let input = fs::File::open(path("digis")).expect("readable");
    let output = Command::new(path("convert")).stdin(input).output();
    let output = String::from_utf8(output.expect("it runs").stdout).expect("numbers");
    let numbers = |line: &str| {
        let numbers = line.split(' ').map(|word| word.parse().expect("a number"));
        numbers.collect::<Vec<_>>().try_into().expect("five of them")
    };
    Some(output.lines().map(numbers).collect())
}

#[test]
fn digis_come_back_from_keys_that_are_in_their_order() {
    let digis = digis();
    let Some(converted) = converted(&digis) else {
        return;
    };
    assert_eq!(converted.len(), digis.len());
    for ((_, digi), [_, ordered, pair, _, composite]) in digis.iter().zip(&converted) {
        let without_address = view(Content::WithoutAddress)(*digi);
        assert_eq!([*ordered, *pair], [digi.bits(); 2]);
        assert_eq!(*composite, without_address.bits());
    }
    let both: Vec<_> = digis.iter().zip(&converted).collect();
    for pair in both.windows(2) {
        let ((left_segment, left), left_keys) = pair[0];
        let ((right_segment, right), right_keys) = pair[1];
        let sorted = |keys: &[u64; 5]| [keys[0] >> BELOW[0], keys[3] >> BELOW[1]];
        let left_sorted = sorted(left_keys);
        let right_sorted = sorted(right_keys);
        let by_key = left.key().cmp(&right.key());
        assert_eq!(left_sorted[0].cmp(&right_sorted[0]), by_key);
        let by_segment = (left_segment, left.key()).cmp(&(right_segment, right.key()));
        assert_eq!(left_sorted[1].cmp(&right_sorted[1]), by_segment);
    }
}
