// Sorting entries by bins of time, in shared memory.
#pragma once
#include "common.h"

namespace time_bins {
namespace {

// Shared memory with which a block sorts `MAX_COUNT` entries. Two bins for each entry, if they
// fit: few entries share one, unless many have the same time.
template <u32 BLOCK, u32 MAX_COUNT, u32 MAX_BINS = MAX_COUNT> struct Sorting {
    // Bins of all threads if each has one vector of four.
    static constexpr u32 STEP = 4 * BLOCK;
    static_assert(MAX_BINS % STEP == 0, "each has whole vectors");

    u64 keys[MAX_COUNT];
    // First the entries of each bin; then the destination of its next entry, which finally is the
    // offset of the next bin.
    u32 ends[MAX_BINS];
    u32 warp_sums[LANES];
    u32 extent[2];

    // Vectors per thread for `count` entries.
    __device__ __forceinline__ static u32 vectors(u32 count) {
        return min(max(1u, (2 * count + STEP - 1) / STEP), MAX_BINS / STEP);
    }
    __device__ __forceinline__ static u32 bins(u32 count) { return vectors(count) * STEP; }
    __device__ __forceinline__ u32 begin(u32 bin) const { return bin > 0 ? ends[bin - 1] : 0; }
};

// The entries of a thread, with their times in registers.
template <u32 BLOCK, u32 EACH> class ThreadEntries {
    u32 times[EACH];
    u32 left;  // entries of the block from the thread's first one on

    // Positions are steps from a thread's first one, which instructions know by themselves:
    // registers are scarce.
    __device__ __forceinline__ static u32 position(u32 i) { return threadIdx.x + i * BLOCK; }
    __device__ __forceinline__ bool has(u32 i) const { return i * BLOCK < left; }

  public:
    // `time_of` returns the time at a position.
    template <class TimeOf>
    __device__ __forceinline__ ThreadEntries(u32 count, TimeOf time_of) : left(count - min(count, u32(threadIdx.x))) {
#pragma unroll
        for (u32 i = 0; i < EACH; i++)
            if (has(i)) times[i] = time_of(position(i));
    }

    // Calls `take(time, position)` for each.
    template <class Take> __device__ __forceinline__ void for_each(Take take) const {
#pragma unroll
        for (u32 i = 0; i < EACH; i++)
            if (has(i)) take(times[i], position(i));
    }
};

// Any number of entries, whose times are loaded each time.
template <u32 BLOCK, class TimeOf>
class Others {
    u32 count;
    TimeOf time_of;

  public:
    __device__ __forceinline__ Others(u32 count, TimeOf time_of) : count(count), time_of(time_of) {}

    template <class Take> __device__ __forceinline__ void for_each(Take take) const {
#pragma unroll 4
        for (u32 i = threadIdx.x; i < count; i += BLOCK) take(time_of(i), i);
    }
};

template <class Entries> __device__ __forceinline__ Extent extent_of(const Entries& entries) {
    Extent extent;
    entries.for_each([&](u32 time, u32) { extent.include(time); });
    return extent;
}

// Clears the bins for `count` entries. A barrier is needed after.
template <u32 BLOCK, u32 MAX_COUNT, u32 MAX_BINS>
__device__ __forceinline__ void clear(u32 count, Sorting<BLOCK, MAX_COUNT, MAX_BINS>& shared) {
    const u32 bins = shared.bins(count);
    for (u32 bin = threadIdx.x; bin < bins; bin += BLOCK) shared.ends[bin] = 0;
    if (threadIdx.x < 2) shared.extent[threadIdx.x] = ~0u;
}

// Moves `count` entries to their bins; `index_of` returns the index of the one at a position.
// Barriers before and after.
template <u32 BLOCK, u32 MAX_COUNT, u32 MAX_BINS, class Entries, class IndexOf>
__device__ __forceinline__ void move_to_bins(const Entries& entries, u32 count, const Scale& bin_of, IndexOf index_of,
                                             Sorting<BLOCK, MAX_COUNT, MAX_BINS>& shared) {
    entries.for_each([&](u32 time, u32) { atomicAdd(&shared.ends[bin_of(time)], 1u); });
    block_exclusive_sums_of_vectors<BLOCK>(shared.ends, shared.vectors(count), shared.warp_sums);
    entries.for_each([&](u32 time, u32 position) {
        const u32 index = atomicAdd(&shared.ends[bin_of(time)], 1u);
        shared.keys[index] = key_of({time, index_of(position)});
    });
    __syncthreads();
}

// Writes each entry to its index: after those of its bin that are earlier. A thread per entry, as
// many entries may share a bin.
template <u32 BLOCK, u32 MAX_COUNT, u32 MAX_BINS>
__device__ __forceinline__ void write_in_order(u32 count, const Scale& bin_of,
                                               const Sorting<BLOCK, MAX_COUNT, MAX_BINS>& shared, Entry* sorted) {
    for (u32 i = threadIdx.x; i < count; i += BLOCK) {
        const u64 key = shared.keys[i];
        const u32 bin = bin_of(time_of(key));
        const u32 end = shared.ends[bin];
        u32 other = shared.begin(bin), index = other;
// Bins have few.
#pragma unroll 1
        for (; other < end; other++) index += shared.keys[other] < key;
        sorted[index] = entry_of(key);
    }
}

// Sorts `count` entries; `shared` is clear. A barrier before.
template <u32 BLOCK, u32 MAX_COUNT, u32 MAX_BINS, class Entries, class IndexOf>
__device__ __forceinline__ void sort_entries(const Entries& entries, u32 count, IndexOf index_of, Entry* sorted,
                                             Sorting<BLOCK, MAX_COUNT, MAX_BINS>& shared) {
    extent_of(entries).include_in(shared.extent);
    __syncthreads();
    const Scale bin_of(shared.extent, shared.bins(count));
    move_to_bins(entries, count, bin_of, index_of, shared);
    write_in_order(count, bin_of, shared, sorted);
}

// Index to store in the entry of the item at a position.
__device__ __forceinline__ u32 index_of(const Cluster*, u32 position) { return position; }
__device__ __forceinline__ u32 index_of(const Entry* entries, u32 position) { return entries[position].index; }

// Sorts the clusters or entries, which must fit.
template <u32 BLOCK, u32 MAX_COUNT, class Record>
__device__ __forceinline__ void sort_by_bins(const Record* records, u32 count, Entry* sorted,
                                             Sorting<BLOCK, MAX_COUNT>& shared) {
    clear(count, shared);
    const ThreadEntries<BLOCK, MAX_COUNT / BLOCK> thread_entries(count,
                                                                 [&](u32 position) { return records[position].time; });
    __syncthreads();
    sort_entries(thread_entries, count, [&](u32 position) { return index_of(records, position); }, sorted, shared);
}

}  // namespace
}  // namespace time_bins
