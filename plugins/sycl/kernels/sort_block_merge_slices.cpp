// launch bounds: 512, 2
// Slices of a global buffer instead of local memory, as ports of Allen have them.
#include "block_merge.h"

using Sort = BlockMerge<512, 11>;

static_assert(BLOCK_MERGE_SLICES_SHAPE.threads == 512 && BLOCK_MERGE_SLICES_SHAPE.local_bytes == 0, "see launch.h");
static_assert(sizeof(Sort::Shared) == BLOCK_MERGE_SHAPE.local_bytes, "the host's slices");
KERNEL(512)
sort_block_merge_slices(u64* digis, u64* scratch, const u64* offsets, Sort::Shared* slices) {
    Sort::sort_segment(THIS_ITEM, digis, scratch, offsets, slices[group_of(THIS_ITEM)]);
}
