// launch bounds: 512, 2
// Counters as ports of Allen have them: objects of a class that wraps atomics of any memory.
#define ATOMICS_OF_A_CLASS
#include "segmented_radix.h"

CHECK_SHAPE(SEGMENTED_RADIX_SHAPE, segmented_radix::THREADS, segmented_radix::Shared)
KERNEL(segmented_radix::THREADS)
sort_segmented_radix_atomics(const u64* from, u64* to, const u64* offsets, u32 shift, u32 bits,
                             LOCAL_MEMORY(segmented_radix::Shared) shared) {
    segmented_radix::sort_pass(THIS_ITEM, from, to, offsets, shift, bits, shared);
}
