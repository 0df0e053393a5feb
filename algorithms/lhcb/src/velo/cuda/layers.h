// Angles of the hits of three pairs of modules, and their unused hits: in shared memory with indices of 16 bits, or
// in device memory with indices of 32 bits.
#pragma once
#include "event.h"
// nvcc: -fmad=false

namespace velo {

// Bins of the angle in a layer.
constexpr u32 LAYER_BINS = 128;
constexpr u32 LAYER_BIN_SHIFT = 9;
static_assert(LAYER_BINS << LAYER_BIN_SHIFT == 65536, "bins cover all angles");
// Entries before and after a list of unused hits, with hits of the other end.
constexpr u32 LIST_MARGIN = 8;

__device__ __forceinline__ u32 layer_bin(i16 phi) { return (u32)(u16)(phi ^ (i16)0x8000) >> LAYER_BIN_SHIFT; }

// The unsigned type with the size of a type of indices.
template <class Index> struct Unsigned;
template <> struct Unsigned<i16> {
    typedef u16 Type;
};
template <> struct Unsigned<i32> {
    typedef u32 Type;
};

// A pair of modules.
template <class Index> struct Layer {
    typedef typename Unsigned<Index>::Type Bin;

    // Of each 32 hits: bits of the unused ones, and the number of unused ones before.
    u32* unused_bits;
    u32* unused_before_word;
    u32* unused_count;
    // First hit of each bin of the angle; the number of hits follows.
    Bin* bins;
    i16* phi;
    // Indices of the unused hits. Before and after them are those of the other end, less or more the number
    // of all hits.
    Index* unused;

    // Bytes of a layer; the capacity is a multiple of 32.
    static __device__ __forceinline__ u32 bytes(u32 capacity) {
        constexpr u32 SIZE = sizeof(Index);
        return (8 * (capacity / 32 + 1) + 4 + SIZE * (LAYER_BINS + 2) + (2 + SIZE) * capacity + 2 * SIZE * LIST_MARGIN + 15) / 16 * 16;
    }

    __device__ __forceinline__ Layer(unsigned char* memory, u32 capacity)
        : unused_bits(reinterpret_cast<u32*>(memory)), unused_before_word(unused_bits + capacity / 32 + 1),
          unused_count(unused_before_word + capacity / 32 + 1), bins(reinterpret_cast<Bin*>(unused_count + 1)),
          phi(reinterpret_cast<i16*>(bins + LAYER_BINS + 2)), unused(reinterpret_cast<Index*>(phi + capacity) + LIST_MARGIN) {}

    // Copies the angles of hits, sorted, from device memory. All of `threads` call it.
    __device__ __forceinline__ void load(const i16* from, u32 count, u32 thread, u32 threads) const {
        for (u32 hit = thread; hit < count; hit += threads) {
            const i16 own = from[hit];
            phi[hit] = own;
            const u32 bin = layer_bin(own);
            for (u32 next = hit == 0 ? 0 : layer_bin(from[hit - 1]) + 1; next <= bin; next++) bins[next] = (Bin)hit;
            if (hit + 1 == count) {
                for (u32 next = bin + 1; next <= LAYER_BINS; next++) bins[next] = (Bin)count;
            }
        }
        if (count == 0) {
            for (u32 bin = thread; bin <= LAYER_BINS; bin += threads) bins[bin] = 0;
        }
    }

    // Lists the unused hits. A warp calls it.
    __device__ __forceinline__ void list_unused(const u32* used, u32 count) const {
        const u32 lane = threadIdx.x % LANES;
        u32 listed = 0;
        // One more than the hits, so that there is a number before the end.
        for (u32 first = 0; first <= count; first += 32) {
            const u32 left = count - first;
            const u32 mask = left >= 32 ? ~used[first / 32] : left == 0 ? 0 : ~used[first / 32] & ((1u << left) - 1);
            if (lane < 32 && (mask >> lane & 1) != 0) {
                unused[listed + (u32)__popc(mask & ((1u << lane) - 1))] = (Index)(first + lane);
            }
            if (lane == 0) {
                unused_bits[first / 32] = mask;
                unused_before_word[first / 32] = listed;
            }
            listed += (u32)__popc(mask);
        }
        __syncwarp();
        if (lane < min(listed, LIST_MARGIN)) {
            unused[listed + lane] = (Index)(unused[lane] + (i32)count);
            unused[-1 - (i32)lane] = (Index)(unused[listed - 1 - lane] - (i32)count);
        }
        if (lane == 0) *unused_count = listed;
    }

    // The first hit whose angle is not less than this.
    __device__ __forceinline__ u32 lower_bound_of(i16 angle) const {
        const u32 bin = layer_bin(angle);
        return lower_bound(bins[bin], bins[bin + 1], [&](u32 hit) { return phi[hit] < angle; });
    }

    // Number of unused hits before a hit.
    __device__ __forceinline__ u32 unused_before(u32 hit) const {
        return unused_before_word[hit / 32] + (u32)__popc(unused_bits[hit / 32] & ((1u << hit % 32) - 1));
    }

    // The unused hit that is tried as number `number`, below `CANDIDATES`, for a second hit of this angle:
    // alternately above and below it, by index.
    template <u32 CANDIDATES> __device__ __forceinline__ u32 unused_around(i16 angle, u32 number, u32 count) const {
        static_assert(CANDIDATES <= LIST_MARGIN, "the list continues beyond its ends");
        const i32 middle = (i32)lower_bound_of(angle);
        const Index* above = unused + unused_before((u32)middle);
        // The hits before it are the first of those above and of those below. As both are in order, those from
        // above are counted without taking one after the other.
        const Index* below = above - number;
        u32 ups = 0;
#pragma unroll
        for (u32 step = 0; step + 1 < CANDIDATES; step++) {
            if (step < number && above[step] + below[step] <= 2 * middle) ups++;
        }
        const i32 up = above[ups], down = below[(i32)ups - 1];
        const i32 hit = up + down <= 2 * middle ? up : down;
        return (u32)(hit < 0 ? hit + (i32)count : hit >= (i32)count ? hit - (i32)count : hit);
    }
};

// Three pairs of modules that follow each other.
template <class Index> struct Layers {
    unsigned char* memory;
    u32 capacity, layer_bytes;
    // Words of the bits of the hits of a pair.
    u32 words;

    __device__ __forceinline__ Layers(unsigned char* memory, u32 capacity)
        : memory(memory), capacity(capacity), layer_bytes(Layer<Index>::bytes(capacity)), words(capacity / 32) {}

    static __device__ __forceinline__ u32 bytes(u32 capacity) { return 3 * Layer<Index>::bytes(capacity); }

    __device__ __forceinline__ Layer<Index> of(u32 pair) const { return Layer<Index>(memory + pair % 3 * layer_bytes, capacity); }

    __device__ __forceinline__ u32* end() const { return reinterpret_cast<u32*>(memory + 3 * layer_bytes); }
};

}  // namespace velo
