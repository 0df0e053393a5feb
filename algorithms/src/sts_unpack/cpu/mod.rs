//! Unpacking on the host, and optionally sorting by time: one algorithm for each variant.
//!
//! | module | holds |
//! |---|---|
//! | `runner` | survey of descriptors, then unpacking by one of the algorithms |
//! | `microslice` | message by message |
//! | `published` | a microslice at a time into a list of its own, which are copied together |
//! | `simd` | ours: once, by wide instructions, with parts placed in their order |

mod microslice;
mod published;
mod runner;
mod simd;

use generators::sts::Digi;

use super::order::{DigiOrder, partition};
use super::{RawTimeslices, StsUnpack};
use crate::algorithm::{PrepareResult, Variant, VariantContext};
use crate::std_sort;
use crate::sts_sort::cpu::parts::{Cost, sort_parts};
use crate::sts_sort::cpu::segments::SegmentSort;
use crate::sts_sort::cpu::sort_by_time;
use crate::sts_sort::order::ByTime;
use crate::timing::Laps;
use runner::HostRunner;

pub(crate) use runner::{HostBuffers, Unpack, UnpackInput, unpack};
pub(crate) use simd::{capacity_for, even_parts, messages_of, unpack_part};

/// Variants that chains begin with.
pub(crate) const PUBLISHED: Unpack = published::unpack;
pub(crate) const SIMD: Unpack = simd::unpack;

/// `std::sort`, in parts that are merged where there are threads for them.
const BY_STD_SORT: SegmentSort = SegmentSort {
    sort: |digis, scratch, parts| {
        sort_parts::<ByTime>(digis, scratch, parts, std_sort::sort_digis_by_time)
    },
    cost: Cost::LogLinear,
};
/// By recobench's sort by time.
const BY_BUCKETS: SegmentSort = SegmentSort { sort: sort_by_time, cost: Cost::Linear };

pub(super) const VARIANTS: &[Variant<StsUnpack>] = &[
    Variant::cpu(
        "published",
        "a list of digis for each microslice, copied together at the end, as the experiment on a CPU",
        open_published,
    )
    .by_published_rules(),
    Variant::cpu(
        "simd",
        "ours: tables by a hit's own bits, 16 messages at a time with AVX-512; parts are placed \
         one behind the other, past the caches",
        |at| at.session(HostRunner::new(at, simd::unpack, BY_BUCKETS)),
    )
    .by_published_rules(),
];

/// The digis of raw data that are wanted by time, as `simd` has them, in buffers for these data.
pub(crate) fn by_time<'h>(
    input: &RawTimeslices,
    buffers: &'h mut HostBuffers<'_>,
    threads: usize,
) -> &'h [Digi] {
    let timeslices = partition(&buffers.unpack(input, simd::unpack, &mut Laps::default()));
    buffers.sort(&timeslices, BY_BUCKETS, threads);
    &buffers.digis()[..timeslices.elements()]
}

/// `std::sort` is missed only where digis are sorted.
fn open_published<'a>(at: &VariantContext<'a, '_, StsUnpack>) -> PrepareResult<'a, StsUnpack> {
    if at.input.order() == DigiOrder::Time {
        std_sort::available()?;
    }
    at.session(HostRunner::new(at, published::unpack, BY_STD_SORT))
}
