//! The standard library's unstable sort.

use super::parts::sort_parts;
use super::{Cost, CpuSort, Scratch, accept_all};

/// `slice::sort_unstable_by_key` (ipnsort) for each segment; segments in parts
/// are merged. What CBM's CPU code does, in Rust.
pub(in crate::sts_sort) static STD_UNSTABLE: CpuSort = CpuSort {
    name: "std-unstable",
    summary: "Rust's slice::sort_unstable_by_key a segment",
    stable: false,
    scratch: Scratch::WhenSplit,
    cost: Cost::LogLinear,
    accepts: accept_all,
    sort_segment: |digis, scratch, parts| {
        sort_parts(digis, scratch, parts, |part| {
            part.sort_unstable_by_key(|digi| digi.key());
        })
    },
};
