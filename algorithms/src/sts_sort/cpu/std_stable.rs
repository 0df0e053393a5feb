//! The standard library's stable sort.

use super::parts::sort_parts;
use super::{Cost, CpuSort, Scratch, accept_all};

/// `slice::sort_by_key` (driftsort) for each segment; segments in parts are
/// merged.
pub(in crate::sts_sort) static STD_STABLE: CpuSort = CpuSort {
    name: "std-stable",
    summary: "Rust's slice::sort_by_key a segment",
    stable: true,
    scratch: Scratch::WhenSplit,
    cost: Cost::LogLinear,
    accepts: accept_all,
    sort_segment: |digis, scratch, parts| {
        sort_parts(digis, scratch, parts, |part| {
            part.sort_by_key(|digi| digi.key());
        })
    },
};
