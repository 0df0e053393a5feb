// Sorting by distribution, by blocks that have nearly all shared memory of a multiprocessor, and so
// take twice the digis that those in `channel_bucket.cu` take.
//
// Segments that fit are read twice and written once, and not moved to groups before. Regions whose
// groups would be written in short runs, because they are many, have half the number of groups.
#include "channel_bucket/segment.h"

namespace {

using WideByAllBits = BlockSort<WIDE_THREADS, false>;
using WideByArrival = BlockSort<WIDE_THREADS, true>;

}  // namespace

KERNEL_INSTANCE(channel_bucket_wide, SortSegments, (WIDE_THREADS, WIDE_BLOCKS), sort_segments<WideByAllBits>)
KERNEL_SHARED(channel_bucket_wide, Sorting<WideByAllBits>)
KERNEL_INSTANCE(channel_bucket_sort_wide, SortGroups, (WIDE_THREADS, WIDE_BLOCKS), sort_channels<WideByAllBits>)
KERNEL_SHARED(channel_bucket_sort_wide, Sorting<WideByAllBits>)
KERNEL_INSTANCE(channel_bucket_overfull_wide, SortCrowded, (WIDE_THREADS, WIDE_BLOCKS), sort_all_overfull<WideByAllBits>)
KERNEL_SHARED(channel_bucket_overfull_wide, Overfull<WideByAllBits>)

KERNEL_INSTANCE(channel_bucket_wide_stable, SortSegments, (WIDE_THREADS, WIDE_BLOCKS), sort_segments<WideByArrival>)
KERNEL_SHARED(channel_bucket_wide_stable, Sorting<WideByArrival>)
KERNEL_INSTANCE(channel_bucket_sort_wide_stable, SortGroups, (WIDE_THREADS, WIDE_BLOCKS), sort_channels<WideByArrival>)
KERNEL_SHARED(channel_bucket_sort_wide_stable, Sorting<WideByArrival>)
KERNEL_INSTANCE(channel_bucket_overfull_wide_stable, SortCrowded, (WIDE_THREADS, WIDE_BLOCKS), sort_all_overfull<WideByArrival>)
KERNEL_SHARED(channel_bucket_overfull_wide_stable, Overfull<WideByArrival>)
