// Links in a list for each component, then a worker for each component.
//
// A list holds its links in the order of chance in which they were counted, and whoever
// follows them sorts them first: most lists have one to five. Components with more than
// LARGE links come first and get a block each, so that their long chains are followed
// while others do the many small ones.
#include "block_scan.h"
#include "resolve.h"

// What blocks take from: how many links have a place, how many lists there are of each
// kind, and how many were taken. All 0 at first.
struct Counters {
    u32 placed;
    u32 small, large;
    u32 small_taken, large_taken;
};

namespace {

constexpr u32 THREADS = 256;
// Links that one thread sorts by insertion.
constexpr u32 LARGE = 24;

__device__ __forceinline__ u32 own_track() { return blockIdx.x * THREADS + threadIdx.x; }

// The value that thread 0 gets by `take`, for all threads.
template <class Take> __device__ __forceinline__ u32 by_one(u32& shared, Take take) {
    __syncthreads();
    if (threadIdx.x == 0) shared = take();
    __syncthreads();
    return shared;
}

// Room for `count` entries of each thread: the place of the first one. All threads take part.
__device__ __forceinline__ u32 reserve(u32 count, u32* counter, u32* warp_sums, u32& begin) {
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(count, warp_sums, total);
    return by_one(begin, [&] { return atomicAdd(counter, total); }) + before;
}

__device__ __forceinline__ void sort_by_insertion(u32* list, u32 count) {
    for (u32 end = 1; end < count; end++) {
        const u32 value = list[end];
        u32 at = end;
        for (; at > 0 && list[at - 1] > value; at--) list[at] = list[at - 1];
        list[at] = value;
    }
}

// Compares and exchanges all pairs of positions i and mirror(i) above it. What is beyond
// the end is larger than everything.
template <class Mirror> __device__ __forceinline__ void exchange(u32* list, u32 count, Mirror mirror) {
    for (u32 i = threadIdx.x; i < count; i += THREADS) {
        const u32 other = mirror(i);
        if (other > i && other < count) {
            const u32 low = list[i], high = list[other];
            if (low > high) {
                list[i] = high;
                list[other] = low;
            }
        }
    }
    __syncthreads();
}

// Bitonic merges of growing length, by the whole block, in place.
__device__ void sort_by_block(u32* list, u32 count) {
    for (u32 half = 1; half < count; half *= 2) {
        exchange(list, count, [&](u32 i) { return i ^ (2 * half - 1); });
        for (u32 distance = half / 2; distance > 0; distance /= 2) {
            exchange(list, count, [&](u32 i) { return i ^ distance; });
        }
    }
}

__device__ __forceinline__ void follow_list(const Merger& merger, const u32* links, const u32* list, u32 count) {
    for (u32 i = 0; i < count; i++) merger.follow(list[i], links[list[i]]);
}

}  // namespace

// How many links each component has, and the rank of each link in it.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_count(const u32* links, const u32* roots, u32* counts, u32* ranks, u32 tracks) {
    const u32 track = own_track();
    if (track < tracks && links[track] != NONE) ranks[track] = atomicAdd(counts + roots[track], 1u);
}
KERNEL_EXPORT(merge_count)

// Where the list of each component begins, and the names of those that have one.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_place(const u32* counts, u32* begins, u32* small, u32* large, Counters* counters, u32 tracks) {
    __shared__ u32 warp_sums[LANES], begin;
    const u32 root = own_track();
    const u32 count = root < tracks ? counts[root] : 0;
    const u32 place = reserve(count, &counters->placed, warp_sums, begin);
    const bool is_small = count > 0 && count <= LARGE;
    const u32 small_place = reserve(is_small, &counters->small, warp_sums, begin);
    if (count > 0) begins[root] = place;
    if (is_small) small[small_place] = root;
    if (count > LARGE) large[atomicAdd(&counters->large, 1u)] = root;
}
KERNEL_EXPORT(merge_place)

// Each link into its list.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_fill(const u32* links, const u32* roots, const u32* begins, const u32* ranks, u32* list, u32 tracks) {
    const u32 track = own_track();
    if (track < tracks && links[track] != NONE) list[begins[roots[track]] + ranks[track]] = track;
}
KERNEL_EXPORT(merge_fill)

// Follows all links: first large lists, a block each, then small ones, a thread each.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_resolve(const SliceTrack* tracks, const u32* links, Relations* relations, const u32* counts,
                  const u32* begins, const u32* small, const u32* large, u32* list, Counters* counters) {
    __shared__ u32 taken;
    const Merger merger{tracks, relations};
    for (;;) {
        const u32 number = by_one(taken, [&] { return atomicAdd(&counters->large_taken, 1u); });
        if (number >= counters->large) break;
        const u32 root = large[number];
        u32* own = list + begins[root];
        sort_by_block(own, counts[root]);
        if (threadIdx.x == 0) follow_list(merger, links, own, counts[root]);
    }
    for (;;) {
        const u32 first = by_one(taken, [&] { return atomicAdd(&counters->small_taken, THREADS); });
        if (first >= counters->small) break;
        const u32 number = first + threadIdx.x;
        if (number >= counters->small) continue;
        const u32 root = small[number];
        u32* own = list + begins[root];
        sort_by_insertion(own, counts[root]);
        follow_list(merger, links, own, counts[root]);
    }
}
KERNEL_EXPORT(merge_resolve)
