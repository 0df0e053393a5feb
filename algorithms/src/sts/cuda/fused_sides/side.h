// All that a block does with its side.
#pragma once
#include "clusters.h"
#include "order.h"
#include "sorting.h"

namespace {

// Digis of all sides, and the output arrays: `side_offsets` has the offset of each side.
struct Sides {
    u64* digis;
    const u32* side_offsets;
    u32 count;
    Cluster* clusters;
    Found* found;
    Entry* entries;
};

// The block's side. Its members are loaded again at each use: registers are scarce.
struct BlockSide {
    const Sides& all;
    u32 side;

    __device__ __forceinline__ u32 begin() const { return all.side_offsets[side]; }
    __device__ __forceinline__ u32 count() const { return all.side_offsets[side + 1] - begin(); }
    __device__ __forceinline__ u64* digis() const { return all.digis + begin(); }
    __device__ __forceinline__ Cluster* clusters() const { return all.clusters + begin(); }
    __device__ __forceinline__ Entry* entries() const { return all.entries + begin(); }
    // Positions on the back follow those on the front.
    __device__ __forceinline__ float offset() const { return side < all.count / 2 ? 0.0f : (float)CHANNELS_OF_SIDE; }

    __device__ __forceinline__ void publish(const Heads& heads, u32 latest_error) const {
        if (threadIdx.x == 0) all.found[side] = {heads.count(), latest_error};
    }
};

// From digis in any order to clusters and their entries.
template <class Rules>
__device__ __forceinline__ void find_clusters(const BlockSide& block_side, const Window& window,
                                              const ClusterTables& tables, Shared& shared) {
    sort_side(block_side.digis(), block_side.count(), shared);
    const SideInShared side(shared, block_side.count());
    link_side<Rules>(side, window);
    Chains& chains = shared.chains;
    const Heads heads = list_heads(side, chains.heads);
    // No other thread reads a head after this, so a cluster's time overwrites it.
    block_side.publish(heads, follow_all<Rules>(side, heads, block_side.offset(), tables, block_side.clusters(),
                                                [&](u32 rank, u32 time) { chains.digis[heads[rank]] = time; }));
    const auto time_of = [&](u32 rank) { return (u32)chains.digis[heads[rank]]; };
    order_clusters(heads.count(), block_side.entries(), time_of, shared);
}

// From digis in order of channel and time. More clusters than a block sorts are left to others to
// order.
template <class Rules>
__device__ __forceinline__ void find_clusters_of_sorted(const BlockSide& block_side, const Window& window,
                                                        const ClusterTables& tables, Shared& shared) {
    const LongSide side(block_side.digis(), block_side.count(), shared.long_chains);
    for (u32 index = threadIdx.x; index < side.count; index += THREADS) find_channels(side, index);
    link_side<Rules>(side, window);
    const Heads heads = list_heads(side, shared.long_chains.heads);
    block_side.publish(
        heads, follow_all<Rules>(side, heads, block_side.offset(), tables, block_side.clusters(), [](u32, u32) {}));
    if (heads.count() <= MAX_CLUSTERS)
        order_more_clusters(heads.count(), block_side.entries(), block_side.clusters(), shared);
}

}  // namespace
