// Digis in slots, one per message of their microslices, are copied to a contiguous array: their
// offsets first, by one scan over all microslices, then a block copies those of a microslice. As
// published, each block adds up the counts before its own, which is as fast with few microslices
// and grows as the square of their number.
#include "scan.h"
#include "raw.h"

namespace {

constexpr u32 THREADS = 512;

}  // namespace

// Offset of the digis of each microslice. A thread per microslice; `states` are 0 before.
extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_places(const Counts* counts, u32 job_count, u64* states, u32* offsets) {
    __shared__ u32 warp_sums[LANES];
    __shared__ u32 before_block;
    const u32 number = blockIdx.x * THREADS + threadIdx.x;
    const u32 digi_count = number < job_count ? counts[number].digis : 0;
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(digi_count, warp_sums, total);
    if (threadIdx.x < LANES) {
        const u32 sum = sum_before(states, blockIdx.x, total);
        if (threadIdx.x == 0) before_block = sum;
    }
    __syncthreads();
    if (number < job_count) offsets[number] = before_block + before;
}
KERNEL_EXPORT(unpack_places)

// Copies the digis of a microslice. A block per microslice.
extern "C" __global__ void __launch_bounds__(THREADS)
    unpack_copy_out(const Counts* counts, const u32* first_slots, const u32* offsets, const u64* slots, u64* digis) {
    const u64* from = slots + first_slots[blockIdx.x];
    u64* to = digis + offsets[blockIdx.x];
    for (u32 i = threadIdx.x; i < counts[blockIdx.x].digis; i += THREADS) to[i] = from[i];
}
KERNEL_EXPORT(unpack_copy_out)
