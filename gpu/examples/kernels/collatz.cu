// Collatz sequences: a step is x / 2 if x is even, and 3 x + 1 if it is odd.
#include "portable.h"

namespace {
constexpr u32 THREADS = 256;

__device__ u32 next(u32 x) { return x % 2 == 0 ? x / 2 : 3 * x + 1; }
}  // namespace

// One step of each value.
extern "C" __global__ void __launch_bounds__(THREADS) collatz_step(u32* values, u32 count) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) values[i] = next(values[i]);
}
KERNEL_EXPORT(collatz_step)

// Number of steps from each start to 1.
extern "C" __global__ void __launch_bounds__(THREADS)
    collatz_lengths(const u32* starts, u32* lengths, u32 count) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    u32 steps = 0;
    for (u32 x = starts[i]; x > 1; x = next(x)) steps++;
    lengths[i] = steps;
}
KERNEL_EXPORT(collatz_lengths)
