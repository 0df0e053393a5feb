//! The standard library's stable sort.

use super::parts::sort_parts;
use super::{Cost, Scratch, sort_segments};
use crate::algorithm::Variant;
use crate::sts_sort::StsSort;

/// `slice::sort_by_key` (driftsort) for each segment; segments in parts are
/// merged.
pub(super) const STD_STABLE: Variant<StsSort> =
    Variant::cpu("std-stable", "Rust's slice::sort_by_key a segment", |at| {
        sort_segments(
            at,
            Scratch::WhenSplit,
            Cost::LogLinear,
            |digis, scratch, parts| {
                sort_parts(digis, scratch, parts, |part| {
                    part.sort_by_key(|digi| digi.key());
                })
            },
        )
    });
