// Hits of a pair of modules in the shared memory of a warp, and their order by angle and identifier.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

// Bits of an angle, and the bins of a range of angles, within which hits are compared.
constexpr u32 PHI_BITS = 16;
constexpr u32 PHI_BINS = 128;
constexpr u32 PHI_BIN_BITS = 7;
static_assert(1u << PHI_BIN_BITS == PHI_BINS, "bins are numbered by the first bits of the angle");

// An angle as a number without sign, in the same order.
__device__ __forceinline__ u32 ordered_phi(i16 phi) { return (u16)(phi ^ (i16)0x8000); }
__device__ __forceinline__ i16 phi_of_ordered(u32 phi) { return (i16)((i16)phi ^ (i16)0x8000); }

// Identifier without its mark, for the order of hits with the same angle.
__device__ __forceinline__ u32 ordered_id(u32 id) { return id & 0x1fffffffu; }

// Angles from `begin` on, two to the power of `bits` of them.
struct PhiRange {
    u32 begin, bits;

    __device__ __forceinline__ bool has(u32 phi) const { return phi - begin < 1u << bits; }
    __device__ __forceinline__ u32 bin_of(u32 phi) const {
        return (phi - begin) >> (bits > PHI_BIN_BITS ? bits - PHI_BIN_BITS : 0);
    }
};

// A hit: its identifier, and its point on the sensor: the fraction of the column and local y in `x` and `y`;
// once it is known, the position.
struct ListedHit {
    u32 id;
    float x, y, z;
};

// Hits in order of creation: those from the start on, then those from the end down.
class PairList {
    ListedHit* hits;
    // Of each hit the angle in the upper half, and its index in the bin.
    u32* in_bin;
    // In order of bins, the angle in the upper half, and the index of the hit.
    u32* order;
    // First hit of each bin.
    u32* bins;
    u32 low = 0, high = 0;

    __device__ __forceinline__ u32 index_of(u32 number) const { return number < low ? number : capacity - 1 - (number - low); }
    __device__ __forceinline__ u32 number_of(u32 index) const { return index < low ? index : low + (capacity - 1 - index); }

    // True if a hit is before another one, by their angles and indices.
    __device__ __forceinline__ bool is_before(u32 one, u32 other) const {
        if ((one ^ other) - 1 >= 0xffffu) return one < other;
        // Of the same angle, but not the same hit.
        const u32 index = one & 0xffffu, other_index = other & 0xffffu;
        const u32 id = ordered_id(hits[index].id), other_id = ordered_id(hits[other_index].id);
        return id != other_id ? id < other_id : number_of(index) < number_of(other_index);
    }

  public:
    const u32 capacity;

    // Bytes of a list in shared memory: a multiple of 16.
    static __device__ __forceinline__ u32 bytes(u32 capacity) { return 24 * capacity + 4 * (PHI_BINS + 4); }

    // A list in `memory`; the capacity is a multiple of 4.
    __device__ __forceinline__ PairList(unsigned char* memory, u32 capacity)
        : hits(reinterpret_cast<ListedHit*>(memory)), in_bin(reinterpret_cast<u32*>(memory + 16 * capacity)),
          order(in_bin + capacity), bins(order + capacity), capacity(capacity) {}

    // Memory for a word for each hit, until hits are sorted.
    __device__ __forceinline__ u32* scratch() const { return in_bin; }

    __device__ __forceinline__ u32 count() const { return low + high; }
    __device__ __forceinline__ bool has_capacity_for(u32 more) const { return low + high + more <= capacity; }

    // Stores a hit behind the first `before` that are new at the start, or at the end.
    __device__ __forceinline__ void put_at_start(u32 before, u32 id, float fraction, float local_y) {
        hits[low + before] = {id, fraction, local_y, 0.0f};
    }
    __device__ __forceinline__ void put_at_end(u32 before, u32 id, float fraction, float local_y) {
        hits[capacity - 1 - high - before] = {id, fraction, local_y, 0.0f};
    }

    // Counts hits that the warp has stored.
    __device__ __forceinline__ void add_at_start(u32 count) { low += count; }
    __device__ __forceinline__ void add_at_end(u32 count) { high += count; }

    // Replaces the hits by those of `count` in device memory whose angle is in a range. The warp calls it.
    template <class Arrays> __device__ __forceinline__ void load(const Arrays& from, u32 first, u32 count, PhiRange range) {
        low = 0;
        high = 0;
#pragma unroll 1
        for (u32 begin = 0; begin < count; begin += LANES) {
            const u32 hit = begin + threadIdx.x % LANES;
            const u32 phi = hit < count ? ordered_phi(from.phi[first + hit]) : 0;
            const bool is_inside = hit < count && range.has(phi);
            const lanemask_t inside = __ballot_sync(FULL_MASK, is_inside);
            if (is_inside) {
                const u32 index = low + (u32)popc(inside & lanemask_lt(threadIdx.x % LANES));
                const auto loaded = hit_at(from, first + hit);
                const Position at = position_of(loaded);
                hits[index] = {loaded.id, at.x, at.y, at.z};
                in_bin[index] = phi << 16;
            }
            low += (u32)popc(inside);
        }
        __syncwarp();
    }

    // Stores all hits, whose positions are computed, in order of angle and identifier. The warp calls it.
    template <class Arrays> __device__ __forceinline__ void store_sorted(const float* geometry, const Arrays& to, u32 first) {
        store_by_bins(to, first, {0, PHI_BITS}, [&](u32 index) {
            ListedHit hit = hits[index];
            const Position at = position_on_sensor(geometry, hit.id, hit.x, hit.y);
            hit.x = at.x;
            hit.y = at.y;
            hit.z = at.z;
            hits[index] = hit;
            return ordered_phi(phi16(at.x, at.y));
        });
    }

    // Stores all hits, which were loaded with angles of a range, in order of angle and identifier. The warp calls it.
    template <class Arrays> __device__ __forceinline__ void store_loaded(const Arrays& to, u32 first, PhiRange range) {
        store_by_bins(to, first, range, [&](u32 index) { return in_bin[index] >> 16; });
    }

    // Stores all hits in order of creation. The warp calls it.
    template <class Arrays> __device__ __forceinline__ void store_unsorted(const float* geometry, const Arrays& to, u32 first) const {
        const u32 all = count();
        for (u32 number = threadIdx.x % LANES; number < all; number += LANES) {
            const ListedHit hit = hits[index_of(number)];
            store_hit(to, first + number, geometry, hit.id, hit.x, hit.y);
        }
    }

  private:
    // Stores all hits in order of angle and identifier. `phi_of` returns the angle of the hit with an index.
    template <class Arrays, class PhiOf>
    __device__ __forceinline__ void store_by_bins(const Arrays& to, u32 first, PhiRange range, PhiOf phi_of) {
        const u32 lane = threadIdx.x % LANES, all = count();
        for (u32 bin = lane; bin < PHI_BINS; bin += LANES) bins[bin] = 0;
        __syncwarp();
#pragma unroll 1
        for (u32 number = lane; number < all; number += LANES) {
            const u32 index = index_of(number), phi = phi_of(index);
            in_bin[index] = phi << 16 | atomicAdd(&bins[range.bin_of(phi)], 1u);
        }
        __syncwarp();
        sum_bins(lane, all);
        __syncwarp();
#pragma unroll 1
        for (u32 number = lane; number < all; number += LANES) {
            const u32 index = index_of(number), phi_in_bin = in_bin[index];
            order[bins[range.bin_of(phi_in_bin >> 16)] + (phi_in_bin & 0xffffu)] = (phi_in_bin & 0xffff0000u) | index;
        }
        __syncwarp();
#pragma unroll 1
        for (u32 at = lane; at < all; at += LANES) {
            const u32 own = order[at], bin = range.bin_of(own >> 16), begin = bins[bin], end = bins[bin + 1];
            u32 slot = first + begin;
#pragma unroll 1
            for (u32 other = begin; other < end; other++) slot += is_before(order[other], own) ? 1 : 0;
            const ListedHit hit = hits[own & 0xffffu];
            store_hit_at(to, slot, {hit.x, hit.y, hit.z}, hit.id, phi_of_ordered(own >> 16));
        }
    }

    // Replaces the numbers of hits in the bins by the first hit of each.
    __device__ __forceinline__ void sum_bins(u32 lane, u32 all) {
        constexpr u32 EACH = PHI_BINS / LANES;
        u32 counts[EACH], sum = 0;
#pragma unroll
        for (u32 i = 0; i < EACH; i++) sum += counts[i] = bins[EACH * lane + i];
        u32 before = warp_inclusive_sum(sum) - sum;
#pragma unroll
        for (u32 i = 0; i < EACH; i++) {
            bins[EACH * lane + i] = before;
            before += counts[i];
        }
        if (lane == 0) bins[PHI_BINS] = all;
    }
};

// Number of hits in device memory whose angle is in a range. A warp calls it.
template <class Arrays> __device__ __forceinline__ u32 count_in_range(const Arrays& from, u32 first, u32 count, PhiRange range) {
    u32 inside = 0;
#pragma unroll 1
    for (u32 hit = threadIdx.x % LANES; hit < count; hit += LANES) inside += range.has(ordered_phi(from.phi[first + hit])) ? 1 : 0;
    return warp_sum(inside);
}

// Stores the hits of one angle, of `count` in device memory, from a slot on in order of their identifiers, because
// they are too many for a list. A warp calls it.
template <class Arrays>
__device__ __noinline__ void store_one_angle(Arrays from, u32 first, u32 count, u32 phi, Arrays to, u32 slot) {
    const auto has_angle = [&](u32 hit) { return ordered_phi(from.phi[first + hit]) == phi; };
#pragma unroll 1
    for (u32 hit = threadIdx.x % LANES; hit < count; hit += LANES) {
        if (!has_angle(hit)) continue;
        const u32 id = ordered_id(id_of(from, first + hit));
        u32 before = 0;
#pragma unroll 1
        for (u32 other = 0; other < count; other++) {
            if (!has_angle(other)) continue;
            const u32 other_id = ordered_id(id_of(from, first + other));
            before += other_id < id || (other_id == id && other < hit) ? 1 : 0;
        }
        copy_hit(from, first + hit, to, slot + before);
    }
}

// Sorts hits of a pair of modules from device memory to device memory, with a list in `memory`: of all of them, or,
// if they are too many, of a range of angles after another. A warp calls it.
template <class Arrays>
__device__ __forceinline__ void sort_hits(
    const Arrays& from, u32 count, const Arrays& to, u32 first, unsigned char* memory, u32 list_capacity) {
    PairList list(memory, list_capacity);
    u32 stored = 0;
    for (PhiRange range = {0, PHI_BITS}; range.begin < 1u << PHI_BITS && stored < count;) {
        u32 inside = range.bits == PHI_BITS ? count : count_in_range(from, first, count, range);
        while (inside > list_capacity && range.bits > 0) {
            range.bits--;
            inside = count_in_range(from, first, count, range);
        }
        if (inside > list_capacity) {
            store_one_angle(from, first, count, range.begin, to, first + stored);
        } else if (inside > 0) {
            list.load(from, first, count, range);
            list.store_loaded(to, first + stored, range);
            // All have read the list.
            __syncwarp();
        }
        stored += inside;
        range.begin += 1u << range.bits;
        range.bits = min(range.bits + 1, PHI_BITS);
    }
}

// Sorts the unsorted hits of a pair of modules that turn out to be too many for its list. A warp calls it.
template <class Arrays, class Arguments>
__device__ __noinline__ void sort_unlisted(const Arguments& arguments, u32 count, u32 first, unsigned char* memory) {
    const Arrays from = typed<Arrays>(arguments.unsorted), to = typed<Arrays>(arguments.sorted);
    sort_hits(from, count, to, first, memory, arguments.launched.list_capacity);
}

}  // namespace velo
