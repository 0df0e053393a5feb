// Copies of a few bytes between the device and page-locked memory of the host, which kernels reach
// over the link: see device/gpu/small_copies.rs.
#include "portable.h"

namespace {

constexpr u32 THREADS = 256;

}  // namespace

// A word for each thread if both addresses and the length are multiples of words; else a byte at a
// time, by the same number of threads.
extern "C" __global__ void __launch_bounds__(THREADS) copy_few(u8* to, const u8* from, u32 bytes) {
    const u32 own = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    if (((u64)to | (u64)from | bytes) % sizeof(u32) == 0) {
        u32* words = reinterpret_cast<u32*>(to);
        for (u32 i = own; i < bytes / sizeof(u32); i += threads) words[i] = reinterpret_cast<const u32*>(from)[i];
    } else {
        for (u32 i = own; i < bytes; i += threads) to[i] = from[i];
    }
}
KERNEL_EXPORT(copy_few)
