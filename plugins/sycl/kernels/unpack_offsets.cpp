// launch bounds: 512, 1
#include "copy_out.h"

CHECK_SHAPE(UNPACK_OFFSETS_SHAPE, copy_out::THREADS, copy_out::Shared)
KERNEL(copy_out::THREADS)
unpack_offsets(const Counts* counts, u32 microslice_count, u64* states, u32* offsets,
               LOCAL_MEMORY(copy_out::Shared) shared) {
    copy_out::find_offsets(THIS_ITEM, counts, microslice_count, states, offsets, shared);
}
