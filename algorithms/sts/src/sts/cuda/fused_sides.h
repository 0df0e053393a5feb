// A side that a block processes in shared memory: sorting its digis, linking them, making clusters
// of the chains, and ordering these by time. Sorting is that of `channel_bucket.cu`, ordering that of
// `time_bins.cu`.
#pragma once
#include "../../sts_sort/cuda/channel_bucket/segment.h"
#include "formulas/clusters.h"
#include "time_bins/sorting.h"

namespace {

// Digis of a side in order of channel and time, and what becomes of them. Digis are where the sort
// leaves them, and links where it had bins.
template <class Sort> struct Chains {
    u64 digis[Sort::CAPACITY];  // with the time in the highest bits
    u16 heads[Sort::CAPACITY];  // heads of chains; before, offsets of channels
    u16 followers[Sort::CAPACITY];
    u8 follows[Sort::CAPACITY];
};

// Links of the digis of a side that is sorted in device memory, as it has more than a block sorts.
template <class Sort> struct LongChains {
    static constexpr u32 MAX_DIGIS = 5 * Sort::CAPACITY / 2;
    static_assert(MAX_DIGIS < 1u << 16, "an index is a number of 16 bits");
    // Maximum clusters of such a side that a block sorts.
    static constexpr u32 MAX_CLUSTERS = 11 * Sort::CAPACITY / 8;

    u16 heads[MAX_DIGIS];
    u16 followers[MAX_DIGIS];
    u8 follows[MAX_DIGIS];
    u32 channels[CHANNEL_OFFSETS];
};

template <class Sort> union Shared {
    Sorting<Sort> sorting;
    Overfull<Sort> overfull;
    Chains<Sort> chains;
    LongChains<Sort> long_chains;
    time_bins::Sorting<Sort::THREADS, Sort::CAPACITY> order;
    time_bins::Sorting<Sort::THREADS, LongChains<Sort>::MAX_CLUSTERS, Sort::CAPACITY / 2> long_order;
};

// Sorts a side of which many digis have nearly the same time: in device memory, from which they are
// read again.
template <class Sort> __device__ __forceinline__ void sort_crowded(u64* digis, u32 count, Shared<Sort>& shared) {
    sort_overfull(digis, digis, count, shared.overfull);
    count_channels(digis, count, shared.sorting);
    for_each_word<Sort::THREADS>(digis, count, [&](u32 i, u64 digi) { shared.sorting.sorted[i] = time_first(digi); });
    __syncthreads();
}

// Sorts the digis of a side into shared memory. A barrier after.
template <class Sort> __device__ __forceinline__ void sort_side(u64* digis, u32 count, Shared<Sort>& shared) {
    const Times times = count_channels(digis, count, shared.sorting);
    const auto channel = [](u64 digi) { return digi_channel(digi); };
    if (!sort_in_shared(digis, count, channel, times, shared.sorting)) sort_crowded(digis, count, shared);
}

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
    template <u32 THREADS> __device__ __forceinline__ void clear() const {
        const uint4 none = make_uint4(0, 0, 0, 0);
        for (u32 step = threadIdx.x; step < (count + STEP - 1) / STEP; step += THREADS) {
            uint4* vectors = reinterpret_cast<uint4*>(followers) + 2 * step;
            vectors[0] = vectors[1] = none;
            reinterpret_cast<uint4*>(follows)[step] = none;
        }
    }
};

// A side that was sorted in shared memory, with its digis and channels as the sort leaves them.
template <class Sort> struct SideInShared : Links {
    const Shared<Sort>& shared;

    __device__ __forceinline__ SideInShared(Shared<Sort>& shared, u32 count)
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

    template <class Sort>
    __device__ __forceinline__ LongSide(const u64* digis, u32 count, LongChains<Sort>& chains)
        : Links{chains.followers, chains.follows, count}, digis(digis), channels(chains.channels) {}

    __device__ __forceinline__ u64 digi(u32 index) const { return digis[index]; }
    __device__ __forceinline__ u32 time(u32 index) const { return digi_time(digis[index]); }
    __device__ __forceinline__ u32 channel_begin(u32 channel) const { return channels[channel]; }
};

// Barriers before and after.
template <class Sort, class Rules, class Side>
__device__ __forceinline__ void link_side(const Side& side, const Window& window) {
    side.template clear<Sort::THREADS>();
    __syncthreads();
    for (u32 index = threadIdx.x; index < side.count; index += Sort::THREADS) connect<Rules>(side, index, window);
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
template <class Sort> __device__ __forceinline__ Heads list_heads(const Links& links, u16* list) {
    __shared__ u32 warp_sums[LANES];
    static_assert(Sort::CAPACITY < 1u << 16, "two counts share a word");
    Heads heads(list, links.count);
    for (u32 begin = 0; begin < links.count; begin += Sort::CAPACITY) {
        const u32 first = begin + threadIdx.x * SORTED_ITEMS;
        const ThreadHeads thread_heads(links, first);
        u32 total;
        const u32 counts = __popc(thread_heads.others) << 16 | __popc(thread_heads.singles);
        heads.add(thread_heads, first, block_exclusive_sum<Sort::THREADS>(counts, warp_sums, total));
        heads.singles += total & 0xffff;
        heads.others += total >> 16;
        __syncthreads();
    }
    return heads;
}

// The block's side. Its members are loaded again at each use: registers are scarce.
struct BlockSide {
    const ClusterFinding& all;
    u32 side;

    __device__ __forceinline__ u32 begin() const { return all.side_offsets[side]; }
    __device__ __forceinline__ u32 count() const { return all.side_offsets[side + 1] - begin(); }
    __device__ __forceinline__ u64* digis() const { return all.digis + begin(); }
    __device__ __forceinline__ Cluster* clusters() const { return all.clusters + begin(); }
    __device__ __forceinline__ Entry* entries() const { return all.entries + begin(); }
    __device__ __forceinline__ float offset() const { return all.offset(side); }

    __device__ __forceinline__ void publish(const Heads& heads, u32 latest_error) const {
        if (threadIdx.x == 0) all.found[side] = {heads.count(), latest_error};
    }
};

// Makes clusters of chains: `make(rank)` writes one and returns its time's error, of which the bits
// of the largest are kept. All warps take from `next`, which is zero at the start.
template <class Make>
__device__ __forceinline__ void follow(u32 first, u32 end, u32* next, u32& latest_error, Make make) {
    const Turns turns(next);
    for (u32 taken = turns.take(); taken - threadIdx.x % LANES < end - first; taken = turns.take()) {
        if (taken >= end - first) continue;
        latest_error = max(latest_error, __float_as_uint(make(first + taken)));
    }
}

// Makes clusters of all chains; calls `done(rank, time)` for each. Returns the bits of the largest
// time error. Barriers before and after.
template <class Rules, class Side, class Done>
__device__ __forceinline__ u32 follow_all(const Side& side, const Heads& heads, const BlockSide& block_side, Done done) {
    __shared__ u32 next[2];
    __shared__ u32 latest;
    if (threadIdx.x < 2) next[threadIdx.x] = 0;
    if (threadIdx.x == 0) latest = 0;
    __syncthreads();
    const float offset = block_side.offset();
    const ClusterTables& tables = *block_side.all.tables;
    const auto write = [&](u32 rank, const Cluster& cluster) {
        block_side.clusters()[rank] = cluster;
        done(rank, cluster.time);
        return cluster.time_error;
    };
    u32 thread_error = 0;
    // Long ones first, so that no warp is left with them at the end.
    follow(heads.singles, heads.count(), next, thread_error,
           [&](u32 rank) { return write(rank, cluster_of<Rules>(side, heads[rank], offset, tables)); });
    follow(0, heads.singles, next + 1, thread_error,
           [&](u32 rank) { return write(rank, cluster_of_one(side.digi(heads[rank]), offset, tables)); });
    const u32 of_warp = warp_max(thread_error);
    if (threadIdx.x % LANES == 0) atomicMax(&latest, of_warp);
    __syncthreads();
    return latest;
}

struct Rank {
    __device__ __forceinline__ u32 operator()(u32 rank) const { return rank; }
};

// Writes `count` entries of clusters in order of time, with times in shared memory. A barrier
// before.
template <class Sort, class TimeOf>
__device__ __forceinline__ void order_clusters(u32 count, Entry* entries, TimeOf time_of, Shared<Sort>& shared) {
    const time_bins::ThreadEntries<Sort::THREADS, SORTED_ITEMS> thread_entries(count, time_of);
    __syncthreads();
    time_bins::clear(count, shared.order);
    __syncthreads();
    time_bins::sort_entries(thread_entries, count, Rank(), entries, shared.order);
}

// Sorts the entries of up to MAX_CLUSTERS clusters, which are in device memory.
template <class Sort>
__device__ __forceinline__ void order_more_clusters(u32 count, Entry* entries, const Cluster* clusters,
                                                    Shared<Sort>& shared) {
    const auto time_of = [=](u32 rank) { return clusters[rank].time; };
    const time_bins::Others<Sort::THREADS, decltype(time_of)> all(count, time_of);
    __syncthreads();
    time_bins::clear(count, shared.long_order);
    __syncthreads();
    time_bins::sort_entries(all, count, Rank(), entries, shared.long_order);
}

// From digis in any order to clusters and their entries.
template <class Rules, class Sort>
__device__ __forceinline__ void find_clusters(const BlockSide& block_side, Shared<Sort>& shared) {
    static_assert(sizeof(shared) == sizeof(shared.sorting), "sorting digis takes the most");
    static_assert(BUCKETS * sizeof(BucketBins) <= Sort::CAPACITY * sizeof(u16), "channels end before the links");
    sort_side(block_side.digis(), block_side.count(), shared);
    const SideInShared<Sort> side(shared, block_side.count());
    link_side<Sort, Rules>(side, block_side.all.window);
    Chains<Sort>& chains = shared.chains;
    const Heads heads = list_heads<Sort>(side, chains.heads);
    // No other thread reads a head after this, so a cluster's time overwrites it.
    block_side.publish(heads, follow_all<Rules>(side, heads, block_side,
                                                [&](u32 rank, u32 time) { chains.digis[heads[rank]] = time; }));
    const auto time_of = [&](u32 rank) { return (u32)chains.digis[heads[rank]]; };
    order_clusters(heads.count(), block_side.entries(), time_of, shared);
}

// From digis in order of channel and time. More clusters than a block sorts are left to others to
// order.
template <class Rules, class Sort>
__device__ __forceinline__ void find_clusters_of_sorted(const BlockSide& block_side, Shared<Sort>& shared) {
    const LongSide side(block_side.digis(), block_side.count(), shared.long_chains);
    for (u32 index = threadIdx.x; index < side.count; index += Sort::THREADS) find_channels(side, index);
    link_side<Sort, Rules>(side, block_side.all.window);
    const Heads heads = list_heads<Sort>(side, shared.long_chains.heads);
    block_side.publish(heads, follow_all<Rules>(side, heads, block_side, [](u32, u32) {}));
    if (heads.count() <= LongChains<Sort>::MAX_CLUSTERS)
        order_more_clusters(heads.count(), block_side.entries(), block_side.clusters(), shared);
}

}  // namespace
