// Components of a warp in shared memory, where each step along a chain takes about thirty cycles,
// instead of hundreds in device memory.
//
// Members of a component are contiguous there, and refer to each other by their index in shared
// memory, which takes a byte or two.
#pragma once
#include "block_scan.h"
#include "resolve.h"

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
