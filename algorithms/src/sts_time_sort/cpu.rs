//! Sorting whole timeslices by time, on the host.

use super::StsTimeSort;
use crate::algorithm::Variant;
use crate::std_sort;
use crate::sts_sort::cpu::parts::Cost;
use crate::sts_sort::cpu::segments::{Scratch, sort_by_parts, sort_segments};
use crate::sts_sort::cpu::{peers, radix, sort_by_time};
use crate::sts_sort::order::ByTime;

pub(super) const VARIANTS: &[Variant<StsTimeSort>] = &[
    Variant::cpu(
        "cpp-std-sort",
        "published: std::sort of C++; with several threads in parts, which are merged",
        |at| {
            std_sort::available()?;
            sort_by_parts!(at, ByTime, std_sort::sort_digis_by_time)
        },
    )
    .unstable(),
    Variant::cpu("std-stable", "Rust's slice::sort_by_key; parts are merged", |at| {
        sort_by_parts!(at, ByTime, |part| part.sort_by_key(|digi| digi.time_ns()))
    }),
    Variant::cpu("std-unstable", "Rust's slice::sort_unstable_by_key; parts are merged", |at| {
        sort_by_parts!(at, ByTime, |part| part.sort_unstable_by_key(|digi| digi.time_ns()))
    })
    .unstable(),
    Variant::cpu(
        "lsd-radix",
        "radix sort, least significant digit first, 8 bits a pass, between two buffers",
        |at| sort_segments(at, Scratch::Always, Cost::Linear, radix::sort_segment::<ByTime>),
    ),
    Variant::cpu("rdst", "peer: the crate rdst, a timeslice at a time", |at| {
        sort_segments(at, Scratch::Never, Cost::Linear, peers::rdst::<ByTime>)
    })
    .unstable(),
    Variant::cpu(
        "time-bucket",
        "ours: a scatter by coarse time, and one within each bucket, in the first-level cache",
        |at| sort_segments(at, Scratch::Always, Cost::Linear, sort_by_time),
    ),
];
