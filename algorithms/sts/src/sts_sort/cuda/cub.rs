//! Placeholders of CUB's sorts, which come from a plugin: see `algorithms/cub`.

use crate::sts_sort::StsSort;
use tasks::algorithm::Variant;
use tasks::plugin_session::of_baseline;

/// Names and summaries of `algorithms/cub`.
pub(in crate::sts_sort) const CUB: [Variant<StsSort>; 6] = [
    of_baseline("cub-segmented-keys", "CUB DeviceSegmentedSort::SortKeys, a whole digi as the key")
        .unstable(),
    of_baseline(
        "cub-segmented-pairs",
        "CUB DeviceSegmentedSort::StableSortPairs, channel and time as the key",
    ),
    of_baseline(
        "cub-segmented-keys-published",
        "published: CUB DeviceSegmentedSort::SortKeys, separate arrays, drops the address",
    )
    .unstable(),
    of_baseline(
        "cub-segmented-pairs-published",
        "published: CUB DeviceSegmentedSort::StableSortPairs, whole digis as values, separate arrays",
    ),
    of_baseline("cub-segmented-radix", "CUB DeviceSegmentedRadixSort::SortKeys, 42 of 64 bits"),
    of_baseline(
        "cub-radix-composite",
        "CUB DeviceRadixSort::SortKeys by segment, channel and time; drops the address",
    ),
];

#[cfg(test)]
mod tests;
