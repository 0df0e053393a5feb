// Hits of a pair of modules in the shared memory of a warp, and their order by angle and identifier.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

// Bits of the index of a hit in its key: a pair of modules has fewer words.
constexpr u32 KEY_INDEX_BITS = 19;
// Bins of the angle, within which hits are compared.
constexpr u32 PHI_BINS = 128;
constexpr u32 PHI_BIN_BITS = 7;
static_assert(1u << PHI_BIN_BITS == PHI_BINS, "bins are numbered by the first bits of the angle");

// Key of a hit: angle, identifier without its mark, and index, which makes keys unique.
__device__ __forceinline__ u64 key_of(i16 phi, u32 id, u32 index) {
    return (u64)(u16)(phi ^ (i16)0x8000) << 48 | (u64)(id & 0x1fffffffu) << KEY_INDEX_BITS | index;
}

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
        const u32 id = hits[index].id & 0x1fffffffu, other_id = hits[other_index].id & 0x1fffffffu;
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

    // Stores all hits in order of angle and identifier. The warp calls it.
    template <class Arrays> __device__ __forceinline__ void store_sorted(const float* geometry, const Arrays& to, u32 first) {
        const u32 lane = threadIdx.x % LANES, all = count();
        for (u32 bin = lane; bin < PHI_BINS; bin += LANES) bins[bin] = 0;
        __syncwarp();
#pragma unroll 1
        for (u32 number = lane; number < all; number += LANES) {
            const u32 index = index_of(number);
            ListedHit hit = hits[index];
            const Position at = position_on_sensor(geometry, hit.id, hit.x, hit.y);
            hit.x = at.x;
            hit.y = at.y;
            hit.z = at.z;
            hits[index] = hit;
            const u32 phi = (u32)(u16)(phi16(at.x, at.y) ^ (i16)0x8000);
            in_bin[index] = phi << 16 | atomicAdd(&bins[phi >> (16 - PHI_BIN_BITS)], 1u);
        }
        __syncwarp();
        sum_bins(lane, all);
        __syncwarp();
#pragma unroll 1
        for (u32 number = lane; number < all; number += LANES) {
            const u32 index = index_of(number), phi_in_bin = in_bin[index];
            order[bins[phi_in_bin >> (32 - PHI_BIN_BITS)] + (phi_in_bin & 0xffffu)] = (phi_in_bin & 0xffff0000u) | index;
        }
        __syncwarp();
#pragma unroll 1
        for (u32 at = lane; at < all; at += LANES) {
            const u32 own = order[at], bin = own >> (32 - PHI_BIN_BITS), begin = bins[bin], end = bins[bin + 1];
            u32 slot = first + begin;
#pragma unroll 1
            for (u32 other = begin; other < end; other++) slot += is_before(order[other], own) ? 1 : 0;
            const ListedHit hit = hits[own & 0xffffu];
            store_hit_at(to, slot, {hit.x, hit.y, hit.z}, hit.id, (i16)((i16)(own >> 16) ^ (i16)0x8000));
        }
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

// Sorts hits that are in device memory, because there are too many for a list. A warp calls it.
template <class Arrays>
__device__ __noinline__ void sort_in_memory(const Arrays& from, u32 count, const Arrays& to, u32 first) {
    const auto key_at = [&](u32 hit) { return key_of(from.phi[first + hit], id_of(from, first + hit), hit); };
    for (u32 hit = threadIdx.x % LANES; hit < count; hit += LANES) {
        const u64 key = key_at(hit);
        u32 slot = first;
        for (u32 other = 0; other < count; other++) slot += key_at(other) < key ? 1 : 0;
        copy_hit(from, first + hit, to, slot);
    }
}

}  // namespace velo
