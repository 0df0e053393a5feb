// Noisy pads from samples that are in bins: a block has a row, and counts the charges of each pad.
// Where one has so many that it may be noisy, the block makes a bit of each charge, some hundred time
// bins at a time, as bins lie in the order of time; then a thread for each pad counts bits and runs
// of them.
//
// Static shared memory: a bit for each pad and time bin, and the largest charge of each pad,
// 11 KB.
#include "../../tpc_cluster_finder/cuda/fused/bins.h"
#include "../../tpc_noisy_pads/cuda/pads/presence.h"
#include "noisy.h"

namespace {

constexpr u32 THREADS = 256;
// Samples that a thread waits for at once.
constexpr u32 ITEMS = 4;
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

// The samples of some bins that are looked at. A thread waits for several at once.
struct Samples {
    const u32* binned;
    u32 begin, end;

    template <class Work> __device__ __forceinline__ void for_each(Work work) const {
        for (u32 first = begin + threadIdx.x; first < end; first += ITEMS * THREADS) {
            u32 words[ITEMS];
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) words[i] = first + i * THREADS < end ? binned[first + i * THREADS] : 0;
            // No sample has no charge.
#pragma unroll
            for (u32 i = 0; i < ITEMS; i++) {
                const u32 charge = words[i] & CHARGE_MASK;
                if (charge > 0) work(words[i] >> PAD_SHIFT & PAD_MASK, words[i] >> TIME_SHIFT, charge);
            }
        }
    }
};

// A row, whose samples were put into bins.
struct Row {
    const u32* binned;
    const u32* begins;
    u32 bins;  // that are looked at

    __device__ __forceinline__ Samples samples(u32 first, u32 end) const {
        return {binned, begins[first], begins[min(end, bins)]};
    }
};

// Whether this thread's pad has enough charges to be noisy, if all are looked at; the last bin may
// have some behind the time bins that are. Barriers needed before and after.
PORTABLE_INLINE bool may_be_noisy(const Row& row, const Limits& limits, u32* counts) {
    if (threadIdx.x < PADS) counts[threadIdx.x] = 0;
    __syncthreads();
    row.samples(0, row.bins).for_each([&](u32 pad, u32, u32) { atomicAdd(&counts[pad], 1u); });
    __syncthreads();
    return threadIdx.x < PADS && counts[threadIdx.x] >= min(limits.least_charges, limits.least_run);
}

// What the pads of a row did.
struct Activity {
    u32 present[PADS * PITCH];
    u32 largest[PADS];
};

// Notes the charges of the stretch that begins with this bin. Barriers needed before and after.
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

// Whether this thread's pad is noisy.
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

// Words with a bit for each pad of each row of each sector. Only pads that are marked in the same
// way in `looked_at`, for each row, are noisy. A block a row.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_noisy_in_bins(const u32* binned, const u32* words, const u32* first_words, u32 time_bins,
                       const u32* looked_at, const __grid_constant__ Limits limits, u32* noisy) {
    __shared__ Activity activity;
    const u32 sector = blockIdx.x / ROWS, number = blockIdx.x % ROWS;
    const u32 length = words_of_row(time_bins);
    const u32 bins = min(length - 1, (limits.time_bins + BIN_TIMES - 1) / BIN_TIMES);
    const Row row = {binned, words + first_words[sector] + number * length, bins};
    // Most rows have no such pad, and for these no more has to be known.
    const bool has_any = __syncthreads_count(may_be_noisy(row, limits, activity.largest)) > 0;
    const lanemask_t votes = __ballot_sync(FULL_MASK, has_any && is_noisy(activity, row, limits));
    if (threadIdx.x < PADS && threadIdx.x % 32 == 0) {
        const u32 word = threadIdx.x / 32;
        const u32 mask = looked_at[number * NOISY_WORDS + word];
        noisy[blockIdx.x * NOISY_WORDS + word] = (u32)(votes >> threadIdx.x % LANES) & mask;
    }
}
KERNEL_EXPORT(find_noisy_in_bins)
