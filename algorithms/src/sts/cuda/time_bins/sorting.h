// Sorting entries by bins of time, in shared memory.
#pragma once
#include "common.h"

namespace {

// As many bins as entries at most: few share one, unless many come at once.
template <u32 BLOCK>
struct Sorting {
    static constexpr u32 CAPACITY = ITEMS * BLOCK;
    static constexpr u32 BINS = CAPACITY;

    u64 keys[CAPACITY];
    // From the second one on: the entries of each bin at first; then where its next entry
    // goes, which is at last where the next bin begins.
    u32 begins[BINS + 1];
    u32 warp_sums[LANES];
    u32 extent[2];
};

// The entries of a thread.
template <u32 BLOCK>
struct Own {
    u32 times[ITEMS];
    u32 left;  // entries of the block from the thread's first one on

    // Positions are steps from a thread's first one, which instructions know by themselves:
    // registers are scarce.
    __device__ __forceinline__ static u32 position(u32 i) { return threadIdx.x + i * BLOCK; }
    __device__ __forceinline__ bool has(u32 i) const { return i * BLOCK < left; }

    template <class Record>
    __device__ __forceinline__ Own(const Record* records, u32 count)
        : left(count - min(count, u32(threadIdx.x))) {
        const Record* first = records + threadIdx.x;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++)
            if (has(i)) times[i] = first[i * BLOCK].time;
    }

    __device__ __forceinline__ Extent extent() const {
        Extent extent;
#pragma unroll
        for (u32 i = 0; i < ITEMS; i++)
            if (has(i)) extent.include(times[i]);
        return extent;
    }
};

// What a cluster or an entry becomes.
__device__ __forceinline__ u32 index_of(const Cluster*, u32 position) { return position; }
__device__ __forceinline__ u32 index_of(const Entry* entries, u32 position) { return entries[position].index; }

// A barrier is needed after.
template <u32 BLOCK>
__device__ __forceinline__ void clear(Sorting<BLOCK>& shared) {
    for (u32 bin = threadIdx.x; bin < shared.BINS; bin += BLOCK) shared.begins[1 + bin] = 0;
    if (threadIdx.x == 0) shared.begins[0] = 0;
    if (threadIdx.x < 2) shared.extent[threadIdx.x] = ~0u;
}

// Moves entries to their bins. Barriers before and after.
template <u32 BLOCK, class Record>
__device__ __forceinline__ void move_to_bins(const Own<BLOCK>& own, const Record* records, const Scale& bin_of,
                                             Sorting<BLOCK>& shared) {
    u32* bins = shared.begins + 1;
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++)
        if (own.has(i)) atomicAdd(&bins[bin_of(own.times[i])], 1u);
    block_exclusive_sums<BLOCK, Sorting<BLOCK>::BINS>(bins, shared.warp_sums);
#pragma unroll
    for (u32 i = 0; i < ITEMS; i++) {
        if (!own.has(i)) continue;
        const u32 place = atomicAdd(&bins[bin_of(own.times[i])], 1u);
        shared.keys[place] = key_of({own.times[i], index_of(records, own.position(i))});
    }
    __syncthreads();
}

// Writes each entry to where it belongs: before it come those of its bin that are
// earlier. A thread an entry, as many entries may share a bin.
template <u32 BLOCK>
__device__ __forceinline__ void write_in_order(u32 count, const Scale& bin_of, const Sorting<BLOCK>& shared,
                                               Entry* sorted) {
    for (u32 i = threadIdx.x; i < count; i += BLOCK) {
        const u64 own = shared.keys[i];
        const u32 bin = bin_of(time_of(own));
        const u32 end = shared.begins[bin + 1];
        u32 other = shared.begins[bin], place = other;
        for (; other < end; other++) place += shared.keys[other] < own;
        sorted[place] = entry_of(own);
    }
}

// Sorts as many clusters or entries as fit.
template <u32 BLOCK, class Record>
__device__ __forceinline__ void sort_by_bins(const Record* records, u32 count, Entry* sorted,
                                             Sorting<BLOCK>& shared) {
    clear(shared);
    const Own<BLOCK> own(records, count);
    __syncthreads();
    own.extent().include_in(shared.extent);
    __syncthreads();
    const Scale bin_of(shared.extent, Sorting<BLOCK>::BINS);
    move_to_bins(own, records, bin_of, shared);
    write_in_order(count, bin_of, shared, sorted);
}

}  // namespace
