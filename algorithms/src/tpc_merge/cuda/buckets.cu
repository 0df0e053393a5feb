// Members in a list for each component, then a worker for each list.
//
// A list holds its members in the order of chance in which they were counted, and whoever
// follows their links sorts them first: most components have two to six. A warp brings as
// many of these as it has room for near, in shared memory, and each lane follows one. Large
// ones come first, apart, so that no lane waits long for another one of its warp. Those
// that don't fit get a block each, and are followed where they are.
#include "block_scan.h"
#include "near.h"

// What is taken from: how many members have a place, how many components there are of each
// kind, and how many were taken. All 0 at first.
struct Counters {
    u32 placed;
    u32 small, large, huge;
    u32 small_taken, large_taken, huge_taken;
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 RESOLVE_THREADS = 128;
constexpr u32 RESOLVE_WARPS = RESOLVE_THREADS / LANES;
// Members of a small component, and of a large one: what a warp has room for.
constexpr u32 SMALL = 8, LARGE = NEAR;
// Large components that a warp takes at a time.
constexpr u32 LARGE_EACH = 8;

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

// Compares and exchanges all pairs of positions i and mirror(i) above it. What is beyond
// the end is larger than everything.
template <class Mirror> __device__ __forceinline__ void exchange(u32* list, u32 count, Mirror mirror) {
    for (u32 i = threadIdx.x; i < count; i += RESOLVE_THREADS) {
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

__device__ void follow_list(const SliceTracks& all, const u32* list, u32 count) {
    const Merger<Relations> merger{all.tracks, all.relations};
    for (u32 i = 0; i < count; i++) {
        const u32 link = all.links[list[i]];
        if (link != NONE) merger.follow(list[i], link);
    }
}

// Takes up to `each` components at a time, until all of `count` are taken, and merges them
// as many at once as fit. All lanes of a warp take part.
__device__ void merge_near(const SliceTracks& all, Near& near, const Component* components, u32 count, u32* taken,
                           u32 each) {
    const u32 lane = threadIdx.x % LANES;
    for (;;) {
        u32 first = 0;
        if (lane == 0) first = atomicAdd(taken, each);
        first = __shfl_sync(FULL_MASK, first, 0);
        if (first >= count) return;
        const bool has_one = lane < each && first + lane < count;
        Component own = has_one ? components[first + lane] : Component{0, 0};
        while (__any_sync(FULL_MASK, own.size > 0)) {
            const bool fits = warp_inclusive_sum(own.size) <= NEAR;
            NearMerger(all, near, {own.begin, fits ? own.size : 0}).merge();
            if (fits) own.size = 0;
        }
    }
}

}  // namespace

// How many others than its root each component has, and the rank of each of its members.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_count(const u32* roots, u32* counts, u32* ranks, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    const u32 root = roots[track];
    ranks[track] = root == track ? 0 : 1 + atomicAdd(counts + root, 1u);
}
KERNEL_EXPORT(merge_count)

// Where the list of each component begins, and which have one: those who are alone have none.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_place(const u32* counts, u32* begins, Component* small, Component* large, Component* huge,
                Counters* counters, u32 tracks) {
    __shared__ u32 warp_sums[LANES], begin;
    const u32 root = own_track();
    const u32 others = root < tracks ? counts[root] : 0;
    const u32 size = others > 0 ? others + 1 : 0;
    const Component own = {reserve(size, &counters->placed, warp_sums, begin), size};
    const bool is_small = size > 0 && size <= SMALL;
    const u32 small_place = reserve(is_small, &counters->small, warp_sums, begin);
    if (root < tracks) begins[root] = size > 0 ? own.begin : NONE;
    if (is_small) small[small_place] = own;
    else if (size > LARGE) huge[atomicAdd(&counters->huge, 1u)] = own;
    else if (size > 0) large[atomicAdd(&counters->large, 1u)] = own;
}
KERNEL_EXPORT(merge_place)

// Each member into its list.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_fill(const u32* roots, const u32* begins, const u32* ranks, u32* members, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    const u32 begin = begins[roots[track]];
    if (begin != NONE) members[begin + ranks[track]] = track;
}
KERNEL_EXPORT(merge_fill)

// Follows all links: first those of huge components, a block each, then of large ones and of
// small ones, a lane each.
//
// Shared memory: what each warp has near.
extern "C" __global__ void __launch_bounds__(RESOLVE_THREADS)
    merge_resolve(const SliceTrack* tracks, const u32* links, Relations* relations, u32* members,
                  const Component* small, const Component* large, const Component* huge, Counters* counters) {
    __shared__ Near near[RESOLVE_WARPS];
    __shared__ u32 taken;
    const SliceTracks all{tracks, links, relations, members};
    for (;;) {
        const u32 number = by_one(taken, [&] { return atomicAdd(&counters->huge_taken, 1u); });
        if (number >= counters->huge) break;
        const Component own = huge[number];
        sort_by_block(members + own.begin, own.size);
        if (threadIdx.x == 0) follow_list(all, members + own.begin, own.size);
    }
    Near& own = near[threadIdx.x / LANES];
    merge_near(all, own, large, counters->large, &counters->large_taken, LARGE_EACH);
    merge_near(all, own, small, counters->small, &counters->small_taken, LANES);
}
KERNEL_EXPORT(merge_resolve)
