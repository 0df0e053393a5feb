//! A peer: the crate `voracious_radix_sort`.

use std::cmp::Ordering;

use bytemuck::TransparentWrapper;
use generators::sts::Digi;
use voracious_radix_sort::{RadixSort, Radixable};

use super::parts::sort_parts;
use super::{Cost, Scratch, sort_segments};
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;

/// Its unstable sort on the very same 8-byte records.
pub(super) const VORACIOUS: Variant<StsSort> = Variant::cpu(
    "voracious",
    "peer: the crate voracious_radix_sort, unstable, a segment at a time",
    |at| {
        sort_segments(
            at,
            Scratch::WhenSplit,
            Cost::LogLinear,
            |digis, scratch, parts| {
                sort_parts(digis, scratch, parts, |part| {
                    Record::wrap_slice_mut(part).voracious_sort();
                })
            },
        )
    },
)
.unstable();

/// The sort that it calls stable, on the very same 8-byte records. With many
/// equal keys it is not (seen with version 1.2.0), so it is not checked for that.
pub(super) const VORACIOUS_STABLE: Variant<StsSort> = Variant::cpu(
    "voracious-stable",
    "peer: what the crate voracious_radix_sort calls stable, a segment at a time",
    |at| {
        sort_segments(
            at,
            Scratch::WhenSplit,
            Cost::LogLinear,
            |digis, scratch, parts| {
                sort_parts(digis, scratch, parts, |part| {
                    Record::wrap_slice_mut(part).voracious_stable_sort();
                })
            },
        )
    },
)
.unstable();

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
