//! The sorts of standard libraries: Rust's and that of C++.

use super::parts::Cost;
use super::scratch::Scratch;
use super::segments::{sort_by_parts, sort_segments};
use super::two_arrays::ResultIn;
use crate::algorithm::Variant;
use crate::std_sort;
use crate::sts_sort::StsSort;
use crate::sts_sort::order::ByChannelAndTime;

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
