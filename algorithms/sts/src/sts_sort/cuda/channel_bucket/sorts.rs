//! The kernels that sort in shared memory, by the order of digis with the same key.

use portable_gpu::Kernel;

use crate::kernels::sts_sort_channel_bucket::{
    CHANNEL_BUCKET_OVERFULL, CHANNEL_BUCKET_OVERFULL_STABLE, CHANNEL_BUCKET_SMALL,
    CHANNEL_BUCKET_SMALL_STABLE, CHANNEL_BUCKET_SORT, CHANNEL_BUCKET_SORT_STABLE,
    CHANNEL_BUCKET_SORT_TIMES, CHANNEL_BUCKET_SORT_TIMES_STABLE, SortCrowded, SortGroups,
    SortSegments, SortTimes,
};
use crate::kernels::sts_sort_channel_bucket_wide::{
    CHANNEL_BUCKET_OVERFULL_WIDE, CHANNEL_BUCKET_OVERFULL_WIDE_STABLE, CHANNEL_BUCKET_SORT_WIDE,
    CHANNEL_BUCKET_SORT_WIDE_STABLE, CHANNEL_BUCKET_WIDE, CHANNEL_BUCKET_WIDE_STABLE,
};

/// A set of kernels; sets are interchangeable.
#[derive(Clone, Copy)]
pub(super) struct Sorts {
    /// Segments that fit.
    pub(super) small: &'static Kernel<SortSegments>,
    /// Segments that fit into the shared memory of a multiprocessor.
    pub(super) wide: &'static Kernel<SortSegments>,
    /// Groups of channels that fit.
    pub(super) groups: &'static Kernel<SortGroups>,
    /// Groups of channels that fit into the shared memory of a multiprocessor.
    pub(super) wide_groups: &'static Kernel<SortGroups>,
    /// Groups of times of a channel.
    pub(super) times: &'static Kernel<SortTimes>,
    /// For ranges with too many digis of nearly the same time for the other kernels.
    pub(super) crowded: &'static Kernel<SortCrowded>,
    /// For crowded ranges that fit into the shared memory of a multiprocessor.
    pub(super) wide_crowded: &'static Kernel<SortCrowded>,
}

/// Digis with the same key are ordered by their other bits.
pub(super) static BY_ALL_BITS: Sorts = Sorts {
    small: &CHANNEL_BUCKET_SMALL,
    wide: &CHANNEL_BUCKET_WIDE,
    groups: &CHANNEL_BUCKET_SORT,
    wide_groups: &CHANNEL_BUCKET_SORT_WIDE,
    times: &CHANNEL_BUCKET_SORT_TIMES,
    crowded: &CHANNEL_BUCKET_OVERFULL,
    wide_crowded: &CHANNEL_BUCKET_OVERFULL_WIDE,
};

/// Digis with the same key keep their order.
pub(super) static BY_ARRIVAL: Sorts = Sorts {
    small: &CHANNEL_BUCKET_SMALL_STABLE,
    wide: &CHANNEL_BUCKET_WIDE_STABLE,
    groups: &CHANNEL_BUCKET_SORT_STABLE,
    wide_groups: &CHANNEL_BUCKET_SORT_WIDE_STABLE,
    times: &CHANNEL_BUCKET_SORT_TIMES_STABLE,
    crowded: &CHANNEL_BUCKET_OVERFULL_STABLE,
    wide_crowded: &CHANNEL_BUCKET_OVERFULL_WIDE_STABLE,
};
