// A warp for each waveform: its lanes read samples side by side, and find the largest one together.
#include "portable.h"

namespace {

constexpr u32 THREADS = 256;
// As in pulse.rs.
constexpr u32 BASELINE_SAMPLES = 8;
constexpr u32 BEFORE = 8;
constexpr u32 AFTER = 24;
constexpr u32 TIME_UNITS = 16;
// In front of an index in the order of samples: of equal samples the first one is the largest.
constexpr u32 LAST = 0xffff;

__device__ u32 sum_of_warp(u32 value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(FULL_MASK, value, distance);
    return value;
}

__device__ u32 max_of_warp(u32 value) {
    for (u32 distance = LANES / 2; distance > 0; distance /= 2) {
        const u32 other = __shfl_xor_sync(FULL_MASK, value, distance);
        value = value < other ? other : value;
    }
    return value;
}

__device__ u32 above(u32 sample, u32 baseline) { return sample < baseline ? 0 : sample - baseline; }

}  // namespace

// pulses: time, height and charge of each of the `count` waveforms of `length` samples.
extern "C" __global__ void __launch_bounds__(THREADS)
warp(const u16* samples, u32 count, u32 length, u32 threshold, u32* pulses) {
    const u32 lane = threadIdx.x % LANES;
    const u32 waveform = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    // The same for all lanes of a warp.
    if (waveform >= count) return;
    const u16* own = samples + (u64)waveform * length;
    u32 largest = 0, start = 0;
    for (u32 i = lane; i < length; i += LANES) {
        const u32 sample = own[i], key = sample << 16 | (LAST - i);
        largest = largest < key ? key : largest;
        start += i < BASELINE_SAMPLES ? sample : 0;
    }
    const u32 baseline = sum_of_warp(start) / BASELINE_SAMPLES;
    largest = max_of_warp(largest);
    const u32 peak = LAST - (largest & LAST), height = above(largest >> 16, baseline);
    const u32 first = peak < BEFORE ? 0 : peak - BEFORE;
    const u32 end = peak + AFTER < length ? peak + AFTER : length;
    u32 charge = 0;
    for (u32 i = first + lane; i < end; i += LANES) charge += above(own[i], baseline);
    charge = sum_of_warp(charge);
    if (lane != 0) return;
    u32* pulse = pulses + 3 * (u64)waveform;
    if (height < (threshold < 1 ? 1 : threshold)) {
        pulse[0] = pulse[1] = pulse[2] = 0;
        return;
    }
    u32 time = 0;
    for (u32 i = peak; i > 0; i--) {
        const u32 low = 2 * above(own[i - 1], baseline);
        if (low > height) continue;
        const u32 step = 2 * above(own[i], baseline) - low;
        time = TIME_UNITS * (i - 1) + TIME_UNITS * (height - low) / step;
        break;
    }
    pulse[0] = time;
    pulse[1] = height;
    pulse[2] = charge;
}
KERNEL_EXPORT(warp)
