// Sorting entries by bins of time, in shared memory, and what the steps of time-bins share.
#pragma once
#include "../formulas/records.h"
#include "scan.h"

// Parameter types of kernels. A kernel whose parameters are of types without linkage has none
// itself, and NVRTC generates a different name for it each time.
namespace time_bins {

// A part of the clusters of a side, as the host lists them: by where clusters of the side begin.
struct Part {
    u32 side, first;
};

// Range of the entries of a group that does not fit into shared memory, among all entries.
struct OverfullBin {
    u32 begin, end;
};

// Some of them, in any order.
struct OverfullBins {
    u32 count;
    OverfullBin ranges[1];
};

// Arguments of sorting the clusters of all sides. Sides have capacity for an entry of each
// cluster; tables of large sides are there if a side can be large.
struct TimeSort {
    const Cluster* clusters;
    const u32* side_offsets;
    const Found* found;
    const Part* parts;
    Entry* entries;
    // Entries of large sides by groups.
    Entry* grouped;
    u32* extents;        // two words per side: see `Extent`
    u32* counts;         // a word for each bucket of each side
    u16* group_of;       // the group of each bucket of each side
    u32* group_offsets;  // offsets of groups in their side: see `first_group`
    u32* next_offsets;   // destination of the next entry of each; finally their ends
    OverfullBins* overfull;
};

namespace {

constexpr u32 FEW_THREADS = 512;
constexpr u32 MANY_THREADS = 1024;
// Entries of a thread that are sorted at once in shared memory.
constexpr u32 ITEMS = 8;
// Entries of a block.
constexpr u32 FEW = ITEMS * FEW_THREADS;
constexpr u32 MANY = ITEMS * MANY_THREADS;

// Sort key of an entry; no two are equal.
__device__ __forceinline__ u64 key_of(const Entry& entry) { return (u64)entry.time << 32 | entry.index; }
__device__ __forceinline__ u32 time_of(u64 key) { return (u32)(key >> 32); }
__device__ __forceinline__ Entry entry_of(u64 key) { return {time_of(key), (u32)key}; }

// The first and the last time of some entries.
struct Extent {
    u32 first = ~0u, last = 0;

    __device__ __forceinline__ void include(u32 time) {
        first = min(first, time);
        last = max(last, time);
    }

    // To two words in memory that have all bits set at the start: the first time, and
    // the complement of the last. All lanes take part.
    __device__ __forceinline__ void include_in(u32* words) const {
        const u32 first_of_warp = warp_min(first), last_of_warp = warp_max(last);
        if (threadIdx.x % LANES != 0) return;
        atomicMin(&words[0], first_of_warp);
        atomicMin(&words[1], ~last_of_warp);
    }
};

// Times to bins of equal lengths.
class Scale {
    u32 first, factor;  // in units of 2^-32 bins

  public:
    // Rounding must not lead beyond the last bin. If the range of times is smaller than the number
    // of bins, the largest factor gives each time a bin, or nearly so.
    __device__ __forceinline__ Scale(const u32* extent, u32 bins) : first(extent[0]) {
        constexpr float DOWN = 1.0f - 1.0f / (1 << 20);
        constexpr float MAX_COUNT = 4294967040.0f;  // the largest that fits into 32 bits
        const float times = (float)(~extent[1] - first) + 1.0f;
        factor = (u32)min((float)bins * 4294967296.0f * DOWN / times, MAX_COUNT);
    }

    __device__ __forceinline__ u32 operator()(u32 time) const { return (u32)((u64)(time - first) * factor >> 32); }
};

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
