//! Radix sort of each segment, as CUB's `DeviceSegmentedRadixSort` does it.

use super::{Cost, Scratch, radix, sort_segments};
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;

/// Least significant digit first, between two buffers.
pub(super) const SEGMENTED_RADIX: Variant<StsSort> = Variant::cpu(
    "segmented-radix",
    "LSD radix sort a segment, 8 bits a pass, between two buffers (as CUB)",
    |at| {
        sort_segments(
            at,
            Scratch::Always,
            Cost::Linear,
            |digis, scratch, parts| {
                if parts == 1 {
                    radix::sort(digis, scratch)
                } else {
                    radix::sort_in_parts(digis, scratch, parts)
                }
            },
        )
    },
);
