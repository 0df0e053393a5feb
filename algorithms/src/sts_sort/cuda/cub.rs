//! The places of CUB's sorts, which come from a plugin: see `algorithms/cub`.

use crate::plugin::baseline::BaselineVariant;

/// As `algorithms/cub` has them.
pub(in crate::sts_sort) static CUB: [BaselineVariant; 4] = [
    BaselineVariant {
        name: "cub-segmented-keys",
        summary: "CUB DeviceSegmentedSort::SortKeys, a whole digi as the key",
        stable: false,
    },
    BaselineVariant {
        name: "cub-segmented-pairs",
        summary: "CUB DeviceSegmentedSort::StableSortPairs, channel and time as the key",
        stable: true,
    },
    BaselineVariant {
        name: "cub-segmented-radix",
        summary: "CUB DeviceSegmentedRadixSort::SortKeys, 42 of 64 bits",
        stable: true,
    },
    BaselineVariant {
        name: "cub-radix-composite",
        summary: "CUB DeviceRadixSort::SortKeys by segment, channel and time; drops the address",
        stable: true,
    },
];

#[cfg(test)]
mod tests;
