// Digits into bins by row and time, as words of four bytes: gains correct their charges on the
// way. How many digits there are only the device knows.
#include "../../tpc_cluster_finder/cuda/fused/bins.h"
#include "../../tpc_decode/cuda/pages/target.h"

namespace {

constexpr u32 DIGIT_THREADS = 256;
// Digits that a thread has, so that it waits for several at once.
constexpr u32 DIGIT_ITEMS = 8;

// What digits of a time frame are put into bins with.
struct Bins {
    const u32* first_words;  // by the number of the sector in the detector
    u32 row_words;

    __device__ __forceinline__ u32 of(u64 digit) const {
        const u32 sector = (u32)(digit >> 58), row = (u32)(digit >> 24) & 0xff;
        return first_words[sector] + row * row_words + 1 + time_of(digit) / BIN_TIMES;
    }

    __device__ __forceinline__ static u32 time_of(u64 digit) { return (u32)(digit >> 32) & ((1u << 26) - 1); }
};

// The digits of a thread, and their bins.
struct Own {
    u64 digits[DIGIT_ITEMS];
    u32 bins[DIGIT_ITEMS];

    __device__ __forceinline__ Own(const u64* all, u32 count, const Bins& bins_of) {
        const u32 first = blockIdx.x * DIGIT_THREADS * DIGIT_ITEMS + threadIdx.x;
#pragma unroll
        for (u32 i = 0; i < DIGIT_ITEMS; i++) {
            const u32 number = first + i * DIGIT_THREADS;
            digits[i] = number < count ? all[number] : 0;
        }
#pragma unroll
        for (u32 i = 0; i < DIGIT_ITEMS; i++) {
            bins[i] = first + i * DIGIT_THREADS < count ? bins_of.of(digits[i]) : NONE;
        }
    }
};

}  // namespace

// Counts the digits of each bin.
extern "C" __global__ void __launch_bounds__(DIGIT_THREADS)
    count_digits(const u64* digits, const u32* count, const u32* first_words, u32 time_bins, u32* words) {
    const Own own(digits, *count, {first_words, words_of_row(time_bins)});
#pragma unroll
    for (u32 i = 0; i < DIGIT_ITEMS; i++) {
        const u32 bin = own.bins[i];
        const Mates mates = mates_of(bin);
        if (mates.first == threadIdx.x % LANES && bin != NONE) atomicAdd(&words[bin], mates.behind);
    }
}
KERNEL_EXPORT(count_digits)

// Puts digits into their bins. `gains` are those of all sectors, by column; `scale` is the charge
// of one ADC value.
extern "C" __global__ void __launch_bounds__(DIGIT_THREADS)
    bin_digits(const u64* digits, const u32* count, const u32* first_words, u32 time_bins, const float* gains,
               float scale, u32* words, u32* binned) {
    const Own own(digits, *count, {first_words, words_of_row(time_bins)});
    const u32 lane = threadIdx.x % LANES;
    u32 firsts[DIGIT_ITEMS], places[DIGIT_ITEMS], samples[DIGIT_ITEMS];
#pragma unroll
    for (u32 i = 0; i < DIGIT_ITEMS; i++) {
        const u32 bin = own.bins[i];
        const Mates mates = mates_of(bin);
        firsts[i] = mates.first;
        places[i] = mates.first == lane && bin != NONE ? atomicAdd(&words[bin], mates.behind) : 0;
    }
#pragma unroll
    for (u32 i = 0; i < DIGIT_ITEMS; i++) {
        const u64 digit = own.digits[i];
        const ChargeMaker maker = {gains + (u32)(digit >> 58) * COLUMNS, 0, 0, scale};
        const u32 row_and_pad = (u32)(digit >> 16) & 0xffff;
        const u32 charge = maker.charge(maker.cell(row_and_pad), (u32)digit & 0xffff);
        samples[i] = binned_word({Bins::time_of(digit), row_and_pad & 0xff, row_and_pad >> 8, charge});
    }
#pragma unroll
    for (u32 i = 0; i < DIGIT_ITEMS; i++) {
        const u32 place = __shfl_sync(FULL_MASK, places[i], (int)firsts[i]) + lane - firsts[i];
        if (own.bins[i] != NONE) binned[place] = samples[i];
    }
}
KERNEL_EXPORT(bin_digits)
