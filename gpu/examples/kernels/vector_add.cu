// The sum of two vectors.
#include "portable.h"

namespace {
constexpr u32 THREADS = 128;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    vector_add(const float* x, const float* y, float* z, u32 count) {
    const u32 i = blockIdx.x * THREADS + threadIdx.x;
    if (i < count) z[i] = x[i] + y[i];
}
KERNEL_EXPORT(vector_add)
