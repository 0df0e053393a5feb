// launch bounds: 256, 4
#include "block_merge.h"

using Sort = BlockMerge<256, 11>;

CHECK_SHAPE(BLOCK_MERGE_256_SHAPE, 256, Sort::Shared)
KERNEL(256)
sort_block_merge_256x11(u64* digis, u64* scratch, const u64* offsets, LOCAL_MEMORY(Sort::Shared) shared) {
    Sort::sort_segment(THIS_ITEM, digis, scratch, offsets, shared);
}
