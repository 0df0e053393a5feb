//! Sorts of libraries: of the standard libraries of Rust and C++, and crates that sort the very
//! same 8-byte records by radix.

use std::cmp::Ordering;

use bytemuck::TransparentWrapper;
use generators_sts::Digi;
use rdst::{RadixKey, RadixSort as _};
use voracious_radix_sort::{RadixSort as _, Radixable};

use super::ResultIn;
use super::parts::Cost;
use super::segments::{Scratch, sort_by_parts, sort_segments};
use crate::std_sort;
use crate::sts_sort::StsSort;
use crate::sts_sort::order::ByChannelAndTime;
use tasks::algorithm::Variant;

/// `slice::sort_by_key` (driftsort) for each segment; segments in parts are
/// merged.
pub(super) const STD_STABLE: Variant<StsSort> =
    Variant::cpu("std-stable", "Rust's slice::sort_by_key a segment", |at| {
        sort_by_parts!(at, ByChannelAndTime, |part| {
            part.sort_by_key(|digi| digi.key());
        })
    });

/// `slice::sort_unstable_by_key` (ipnsort) for each segment; segments in parts
/// are merged.
pub(super) const STD_UNSTABLE: Variant<StsSort> =
    Variant::cpu("std-unstable", "Rust's slice::sort_unstable_by_key a segment", |at| {
        sort_by_parts!(at, ByChannelAndTime, |part| {
            part.sort_unstable_by_key(|digi| digi.key());
        })
    })
    .unstable();

/// `std::sort` for each segment, by one thread whatever its size, as in CBM's CPU code.
pub(super) const STD_SORT: Variant<StsSort> = Variant::cpu(
    "cpp-std-sort",
    "published: std::sort of C++, a thread a segment, as CBM's CPU code does",
    |at| {
        std_sort::available()?;
        sort_segments(at, Scratch::Never, Cost::LogLinear, |digis, _, _| {
            std_sort::sort_by_key(digis);
            ResultIn::Digis
        })
    },
)
.unstable();

/// `rdst` with its single-threaded tuner; for
/// large segments, where threads are idle, with its parallel algorithms.
pub(super) const RDST: Variant<StsSort> =
    Variant::cpu("rdst", "peer: the crate rdst, a segment at a time", |at| {
        sort_segments(at, Scratch::Never, Cost::Linear, |digis, _, parts| {
            let mut records = Record::wrap_slice_mut(digis).radix_sort_builder();
            if parts == 1 {
                records = records.with_parallel(false).with_single_threaded_tuner();
            }
            records.sort();
            ResultIn::Digis
        })
    })
    .unstable();

/// The unstable sort of `voracious_radix_sort`.
pub(super) const VORACIOUS: Variant<StsSort> = Variant::cpu(
    "voracious",
    "peer: the crate voracious_radix_sort, unstable, a segment at a time",
    |at| {
        sort_by_parts!(at, ByChannelAndTime, |part| {
            Record::wrap_slice_mut(part).voracious_sort();
        })
    },
)
.unstable();

/// The sort that `voracious_radix_sort` calls stable. With many equal keys it is not (seen with
/// version 1.2.0), so its stability is not checked.
pub(super) const VORACIOUS_STABLE: Variant<StsSort> = Variant::cpu(
    "voracious-stable",
    "peer: what the crate voracious_radix_sort calls stable, a segment at a time",
    |at| {
        sort_by_parts!(at, ByChannelAndTime, |part| {
            Record::wrap_slice_mut(part).voracious_stable_sort();
        })
    },
)
.unstable();

/// A digi as the record type of these libraries.
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

impl RadixKey for Record {
    const LEVELS: usize = (Digi::KEY_BITS as usize).div_ceil(8);

    #[inline]
    fn get_level(&self, level: usize) -> u8 {
        (self.0.key() >> (8 * level)) as u8
    }
}
