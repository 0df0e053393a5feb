// launch bounds: 512, 2
// Votes as ports of Allen write them: a sum of shifted bits over the sub-group.
#define VOTES_AS_SUMS
#include "block_merge.h"

using Sort = BlockMerge<512, 11>;

CHECK_SHAPE(BLOCK_MERGE_SHAPE, 512, Sort::Shared)
KERNEL(512)
sort_block_merge_votes(u64* digis, u64* scratch, const u64* offsets, LOCAL_MEMORY(Sort::Shared) shared) {
    Sort::sort_segment(THIS_ITEM, digis, scratch, offsets, shared);
}
