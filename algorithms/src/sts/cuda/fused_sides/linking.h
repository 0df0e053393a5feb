// Links of digis, and heads of chains.
#pragma once
#include "../formulas/connecting.h"
#include "shared.h"

namespace {

// Links in shared memory, aligned to vectors of 16 bytes. Index 0 means no successor: successors
// lie in higher channels, so never at index 0.
struct Links {
    // Digis that a thread takes at a time.
    static constexpr u32 STEP = sizeof(uint4);

    u16* followers;
    // For each digi whether it follows another one.
    u8* follows;
    u32 count;

    __device__ __forceinline__ u32 follower(u32 index) const { return followers[index]; }

    // Several threads may connect with the same follower where that can be shared.
    template <class Rules> __device__ __forceinline__ void connect(u32 index, u32 follower) const {
        followers[index] = (u16)follower;
        if constexpr (Rules::SUCCESSORS == Successors::SHARED) {
            atomicOr(reinterpret_cast<u32*>(follows) + follower / 4, 1u << 8 * (follower % 4));
        } else {
            follows[follower] = 1;
        }
    }

    // Clears all predecessor flags. A barrier is needed after.
    __device__ __forceinline__ void clear() const {
        const uint4 none = make_uint4(0, 0, 0, 0);
        for (u32 step = threadIdx.x; step < (count + STEP - 1) / STEP; step += THREADS) {
            uint4* vectors = reinterpret_cast<uint4*>(followers) + 2 * step;
            vectors[0] = vectors[1] = none;
            reinterpret_cast<uint4*>(follows)[step] = none;
        }
    }
};

// A side that was sorted in shared memory, with its digis and channels as the sort leaves them.
struct SideInShared : Links {
    const Shared& shared;

    __device__ __forceinline__ SideInShared(Shared& shared, u32 count)
        : Links{shared.chains.followers, shared.chains.follows, count}, shared(shared) {}

    __device__ __forceinline__ u64 digi(u32 index) const { return digi_from_time_first(shared.chains.digis[index]); }
    // The time is in the upper word, above one bit.
    __device__ __forceinline__ u32 time(u32 index) const {
        return reinterpret_cast<const u32*>(shared.chains.digis)[2 * index + 1] >> 1;
    }
    // Until heads are listed.
    __device__ __forceinline__ u32 channel_begin(u32 channel) const {
        return shared.sorting.buckets[channel].first / BINS_A_DIGI;
    }
};

// A side that was sorted in device memory.
struct LongSide : Links {
    const u64* digis;
    u32* channels;

    __device__ __forceinline__ LongSide(const u64* digis, u32 count, LongChains& chains)
        : Links{chains.followers, chains.follows, count}, digis(digis), channels(chains.channels) {}

    __device__ __forceinline__ u64 digi(u32 index) const { return digis[index]; }
    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }
    __device__ __forceinline__ u32 channel_begin(u32 channel) const { return channels[channel]; }
};

// Barriers before and after.
template <class Rules, class Side> __device__ __forceinline__ void link_side(const Side& side, const Window& window) {
    side.clear();
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) connect<Rules>(side, index, window);
    __syncthreads();
}

// Chain heads among a thread's consecutive digis: a bit each.
struct ThreadHeads {
    u32 singles = 0, others = 0;

    __device__ __forceinline__ ThreadHeads(const Links& links, u32 first) {
        static_assert(SORTED_ITEMS == Links::STEP, "a vector of marks, and two of followers");
        if (first >= links.count) return;
        const uint4 marks = *reinterpret_cast<const uint4*>(links.follows + first);
        const uint4* followers = reinterpret_cast<const uint4*>(links.followers + first);
        const uint4 low = followers[0], high = followers[1];
        const u32 bytes[4] = {marks.x, marks.y, marks.z, marks.w};
        const u32 pairs[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
#pragma unroll
        for (u32 i = 0; i < SORTED_ITEMS; i++) {
            const bool is_head = first + i < links.count && (bytes[i / 4] >> 8 * (i % 4) & 0xff) == 0;
            const bool is_single = (pairs[i / 2] >> 16 * (i % 2) & 0xffff) == NO_SUCCESSOR;
            singles |= (u32)(is_head && is_single) << i;
            others |= (u32)(is_head && !is_single) << i;
        }
    }
};

// The first digis of chains. Chains of a single digi and others are apart: where threads have
// different things to do, they wait for each other.
class Heads {
    u16* list;  // singles from its beginning on, others from its end
    u32 end;

  public:
    u32 singles = 0, others = 0;

    __device__ __forceinline__ Heads(u16* list, u32 end) : list(list), end(end) {}

    __device__ __forceinline__ u32 count() const { return singles + others; }
    // Singles come first.
    __device__ __forceinline__ u32 operator[](u32 rank) const {
        return list[rank < singles ? rank : end - 1 - (rank - singles)];
    }

    // Lists a thread's heads, whose digis start at `first`, after `before` others of the block.
    __device__ __forceinline__ void add(const ThreadHeads& thread_heads, u32 first, u32 before) {
        u16* to = list + singles + (before & 0xffff);
        for (u32 heads = thread_heads.singles; heads; heads &= heads - 1) *to++ = (u16)(first + __ffs((int)heads) - 1);
        to = list + end - others - (before >> 16);
        for (u32 heads = thread_heads.others; heads; heads &= heads - 1) *--to = (u16)(first + __ffs((int)heads) - 1);
    }
};

// Lists the heads of all chains. Barriers before and after.
__device__ __forceinline__ Heads list_heads(const Links& links, u16* list) {
    __shared__ u32 warp_sums[LANES];
    static_assert(CAPACITY < 1u << 16, "two counts share a word");
    Heads heads(list, links.count);
    for (u32 begin = 0; begin < links.count; begin += CAPACITY) {
        const u32 first = begin + threadIdx.x * SORTED_ITEMS;
        const ThreadHeads thread_heads(links, first);
        u32 total;
        const u32 counts = __popc(thread_heads.others) << 16 | __popc(thread_heads.singles);
        heads.add(thread_heads, first, block_exclusive_sum<THREADS>(counts, warp_sums, total));
        heads.singles += total & 0xffff;
        heads.others += total >> 16;
        __syncthreads();
    }
    return heads;
}

}  // namespace
