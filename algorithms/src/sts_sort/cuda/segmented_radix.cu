// Radix sort of each segment, least significant digit first, as CUB's
// DeviceSegmentedRadixSort does it: a block counts the digits of its segment,
// and then distributes it tile by tile, in every pass.
//
// Dynamic shared memory: a tile (32 KiB) and the counts (19 KiB with 32 lanes).
#include "segmented_radix/pass.h"

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    segmented_radix_pass(const u64* from, u64* to, const u32* segment_offsets, u32 shift, u32 bits) {
    SMEM_DYN(Shared, shared_memory);
    sort_pass(from, to, segment_offsets, shift, bits, *shared_memory);
}
KERNEL_EXPORT(segmented_radix_pass, SegmentedRadixPass)
KERNEL_SHARED(segmented_radix_pass, Shared)
