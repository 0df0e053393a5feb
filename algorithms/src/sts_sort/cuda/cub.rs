//! The places of CUB's sorts, which come from a plugin: see `algorithms/cub`.

use generators::sts::SegmentedDigis;

use crate::algorithm::{Prepared, Unavailable, Variant};
use crate::device::{Arena, Backend, Place};
use crate::plugin::baseline;
use crate::sts_sort::StsSort;

/// A variant that the plugin has, and that is listed without it, too.
pub(in crate::sts_sort) struct CubSort {
    pub(in crate::sts_sort) name: &'static str,
    summary: &'static str,
    stable: bool,
}

/// As `algorithms/cub` has them.
pub(in crate::sts_sort) static CUB: [CubSort; 4] = [
    CubSort {
        name: "cub-segmented-keys",
        summary: "CUB DeviceSegmentedSort::SortKeys, a whole digi as the key",
        stable: false,
    },
    CubSort {
        name: "cub-segmented-pairs",
        summary: "CUB DeviceSegmentedSort::StableSortPairs, channel and time as the key",
        stable: true,
    },
    CubSort {
        name: "cub-segmented-radix",
        summary: "CUB DeviceSegmentedRadixSort::SortKeys, 42 of 64 bits",
        stable: true,
    },
    CubSort {
        name: "cub-radix-composite",
        summary: "CUB DeviceRadixSort::SortKeys by segment, channel and time; drops the address",
        stable: true,
    },
];

impl Variant<StsSort> for CubSort {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        self.summary
    }

    fn backend(&self) -> Backend {
        Backend::Cuda
    }

    fn stable(&self) -> bool {
        self.stable
    }

    fn missing(&self) -> Option<&'static str> {
        Some(baseline::why_missing())
    }

    fn prepare<'a>(
        &self,
        _: &'a SegmentedDigis,
        _: &'a Arena,
        _: &Place<'_>,
    ) -> Result<Box<dyn Prepared<StsSort> + 'a>, Unavailable> {
        Err(Unavailable(baseline::why_missing().to_owned()))
    }
}

#[cfg(test)]
mod tests;
