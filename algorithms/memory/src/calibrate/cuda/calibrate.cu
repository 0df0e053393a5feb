// Charges times gains in several kinds of memory: see calibrate/mod.rs.
#include "portable.h"

namespace {

constexpr u32 THREADS = 256;
// Digis per thread: large enough that a block's copy of the gains to shared memory pays off.
constexpr u32 EACH = 8;
constexpr u32 DIGIS_OF_BLOCK = THREADS * EACH;
// 4 kB of gains, which fit with the other parameters of a kernel into CUDA's 4 KiB.
constexpr u32 CHANNELS = 1000;
// Distance between the channels of a digi's lookups.
constexpr u32 STRIDE = 97;
constexpr u32 CHANNEL_BITS = 10;

// In units of 1/4096.
__host__ __device__ constexpr u32 gain_of(u32 channel) { return 3072 + (channel * 2654435761u >> 21); }

}  // namespace

struct Gains {
    u32 of[CHANNELS];
};

namespace {

__host__ __device__ constexpr Gains all_gains() {
    Gains gains{};
    for (u32 channel = 0; channel < CHANNELS; channel++) gains.of[channel] = gain_of(channel);
    return gains;
}

__constant__ Gains CONSTANT = all_gains();

// Calibrates the digis of a block; `gains` is an array in any kind of memory.
template <class Array>
__device__ __forceinline__ void
calibrate(const u32* digis, u32 count, u32 lookups, const Array& gains, u32* charges) {
    for (u32 each = 0; each < EACH; each++) {
        const u32 i = blockIdx.x * DIGIS_OF_BLOCK + each * THREADS + threadIdx.x;
        if (i >= count) return;
        const u32 digi = digis[i], charge = digi >> CHANNEL_BITS;
        u32 channel = digi & ((1u << CHANNEL_BITS) - 1), sum = 0;
        for (u32 k = 0; k < lookups; k++) {
            sum += charge * gains[channel];
            channel += STRIDE;
            if (channel >= CHANNELS) channel -= CHANNELS;
        }
        charges[i] = sum;
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
calibrate_global(const u32* digis, u32 count, u32 lookups, const u32* gains, u32* charges) {
    calibrate(digis, count, lookups, gains, charges);
}
KERNEL_EXPORT(calibrate_global)

extern "C" __global__ void __launch_bounds__(THREADS)
calibrate_shared(const u32* digis, u32 count, u32 lookups, const u32* gains, u32* charges) {
    __shared__ u32 own[CHANNELS];
    for (u32 channel = threadIdx.x; channel < CHANNELS; channel += THREADS) {
        own[channel] = gains[channel];
    }
    __syncthreads();
    calibrate(digis, count, lookups, own, charges);
}
KERNEL_EXPORT(calibrate_shared, calibrate_global)

// The compiler initialises the constants: they are part of the image.
extern "C" __global__ void __launch_bounds__(THREADS)
calibrate_constant(const u32* digis, u32 count, u32 lookups, u32* charges) {
    calibrate(digis, count, lookups, CONSTANT.of, charges);
}
KERNEL_EXPORT(calibrate_constant)

extern "C" __global__ void __launch_bounds__(THREADS) calibrate_parameter(
    const u32* digis, u32 count, u32 lookups, const __grid_constant__ Gains gains, u32* charges) {
    calibrate(digis, count, lookups, gains.of, charges);
}
KERNEL_EXPORT(calibrate_parameter)
