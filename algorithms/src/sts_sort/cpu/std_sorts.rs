//! The standard library's sorts.

use super::segments::sort_by_parts;
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;

/// `slice::sort_by_key` (driftsort) for each segment; segments in parts are
/// merged.
pub(super) const STD_STABLE: Variant<StsSort> =
    Variant::cpu("std-stable", "Rust's slice::sort_by_key a segment", |at| {
        sort_by_parts!(at, |part| {
            part.sort_by_key(|digi| digi.key());
        })
    });

/// `slice::sort_unstable_by_key` (ipnsort) for each segment; segments in parts
/// are merged. What CBM's CPU code does, in Rust.
pub(super) const STD_UNSTABLE: Variant<StsSort> =
    Variant::cpu("std-unstable", "Rust's slice::sort_unstable_by_key a segment", |at| {
        sort_by_parts!(at, |part| {
            part.sort_unstable_by_key(|digi| digi.key());
        })
    })
    .unstable();
