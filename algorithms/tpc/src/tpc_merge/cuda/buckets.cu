// Lists the members of each component, then processes each list by one worker.
//
// Lists are unordered (atomic ranks), so each is sorted before its links are followed: most
// components have two to six members. A warp loads those that fit into shared memory, and each lane
// follows one. Large ones come first: one warp of each block follows one at a time, with the shared
// memory of all warps. Those that don't fit are followed in device memory.
//
// A component's root is the first of its members. So as soon as the components of the first n roots
// are done, the relations of the first n slice tracks are final: they are copied back while others
// are followed, part by part.
#include "resolve.h"
#include "scan.h"

// Components of a warp in shared memory, where each step along a chain takes about thirty cycles,
// instead of hundreds in device memory.
//
// Members of a component are contiguous there, and refer to each other by their index in shared
// memory, which takes a byte or two.

// A component: the offset of the list of its members, and their number.
struct Component {
    u32 begin, size;
};

// All slice tracks, and lists of those that are members of a component, by their indices.
struct SliceTracks {
    const SliceTrack* tracks;
    const u32* links;
    Relations* relations;
    u32* members;
};

// Relations of a member, as indices in shared memory.
template <class Index> struct NearRelations {
    Index segment_prev, segment_next;
    Index neighbours[2];
};

// Shared memory of a warp, for at most `CAPACITY` members.
template <class Index, u32 CAPACITY> struct alignas(16) Near {
    static constexpr u32 NO_TRACK = Merger<NearRelations<Index>>::NO_TRACK;
    static_assert(CAPACITY <= NO_TRACK, "there is an index for each member, and one for none");

    SliceTrack tracks[CAPACITY];
    u32 numbers[CAPACITY];
    NearRelations<Index> relations[CAPACITY];
    Index links[CAPACITY];
    // The indices of a component's members, in ascending order of their slice tracks.
    Index order[CAPACITY];
};

// Follows the links of components, of which each lane has one, or an empty one. All lanes take
// part.
template <class Index, u32 CAPACITY> class NearMerger {
    static constexpr u32 NO_TRACK = Near<Index, CAPACITY>::NO_TRACK;

    const SliceTracks all;
    Near<Index, CAPACITY>& near;
    const Component own;
    // Index of the lane's first member, and the number of members of all lanes.
    u32 start, total;

  public:
    __device__ NearMerger(const SliceTracks& all, Near<Index, CAPACITY>& near, Component own)
        : all(all), near(near), own(own) {
        const u32 end = warp_inclusive_sum(own.size);
        start = end - own.size;
        total = __shfl_sync(FULL_MASK, end, (int)LANES - 1);
    }

    __device__ void merge() const {
        fetch_numbers();
        fetch_members();
        follow_links();
        store_relations();
    }

  private:
    // Range of the members of a component, and the distance of its list from them: negative (modulo
    // 2^32) if the list is before them.
    struct Members {
        u32 start, end, offset;
    };

    // Calls `visit` for all members, each by a lane. A barrier is included.
    template <class Visit> __device__ __forceinline__ void for_each_member(Visit visit) const {
        for (u32 first = 0; first < total; first += LANES) {
            const u32 index = first + threadIdx.x % LANES;
            const Members members = members_around(index);
            if (index < total) visit(index, members);
        }
        __syncwarp();
    }

    // The component that contains an index: that of the last lane whose start is not after it.
    __device__ __forceinline__ Members members_around(u32 index) const {
        u32 lane = 0;
        for (u32 step = LANES / 2; step > 0; step /= 2) {
            if (__shfl_sync(FULL_MASK, start, (int)(lane + step)) <= index) lane += step;
        }
        const u32 first = __shfl_sync(FULL_MASK, start, (int)lane);
        const u32 size = __shfl_sync(FULL_MASK, own.size, (int)lane);
        return {first, first + size, __shfl_sync(FULL_MASK, own.begin, (int)lane) - first};
    }

    __device__ void fetch_numbers() const {
        for_each_member([&](u32 index, const Members& component) {
            near.numbers[index] = all.members[component.offset + index];
        });
    }

    // One pass over all members of the component counts for each those before it, and the
    // indices of those that it refers to. The loads of slice tracks overlap with it.
    __device__ void fetch_members() const {
        for_each_member([&](u32 index, const Members& component) {
            const u32 number = near.numbers[index];
            const uint4 related = reinterpret_cast<const uint4*>(all.relations)[number];
            const u32 link = all.links[number];
            const uint4 track = reinterpret_cast<const uint4*>(all.tracks)[number];
            u32 rank = component.start, to = NO_TRACK, prev = NO_TRACK, next = NO_TRACK, lower = NO_TRACK;
            u32 upper = NO_TRACK;
            for (u32 other = component.start; other < component.end; other++) {
                const u32 named = near.numbers[other];
                rank += named < number;
                if (named == link) to = other;
                if (named == related.x) prev = other;
                if (named == related.y) next = other;
                if (named == related.z) lower = other;
                if (named == related.w) upper = other;
            }
            near.order[rank] = index;
            near.links[index] = to;
            near.relations[index] = {(Index)prev, (Index)next, {(Index)lower, (Index)upper}};
            reinterpret_cast<uint4*>(near.tracks)[index] = track;
        });
    }

    __device__ void follow_links() const {
        const Merger<NearRelations<Index>> merger{near.tracks, near.relations};
        for (u32 at = start; at < start + own.size; at++) {
            const u32 index = near.order[at], link = near.links[index];
            if (link != NO_TRACK) merger.follow(index, link);
        }
        __syncwarp();
    }

    __device__ void store_relations() const {
        for (u32 index = threadIdx.x % LANES; index < total; index += LANES) {
            const NearRelations<Index> related = near.relations[index];
            reinterpret_cast<uint4*>(all.relations)[near.numbers[index]] =
                make_uint4(number_at(related.segment_prev), number_at(related.segment_next),
                           number_at(related.neighbours[0]), number_at(related.neighbours[1]));
        }
        __syncwarp();
    }

    __device__ __forceinline__ u32 number_at(u32 index) const { return index == NO_TRACK ? NONE : near.numbers[index]; }
};

// Parts into which roots are divided.
constexpr u32 PARTS = 8;

// Counters of a part: the number of components of each kind, and how many of them have been taken.
struct Part {
    u32 small, large;
    u32 small_taken, large_taken;
};

// The number of members with an offset, and the parts. All 0 initially.
struct Counters {
    u32 placed;
    Part parts[PARTS];
};

namespace {

constexpr u32 THREADS = 256;
constexpr u32 RESOLVE_THREADS = 128;
constexpr u32 RESOLVE_WARPS = RESOLVE_THREADS / LANES;
// Shared memory in members: for all small components that a warp processes at a time, and for a
// large one.
constexpr u32 SMALL = 96, LARGE = 512;

// Shared memory of a block: small components for each warp, or one large component.
union SharedMemory {
    Near<u8, SMALL> small[RESOLVE_WARPS];
    Near<u16, LARGE> large;
};

__device__ __forceinline__ u32 own_track() { return blockIdx.x * THREADS + threadIdx.x; }

// The result of `take` in thread 0, for all threads.
template <class Take> __device__ __forceinline__ u32 by_one(u32& shared, Take take) {
    __syncthreads();
    if (threadIdx.x == 0) shared = take();
    __syncthreads();
    return shared;
}

// Reserves `count` entries for each thread and returns the offset of its first one. All threads
// take part.
__device__ __forceinline__ u32 reserve(u32 count, u32* counter, u32* warp_sums, u32& begin) {
    u32 total;
    const u32 before = block_exclusive_sum<THREADS>(count, warp_sums, total);
    return by_one(begin, [&] { return atomicAdd(counter, total); }) + before;
}

// Compares and exchanges all pairs of positions i and mirror(i) above it. Positions past the end
// count as larger than all values.
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

// Sorts in place by bitonic merges of growing length, with the whole block.
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

// All threads take part.
__device__ void merge_large(const SliceTracks& all, Near<u16, LARGE>& near, Component component) {
    if (component.size > LARGE) {
        sort_by_block(all.members + component.begin, component.size);
        if (threadIdx.x == 0) follow_list(all, all.members + component.begin, component.size);
    } else if (threadIdx.x < LANES) {
        NearMerger<u16, LARGE>(all, near, threadIdx.x == 0 ? component : Component{0, 0}).merge();
    }
}

// Takes a component for each lane, until all of `count` are taken, and merges all that fit at once.
// All lanes of a warp take part.
__device__ void merge_small(const SliceTracks& all, Near<u8, SMALL>& near, const Component* components, u32 count,
                            u32* taken) {
    const u32 lane = threadIdx.x % LANES;
    for (;;) {
        u32 first = 0;
        if (lane == 0) first = atomicAdd(taken, LANES);
        first = __shfl_sync(FULL_MASK, first, 0);
        if (first >= count) return;
        Component own = first + lane < count ? components[first + lane] : Component{0, 0};
        while (__any_sync(FULL_MASK, own.size > 0)) {
            const bool fits = warp_inclusive_sum(own.size) <= SMALL;
            NearMerger<u8, SMALL>(all, near, {own.begin, fits ? own.size : 0}).merge();
            if (fits) own.size = 0;
        }
    }
}

}  // namespace

// Counts the members of each component other than its root, and the rank of each of them.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_count(const u32* roots, u32* counts, u32* ranks, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    const u32 root = roots[track];
    ranks[track] = root == track ? 0 : 1 + atomicAdd(counts + root, 1u);
}
KERNEL_EXPORT(merge_count)

// Computes the offset of the list of each component with more than one member. Each part has as
// many entries as roots: small components are stored from the first entry on, large ones from the
// last entry backwards.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_place(const u32* counts, u32* list_offsets, Component* components, Counters* counters, u32 part_roots,
                u32 tracks) {
    __shared__ u32 warp_sums[LANES], begin;
    const u32 root = own_track(), number = root / part_roots;
    Part& part = counters->parts[number];
    Component* own_part = components + number * part_roots;
    const u32 others = root < tracks ? counts[root] : 0;
    const u32 size = others > 0 ? others + 1 : 0;
    const Component own = {reserve(size, &counters->placed, warp_sums, begin), size};
    const bool is_small = size > 0 && size <= SMALL;
    const u32 small_index = reserve(is_small, &part.small, warp_sums, begin);
    if (root < tracks) list_offsets[root] = size > 0 ? own.begin : NONE;
    if (is_small) own_part[small_index] = own;
    if (size > SMALL) own_part[part_roots - 1 - atomicAdd(&part.large, 1u)] = own;
}
KERNEL_EXPORT(merge_place)

// Stores each member in its list.
extern "C" __global__ void __launch_bounds__(THREADS)
    merge_fill(const u32* roots, const u32* list_offsets, const u32* ranks, u32* members, u32 tracks) {
    const u32 track = own_track();
    if (track >= tracks) return;
    const u32 begin = list_offsets[roots[track]];
    if (begin != NONE) members[begin + ranks[track]] = track;
}
KERNEL_EXPORT(merge_fill)

// Follows all links of a part: first those of large components, with a block each, then of small
// ones, with a lane each.
//
// Shared memory: see `SharedMemory`.
extern "C" __global__ void __launch_bounds__(RESOLVE_THREADS)
    merge_resolve(const SliceTrack* tracks, const u32* links, Relations* relations, u32* members,
                  const Component* components, Counters* counters, u32 number, u32 part_roots) {
    __shared__ SharedMemory shared;
    __shared__ u32 taken;
    const SliceTracks all{tracks, links, relations, members};
    Part& part = counters->parts[number];
    const Component* small = components + number * part_roots;
    const Component* last_large = small + part_roots - 1;
    for (;;) {
        const u32 before = by_one(taken, [&] { return atomicAdd(&part.large_taken, 1u); });
        if (before >= part.large) break;
        merge_large(all, shared.large, *(last_large - before));
    }
    merge_small(all, shared.small[threadIdx.x / LANES], small, part.small, &part.small_taken);
}
KERNEL_EXPORT(merge_resolve)
