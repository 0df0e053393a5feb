// Noisy pads from samples that are in bins: a block has a row, whose bins lie in the order of
// time, and makes a bit of each charge, some hundred time bins at a time; then a thread for each
// pad counts bits and runs of them.
//
// Static shared memory: a bit for each pad and time bin, and the largest charge of each pad,
// 11 KB.
#include "../../tpc_cluster_finder/cuda/fused/bins.h"
#include "../../tpc_noisy_pads/cuda/pads/presence.h"
#include "noisy.h"

namespace {

constexpr u32 THREADS = 256;
// Pads of a row, at most.
constexpr u32 PADS = NOISY_WORDS * 32;
// Time bins that are looked at together: as many as the times of samples in bins tell apart,
// or fewer.
constexpr u32 STRETCH = 512;
constexpr u32 STRETCH_BINS = STRETCH / BIN_TIMES;
constexpr u32 STRETCH_WORDS = STRETCH / WORD_BINS;
// One more, so that neighbouring pads are in different banks.
constexpr u32 PITCH = STRETCH_WORDS + 1;
static_assert(STRETCH <= TIME_MASK + 1, "times are told apart");

// Notes the charges of a stretch.
PORTABLE_INLINE void note(const u32* binned, u32 begin, u32 end, u32 time_bins, u32* present, u32* largest) {
    for (u32 i = begin + threadIdx.x; i < end; i += THREADS) {
        const u32 word = binned[i];
        const u32 time = word >> TIME_SHIFT & (STRETCH - 1), pad = word >> PAD_SHIFT & PAD_MASK;
        const u32 charge = word & CHARGE_MASK;
        if (charge == 0 || time >= time_bins) continue;
        atomicOr(&present[pad * PITCH + time / WORD_BINS], 1u << time % WORD_BINS);
        atomicMax(&largest[pad], charge);
    }
}

}  // namespace

// Words with a bit for each pad of each row of each sector. Only pads that are marked in the same
// way in `looked_at`, for each row, are noisy. A block a row.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_noisy_in_bins(const u32* binned, const u32* words, const u32* first_words, u32 time_bins,
                       const u32* looked_at, const __grid_constant__ Limits limits, u32* noisy) {
    __shared__ u32 present[PADS * PITCH];
    __shared__ u32 largest[PADS];
    const u32 sector = blockIdx.x / ROWS, row = blockIdx.x % ROWS;
    const u32 length = words_of_row(time_bins);
    const u32* begins = words + first_words[sector] + row * length;
    const u32 bins = min(length - 1, (limits.time_bins + BIN_TIMES - 1) / BIN_TIMES);
    Presence own;
    if (threadIdx.x < PADS) largest[threadIdx.x] = 0;
    for (u32 first = 0; first < bins; first += STRETCH_BINS) {
        for (u32 i = threadIdx.x; i < PADS * PITCH; i += THREADS) present[i] = 0;
        __syncthreads();
        const u32 end = min(first + STRETCH_BINS, bins);
        note(binned, begins[first], begins[end], limits.time_bins - first * BIN_TIMES, present, largest);
        __syncthreads();
        if (threadIdx.x < PADS) {
            for (u32 word = 0; word < STRETCH_WORDS; word++) {
                own.add(present[threadIdx.x * PITCH + word], first * BIN_TIMES + word * WORD_BINS);
            }
        }
        __syncthreads();
    }
    const bool is_noisy =
        threadIdx.x < PADS && limits.are_passed_by(own.charges, own.longest, largest[threadIdx.x]);
    const lanemask_t votes = __ballot_sync(FULL_MASK, is_noisy);
    if (threadIdx.x < PADS && threadIdx.x % 32 == 0) {
        const u32 word = threadIdx.x / 32;
        const u32 mask = looked_at[row * NOISY_WORDS + word];
        noisy[blockIdx.x * NOISY_WORDS + word] = (u32)(votes >> threadIdx.x % LANES) & mask;
    }
}
KERNEL_EXPORT(find_noisy_in_bins)
