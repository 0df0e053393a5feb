// Sums of each value and its two neighbours in the block, formed twice in shared memory.
#include "portable.h"

namespace {
constexpr u32 THREADS = 128;
constexpr u32 ROUNDS = 2;

template <bool HAS_BARRIER> __device__ void add_neighbours(u32* values) {
    __shared__ u32 tile[THREADS];
    const u32 t = threadIdx.x, left = (t + THREADS - 1) % THREADS, right = (t + 1) % THREADS;
    tile[t] = values[blockIdx.x * THREADS + t];
    __syncthreads();
    for (u32 round = 0; round < ROUNDS; round++) {
        const u32 sum = tile[left] + tile[t] + tile[right];
        // Without this barrier, a neighbour may read the new sum instead of the old one.
        if (HAS_BARRIER) __syncthreads();
        tile[t] = sum;
        __syncthreads();
    }
    values[blockIdx.x * THREADS + t] = tile[t];
}
}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS) neighbour_sums(u32* values) {
    add_neighbours<true>(values);
}
KERNEL_EXPORT(neighbour_sums, NeighbourSums)

extern "C" __global__ void __launch_bounds__(THREADS) neighbour_sums_racy(u32* values) {
    add_neighbours<false>(values);
}
KERNEL_EXPORT(neighbour_sums_racy, NeighbourSums)
