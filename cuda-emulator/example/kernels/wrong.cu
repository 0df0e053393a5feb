// Kernels with one bug each: the emulator must find it, in the line marked BUG or in the
// one that it meets. Not an example to follow.
#include "portable.h"

extern "C" __global__ void emulator_no_syncthreads(u32* out) {
    __shared__ u32 shared[1024];
    const u32 t = threadIdx.x;
    shared[t] = t;
    // BUG: nothing orders the writes of other warps.
    out[blockIdx.x * blockDim.x + t] = shared[(t + LANES) % blockDim.x];
}
KERNEL_EXPORT(emulator_no_syncthreads)

extern "C" __global__ void emulator_no_syncwarp(u32* out) {
    SMEM_DYN(u32, shared);
    const u32 t = threadIdx.x;
    shared[t] = t;
    // BUG: a vote orders no memory.
    if (__all_sync(FULL_MASK, 1)) {
        out[blockIdx.x * blockDim.x + t] = shared[t ^ 1];
    }
}
KERNEL_EXPORT(emulator_no_syncwarp)

extern "C" __global__ void emulator_block_race(u32* out) {
    // BUG: all blocks write the same.
    out[threadIdx.x] = blockIdx.x;
}
KERNEL_EXPORT(emulator_block_race)

// Publishes data to the next block without a release.
extern "C" __global__ void emulator_no_release(u32* out, u32* flags) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x > 0) {
        while (load_acquire(&flags[blockIdx.x - 1]) == 0) __nanosleep(20);
        out[blockIdx.x] = out[blockIdx.x - 1] + 1;
    } else {
        out[0] = 0;
    }
    // BUG: the data need not be there when the flag is.
    store_relaxed(&flags[blockIdx.x], 1u);
}
KERNEL_EXPORT(emulator_no_release)

extern "C" __global__ void emulator_divergent_shuffle(u32* out) {
    const u32 t = threadIdx.x;
    u32 value = t;
    // BUG: half of the lanes don't come.
    if (t % 2 == 0) value = __shfl_down_sync(FULL_MASK, value, 2);
    __syncthreads();
    out[t] = value;
}
KERNEL_EXPORT(emulator_divergent_shuffle)

extern "C" __global__ void emulator_divergent_barrier(u32* out) {
    // BUG: the first thread of each warp waits elsewhere.
    if (threadIdx.x % LANES != 0) __syncthreads();
    out[threadIdx.x] = __ballot_sync(FULL_MASK, 1) != 0;
}
KERNEL_EXPORT(emulator_divergent_barrier)

extern "C" __global__ void emulator_unequal_collectives(u32* out) {
    const lanemask_t odd = __ballot_sync(FULL_MASK, threadIdx.x % 2);
    // BUG: lanes of one mask do different things.
    out[threadIdx.x] = threadIdx.x % 2 ? __any_sync(FULL_MASK, odd != 0) : __shfl_sync(FULL_MASK, 1, 0);
}
KERNEL_EXPORT(emulator_unequal_collectives)

extern "C" __global__ void emulator_uninitialised_shared(u32* out) {
    __shared__ u32 counts[1024];
    // BUG: never set to zero.
    atomicAdd(&counts[threadIdx.x], 1u);
    out[threadIdx.x] = counts[threadIdx.x];
}
KERNEL_EXPORT(emulator_uninitialised_shared)

extern "C" __global__ void emulator_uninitialised_dynamic(u32* out) {
    SMEM_DYN(u32, shared);
    if (threadIdx.x != 0) shared[threadIdx.x] = 1;
    __syncthreads();
    // BUG: element 0 is not initialised.
    out[blockIdx.x * blockDim.x + threadIdx.x] = shared[threadIdx.x];
}
KERNEL_EXPORT(emulator_uninitialised_dynamic)

extern "C" __global__ void emulator_uninitialised_global(const u32* in, u32* out) {
    // BUG: the host has written nothing there.
    out[threadIdx.x] = in[threadIdx.x];
}
KERNEL_EXPORT(emulator_uninitialised_global)

extern "C" __global__ void emulator_beyond_global(u32* out) {
    // BUG: one too many.
    out[blockIdx.x * blockDim.x + threadIdx.x + 1] = threadIdx.x;
}
KERNEL_EXPORT(emulator_beyond_global)

extern "C" __global__ void emulator_beyond_dynamic(u32* out) {
    SMEM_DYN(u32, shared);
    // BUG: one too many.
    shared[threadIdx.x + 1] = threadIdx.x;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
KERNEL_EXPORT(emulator_beyond_dynamic)

extern "C" __global__ void emulator_misaligned(u32* out) {
    // BUG: not at a multiple of 16 bytes.
    const uint4 values = *reinterpret_cast<const uint4*>(out + 1);
    *reinterpret_cast<uint4*>(out + 4) = values;
}
KERNEL_EXPORT(emulator_misaligned)

extern "C" __global__ void emulator_exited_lane(u32* out) {
    if (threadIdx.x % LANES == 3) return;
    // BUG: lane 3 has returned, or will.
    out[threadIdx.x] = popc(__ballot_sync(FULL_MASK, 1));
}
KERNEL_EXPORT(emulator_exited_lane)

extern "C" __global__ void emulator_endless_spin(u32* flag) {
    // BUG: no thread stores it.
    while (load_acquire(flag) == 0) {
    }
}
KERNEL_EXPORT(emulator_endless_spin)

extern "C" __global__ void emulator_trapping(u32* out) {
    out[threadIdx.x] = 0;
    // BUG
    if (threadIdx.x == 5) __trap();
}
KERNEL_EXPORT(emulator_trapping)
