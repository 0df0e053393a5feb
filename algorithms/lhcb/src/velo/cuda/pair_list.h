// Hits of a pair of modules in shared memory, in order of creation.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

// Hits that fit.
constexpr u32 LIST_CAPACITY = 512;
// Bits of the index of a hit in its key: a pair of modules has fewer words.
constexpr u32 KEY_INDEX_BITS = 19;

// Key of a hit: angle, identifier without its mark, and index, which makes keys unique.
__device__ __forceinline__ u64 key_of(i16 phi, u32 id, u32 index) {
    return (u64)(u16)(phi ^ (i16)0x8000) << 48 | (u64)(id & 0x1fffffffu) << KEY_INDEX_BITS | index;
}

// Of each hit the identifier, and its place on the sensor: the fraction of the column and local y; once it
// is known, the position.
struct PairList {
    u32 ids[LIST_CAPACITY];
    float x[LIST_CAPACITY];
    float y[LIST_CAPACITY];
    float z[LIST_CAPACITY];
    u64 keys[LIST_CAPACITY];

    __device__ __forceinline__ void put(u32 index, u32 id, float fraction, float local_y) {
        ids[index] = id;
        x[index] = fraction;
        y[index] = local_y;
    }

    // Position of a hit.
    __device__ __forceinline__ Position at(const float* geometry, u32 index) const {
        const u32 id = ids[index];
        return position(geometry, id >> 18 & 255, (id >> 16 & 3) * 256 + (id >> 8 & 255), x[index], y[index]);
    }
};

// Stores hits in order of angle and identifier. All threads of the block call it after a barrier.
template <u32 THREADS, class Arrays>
__device__ __forceinline__ void store_sorted(PairList& list, u32 count, const float* geometry, const Arrays& to, u32 first) {
    for (u32 hit = threadIdx.x; hit < count; hit += THREADS) {
        const Position at = list.at(geometry, hit);
        list.x[hit] = at.x;
        list.y[hit] = at.y;
        list.z[hit] = at.z;
        list.keys[hit] = key_of(phi16(at.x, at.y), list.ids[hit], hit);
    }
    __syncthreads();
    for (u32 hit = threadIdx.x; hit < count; hit += THREADS) {
        const u64 key = list.keys[hit];
        u32 smaller = 0;
#pragma unroll 4
        for (u32 other = 0; other < count; other++) smaller += list.keys[other] < key ? 1 : 0;
        const u32 slot = first + smaller;
        to.ids[slot] = list.ids[hit];
        store(to.x, slot, list.x[hit]);
        store(to.y, slot, list.y[hit]);
        store(to.z, slot, list.z[hit]);
        to.phi[slot] = (i16)((i16)(key >> 48) ^ (i16)0x8000);
    }
}

// Stores hits in order of creation.
template <u32 THREADS, class Arrays>
__device__ __forceinline__ void store_unsorted(const PairList& list, u32 count, const float* geometry, const Arrays& to, u32 first) {
    for (u32 hit = threadIdx.x; hit < count; hit += THREADS) {
        const Position at = list.at(geometry, hit);
        const u32 slot = first + hit;
        to.ids[slot] = list.ids[hit];
        store(to.x, slot, at.x);
        store(to.y, slot, at.y);
        store(to.z, slot, at.z);
        to.phi[slot] = phi16(at.x, at.y);
    }
}

// Sorts hits that are in device memory, because there are too many for the list. All threads of the block
// call it after a barrier.
template <u32 THREADS, class Arrays>
__device__ __noinline__ void sort_in_memory(const Arrays& from, u32 count, const Arrays& to, u32 first) {
    const auto key_at = [&](u32 hit) { return key_of(from.phi[first + hit], from.ids[first + hit], hit); };
    for (u32 hit = threadIdx.x; hit < count; hit += THREADS) {
        const u64 key = key_at(hit);
        u32 slot = first;
        for (u32 other = 0; other < count; other++) slot += key_at(other) < key ? 1 : 0;
        to.ids[slot] = from.ids[first + hit];
        to.x[slot] = from.x[first + hit];
        to.y[slot] = from.y[first + hit];
        to.z[slot] = from.z[first + hit];
        to.phi[slot] = from.phi[first + hit];
    }
}

}  // namespace velo
