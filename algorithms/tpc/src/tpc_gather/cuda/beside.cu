// Work that keeps all multiprocessors busy without memory: to measure how much concurrent kernels
// slow it down.
#include "portable.h"

namespace {

constexpr u32 THREADS = 256;
// Multiplications and additions of a thread: few, so that blocks finish soon and others can start
// at any time.
constexpr u32 STEPS = 20000;

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS) gather_beside_compute(float* results) {
    const u32 thread = blockIdx.x * THREADS + threadIdx.x;
    float sum = (float)thread;
    for (u32 i = 0; i < STEPS; i++) sum = sum * 0.999f + 1.0f;
    results[thread] = sum;
}
KERNEL_EXPORT(gather_beside_compute)
