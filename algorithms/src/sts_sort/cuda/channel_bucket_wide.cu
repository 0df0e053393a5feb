// Sorting by distribution, segments that fit into nearly all shared memory of a multiprocessor: up to
// twice as many digis as in `channel_bucket.cu`, which are read twice and written once, and not moved to
// groups before.
#include "channel_bucket/wide_block.h"
#include "channel_bucket/segment.h"

// Sorts such segments in place, but for those of which many digis have nearly the same time: these are
// listed. A block a segment.
extern "C" __global__ void __launch_bounds__(THREADS, 1)
    channel_bucket_wide(u64* digis, const Range* segments, RangeList* crowded) {
    SMEM_DYN(Sorting, shared);
    sort_segment(digis, segments, crowded, *shared);
}
KERNEL_EXPORT(channel_bucket_wide)
KERNEL_SHARED(channel_bucket_wide, Sorting)
