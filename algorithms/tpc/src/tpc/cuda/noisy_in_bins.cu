// Noisy pads from samples in bins: a block has a row, and counts the charges of each pad. If a pad
// has enough charges to be noisy, the block turns each charge into a bit, some hundred time bins at
// a time, as bins are in the order of time; then a thread for each pad counts bits and runs of
// them.
//
// Static shared memory: a bit for each pad and time bin, and the largest charge of each pad,
// 11 KB.
#include "../../tpc_cluster_finder/cuda/fused/bins.h"
#include "../../tpc_noisy_pads/cuda/pads.h"
#include "noisy.h"

namespace {

constexpr u32 THREADS = 256;
// Samples of a thread whose loads are in flight.
constexpr u32 ITEMS = 4;
// Maximum number of pads of a row.
constexpr u32 PADS = NOISY_WORDS * 32;
// Time bins that are examined together: at most the range of times that samples in bins can
// represent.
constexpr u32 STRETCH = 512;
constexpr u32 STRETCH_BINS = STRETCH / BIN_TIMES;
constexpr u32 STRETCH_WORDS = STRETCH / WORD_BINS;
// One more, so that neighbouring pads are in different banks.
constexpr u32 PITCH = STRETCH_WORDS + 1;
static_assert(STRETCH <= TIME_MASK + 1, "times are distinct");

// The samples of some bins that are examined. A thread has several loads in flight.
struct Samples {
    const u32* binned;
    u32 begin, end;

    template <class Work> __device__ __forceinline__ void for_each(Work work) const {
        for (u32 first = begin + threadIdx.x; first < end; first += ITEMS * THREADS) {
            u32 words[ITEMS];
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) words[i] = first + i * THREADS < end ? binned[first + i * THREADS] : 0;
            // Missing samples have charge 0.
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) {
                const u32 charge = words[i] & CHARGE_MASK;
                if (charge > 0) work(words[i] >> PAD_SHIFT & PAD_MASK, words[i] >> TIME_SHIFT, charge);
            }
        }
    }
};

// A row with its samples in bins.
struct Row {
    const u32* binned;
    const u32* offsets;
    u32 bins;  // that are examined

    __device__ __forceinline__ Samples samples(u32 first, u32 end) const {
        return {binned, offsets[first], offsets[min(end, bins)]};
    }
};

// Returns true if this thread's pad has enough charges to be noisy, counting all of its samples;
// the last bin may have some after the time bins that are examined. Barriers needed before and
// after.
PORTABLE_INLINE bool may_be_noisy(const Row& row, const Limits& limits, u32* counts) {
    if (threadIdx.x < PADS) counts[threadIdx.x] = 0;
    __syncthreads();
    row.samples(0, row.bins).for_each([&](u32 pad, u32, u32) { atomicAdd(&counts[pad], 1u); });
    __syncthreads();
    return threadIdx.x < PADS && counts[threadIdx.x] >= min(limits.min_charges, limits.min_run);
}

// Charges of the pads of a row.
struct Activity {
    u32 present[PADS * PITCH];
    u32 largest[PADS];
};

// Records the charges of the interval that starts with this bin. Barriers needed before and after.
PORTABLE_INLINE void note(Activity& activity, const Row& row, u32 first, const Limits& limits) {
    const u32 time_bins = limits.time_bins - first * BIN_TIMES;
    for (u32 i = threadIdx.x; i < PADS * PITCH; i += THREADS) activity.present[i] = 0;
    __syncthreads();
    row.samples(first, first + STRETCH_BINS).for_each([&](u32 pad, u32 low_time, u32 charge) {
        const u32 time = low_time & (STRETCH - 1);
        if (time >= time_bins) return;
        atomicOr(&activity.present[pad * PITCH + time / WORD_BINS], 1u << time % WORD_BINS);
        atomicMax(&activity.largest[pad], charge);
    });
}

// Returns true if this thread's pad is noisy.
PORTABLE_INLINE bool is_noisy(Activity& activity, const Row& row, const Limits& limits) {
    Presence own;
    if (threadIdx.x < PADS) activity.largest[threadIdx.x] = 0;
    for (u32 first = 0; first < row.bins; first += STRETCH_BINS) {
        note(activity, row, first, limits);
        __syncthreads();
        if (threadIdx.x < PADS) {
            for (u32 word = 0; word < STRETCH_WORDS; word++) {
                own.add(activity.present[threadIdx.x * PITCH + word], first * BIN_TIMES + word * WORD_BINS);
            }
        }
        __syncthreads();
    }
    return threadIdx.x < PADS &&
           limits.are_passed_by(own.charges, own.longest, activity.largest[threadIdx.x]);
}

}  // namespace

// Writes words with a bit for each pad of each row of each sector. Only pads with a bit in
// `looked_at`, which has the same layout for each row, are noisy. A block for each row.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_noisy_in_bins(const u32* binned, const u32* words, const u32* first_words, u32 time_bins,
                       const u32* looked_at, const __grid_constant__ Limits limits, u32* noisy) {
    __shared__ Activity activity;
    const u32 sector = blockIdx.x / ROWS, number = blockIdx.x % ROWS;
    const u32 length = words_of_row(time_bins);
    const u32 bins = min(length - 1, (limits.time_bins + BIN_TIMES - 1) / BIN_TIMES);
    const Row row = {binned, words + first_words[sector] + number * length, bins};
    // Most rows have no such pad, and need no further work.
    const bool has_any = __syncthreads_count(may_be_noisy(row, limits, activity.largest)) > 0;
    const lanemask_t votes = __ballot_sync(FULL_MASK, has_any && is_noisy(activity, row, limits));
    if (threadIdx.x < PADS && threadIdx.x % 32 == 0) {
        const u32 word = threadIdx.x / 32;
        const u32 mask = looked_at[number * NOISY_WORDS + word];
        noisy[blockIdx.x * NOISY_WORDS + word] = (u32)(votes >> threadIdx.x % LANES) & mask;
    }
}
KERNEL_EXPORT(find_noisy_in_bins)
