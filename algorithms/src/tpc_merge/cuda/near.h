// Components of a warp, near: in shared memory, where each step along a chain takes some
// thirty cycles, and not the hundreds of device memory.
//
// Members of a component lie together there, in ascending order of their numbers, and name
// each other by their places, of which a byte can hold all.
#pragma once
#include "block_scan.h"
#include "resolve.h"

// Members that a warp has near at a time.
constexpr u32 NEAR = 192;

// A component: where the list of its members begins, and how many it has.
struct Component {
    u32 begin, size;
};

// All slice tracks, and lists of those that are members of a component.
struct SliceTracks {
    const SliceTrack* tracks;
    const u32* links;
    Relations* relations;
    const u32* members;
};

// How a member belongs to others: their places.
struct NearRelations {
    u8 segment_prev, segment_next;
    u8 neighbours[2];
};

// What a warp has near. Numbers are in the order of lists first, in the memory that slice
// tracks come to later.
struct alignas(16) Near {
    SliceTrack tracks[NEAR];
    u32 numbers[NEAR];
    NearRelations relations[NEAR];
    u8 links[NEAR];
};

static_assert(NEAR <= Merger<NearRelations>::NOBODY, "a byte names each place, and none");

// Follows the links of components, of which each lane has one, or one without members.
// All lanes take part.
class NearMerger {
    const SliceTracks all;
    Near& near;
    const Component own;
    // Where the own members lie, and how many all lanes have.
    u32 start, total;

  public:
    __device__ NearMerger(const SliceTracks& all, Near& near, Component own) : all(all), near(near), own(own) {
        const u32 end = warp_inclusive_sum(own.size);
        start = end - own.size;
        total = __shfl_sync(FULL_MASK, end, (int)LANES - 1);
    }

    __device__ void merge() const {
        fetch_numbers();
        sort_numbers();
        fetch_tracks();
        follow_links();
        store_relations();
    }

  private:
    // The members of a component, by their places, and how far before these its list lies.
    struct Members {
        u32 start, end, offset;
    };

    __device__ u32* unsorted() const { return reinterpret_cast<u32*>(near.tracks); }

    // All members, each by a lane. A barrier is included.
    template <class Visit> __device__ __forceinline__ void for_each_member(Visit visit) const {
        for (u32 first = 0; first < total; first += LANES) {
            const u32 place = first + threadIdx.x % LANES;
            const Members members = members_around(place);
            if (place < total) visit(place, members);
        }
        __syncwarp();
    }

    // The component that a place belongs to: that of the last lane that does not begin behind it.
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
            unsorted()[place] = all.members[component.offset + place];
        });
    }

    // Each number goes behind those of its component that are smaller.
    __device__ void sort_numbers() const {
        for_each_member([&](u32 place, const Members& component) {
            const u32 number = unsorted()[place];
            u32 sorted = component.start;
            for (u32 other = component.start; other < component.end; other++) sorted += unsorted()[other] < number;
            near.numbers[sorted] = number;
        });
    }

    __device__ void fetch_tracks() const {
        for_each_member([&](u32 place, const Members& component) {
            const u32 number = near.numbers[place];
            const uint4 track = reinterpret_cast<const uint4*>(all.tracks)[number];
            const uint4 related = reinterpret_cast<const uint4*>(all.relations)[number];
            const u32 link = all.links[number];
            reinterpret_cast<uint4*>(near.tracks)[place] = track;
            near.links[place] = place_of(link, component);
            near.relations[place] = {place_of(related.x, component),
                                     place_of(related.y, component),
                                     {place_of(related.z, component), place_of(related.w, component)}};
        });
    }

    __device__ __forceinline__ u8 place_of(u32 number, const Members& component) const {
        if (number == NONE) return Merger<NearRelations>::NOBODY;
        u32 place = component.start;
        for (u32 end = component.end; end - place > 1;) {
            const u32 middle = (place + end) / 2;
            if (near.numbers[middle] <= number) place = middle;
            else end = middle;
        }
        return place;
    }

    __device__ void follow_links() const {
        const Merger<NearRelations> merger{near.tracks, near.relations};
        for (u32 place = start; place < start + own.size; place++) {
            const u32 link = near.links[place];
            if (link != merger.NOBODY) merger.follow(place, link);
        }
        __syncwarp();
    }

    __device__ void store_relations() const {
        for_each_member([&](u32 place, const Members&) {
            const NearRelations related = near.relations[place];
            reinterpret_cast<uint4*>(all.relations)[near.numbers[place]] =
                make_uint4(number_at(related.segment_prev), number_at(related.segment_next),
                           number_at(related.neighbours[0]), number_at(related.neighbours[1]));
        });
    }

    __device__ __forceinline__ u32 number_at(u32 place) const {
        return place == Merger<NearRelations>::NOBODY ? NONE : near.numbers[place];
    }
};
