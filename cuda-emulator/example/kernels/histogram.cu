// Number of occurrences of each byte value. The second kernel has a bug that most runs on a GPU
// don't show: it reads the counts of other threads before they are complete.
#include "portable.h"

extern "C" __global__ void __launch_bounds__(256) histogram(const u8* bytes, u32 count, u32* counts) {
    __shared__ u32 own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[bytes[i]], 1u);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
KERNEL_EXPORT(histogram)

extern "C" __global__ void __launch_bounds__(256) hasty_histogram(const u8* bytes, u32 count, u32* counts) {
    __shared__ u32 own[256];
    own[threadIdx.x] = 0;
    __syncthreads();
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[bytes[i]], 1u);
    atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
KERNEL_EXPORT(hasty_histogram)
