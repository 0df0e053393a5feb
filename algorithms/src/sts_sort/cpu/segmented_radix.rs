//! Radix sort of each segment, as CUB's `DeviceSegmentedRadixSort` does it.

use super::{Cost, CpuSort, Scratch, accept_all, radix};

/// Least significant digit first, between two buffers.
pub(in crate::sts_sort) static SEGMENTED_RADIX: CpuSort = CpuSort {
    name: "segmented-radix",
    summary: "LSD radix sort a segment, 8 bits a pass, between two buffers (as CUB)",
    stable: true,
    scratch: Scratch::Always,
    cost: Cost::Linear,
    accepts: accept_all,
    sort_segment: |digis, scratch, parts| {
        if parts == 1 {
            radix::sort(digis, scratch)
        } else {
            radix::sort_in_parts(digis, scratch, parts)
        }
    },
};
