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
template <class Place> struct NearRelations {
    Place segment_prev, segment_next;
    Place neighbours[2];
};

// Shared memory of a warp, for at most `ROOM` members.
template <class Place, u32 ROOM> struct alignas(16) Near {
    static constexpr u32 NOBODY = Merger<NearRelations<Place>>::NOBODY;
    static_assert(ROOM <= NOBODY, "there is a number for each place, and one for none");

    SliceTrack tracks[ROOM];
    u32 numbers[ROOM];
    NearRelations<Place> relations[ROOM];
    Place links[ROOM];
    // The indices of a component's members, in ascending order of their slice tracks.
    Place order[ROOM];
};

// Follows the links of components, of which each lane has one, or an empty one. All lanes take
// part.
template <class Place, u32 ROOM> class NearMerger {
    static constexpr u32 NOBODY = Near<Place, ROOM>::NOBODY;

    const SliceTracks all;
    Near<Place, ROOM>& near;
    const Component own;
    // Index of the lane's first member, and the number of members of all lanes.
    u32 start, total;

  public:
    __device__ NearMerger(const SliceTracks& all, Near<Place, ROOM>& near, Component own)
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
            const u32 place = first + threadIdx.x % LANES;
            const Members members = members_around(place);
            if (place < total) visit(place, members);
        }
        __syncwarp();
    }

    // The component that contains an index: that of the last lane whose start is not after it.
    __device__ __forceinline__ Members members_around(u32 place) const {
        u32 lane = 0;
        for (u32 step = LANES / 2; step > 0; step /= 2) {
            if (__shfl_sync(FULL_MASK, start, (int)(lane + step)) <= place) lane += step;
        }
        const u32 first = __shfl_sync(FULL_MASK, start, (int)lane);
        const u32 size = __shfl_sync(FULL_MASK, own.size, (int)lane);
        return {first, first + size, __shfl_sync(FULL_MASK, own.begin, (int)lane) - first};
    }

    __device__ void fetch_numbers() const {
        for_each_member([&](u32 place, const Members& component) {
            near.numbers[place] = all.members[component.offset + place];
        });
    }

    // One pass over all members of the component finds for each how many are before it, and the
    // indices of those that it refers to. The loads of slice tracks overlap with it.
    __device__ void fetch_members() const {
        for_each_member([&](u32 place, const Members& component) {
            const u32 number = near.numbers[place];
            const uint4 related = reinterpret_cast<const uint4*>(all.relations)[number];
            const u32 link = all.links[number];
            const uint4 track = reinterpret_cast<const uint4*>(all.tracks)[number];
            u32 rank = component.start, to = NOBODY, prev = NOBODY, next = NOBODY, lower = NOBODY, upper = NOBODY;
            for (u32 other = component.start; other < component.end; other++) {
                const u32 named = near.numbers[other];
                rank += named < number;
                if (named == link) to = other;
                if (named == related.x) prev = other;
                if (named == related.y) next = other;
                if (named == related.z) lower = other;
                if (named == related.w) upper = other;
            }
            near.order[rank] = place;
            near.links[place] = to;
            near.relations[place] = {(Place)prev, (Place)next, {(Place)lower, (Place)upper}};
            reinterpret_cast<uint4*>(near.tracks)[place] = track;
        });
    }

    __device__ void follow_links() const {
        const Merger<NearRelations<Place>> merger{near.tracks, near.relations};
        for (u32 at = start; at < start + own.size; at++) {
            const u32 place = near.order[at], link = near.links[place];
            if (link != NOBODY) merger.follow(place, link);
        }
        __syncwarp();
    }

    __device__ void store_relations() const {
        for (u32 place = threadIdx.x % LANES; place < total; place += LANES) {
            const NearRelations<Place> related = near.relations[place];
            reinterpret_cast<uint4*>(all.relations)[near.numbers[place]] =
                make_uint4(number_at(related.segment_prev), number_at(related.segment_next),
                           number_at(related.neighbours[0]), number_at(related.neighbours[1]));
        }
        __syncwarp();
    }

    __device__ __forceinline__ u32 number_at(u32 place) const { return place == NOBODY ? NONE : near.numbers[place]; }
};
