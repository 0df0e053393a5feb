//! A peer: the crate `voracious_radix_sort`.

use std::cmp::Ordering;

use bytemuck::TransparentWrapper;
use generators::sts::Digi;
use voracious_radix_sort::{RadixSort, Radixable};

use super::parts::sort_parts;
use super::{Cost, CpuSort, Scratch, accept_all};

/// Its unstable sort on the very same 8-byte records.
pub(in crate::sts_sort) static VORACIOUS: CpuSort = CpuSort {
    name: "voracious",
    summary: "peer: the crate voracious_radix_sort, unstable, a segment at a time",
    stable: false,
    scratch: Scratch::WhenSplit,
    cost: Cost::LogLinear,
    accepts: accept_all,
    sort_segment: |digis, scratch, parts| {
        sort_parts(digis, scratch, parts, |part| {
            Record::wrap_slice_mut(part).voracious_sort();
        })
    },
};

/// The sort that it calls stable, on the very same 8-byte records. With many
/// equal keys it is not (seen with version 1.2.0), so it is not checked for that.
pub(in crate::sts_sort) static VORACIOUS_STABLE: CpuSort = CpuSort {
    name: "voracious-stable",
    summary: "peer: what the crate voracious_radix_sort calls stable, a segment at a time",
    stable: false,
    scratch: Scratch::WhenSplit,
    cost: Cost::LogLinear,
    accepts: accept_all,
    sort_segment: |digis, scratch, parts| {
        sort_parts(digis, scratch, parts, |part| {
            Record::wrap_slice_mut(part).voracious_stable_sort();
        })
    },
};

#[derive(Clone, Copy, TransparentWrapper)]
#[repr(transparent)]
struct Record(Digi);

impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.0.key() == other.0.key()
    }
}

impl PartialOrd for Record {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.0.key().cmp(&other.0.key()))
    }
}

impl Radixable<u64> for Record {
    type Key = u64;

    #[inline]
    fn key(&self) -> u64 {
        self.0.key()
    }
}
