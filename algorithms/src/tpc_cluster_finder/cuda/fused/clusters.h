// Clusters around the peaks of a tile.
#pragma once
#include "../found.h"
#include "shares.h"

namespace {

// Forms the cluster around a peak; returns true if it is large enough. `left` has a bit for each
// cell around it that still has charge.
PORTABLE_INLINE bool form_cluster(const Strip& strip, const Shape& shape, u32 cell, PackedCluster& cluster, u32& left) {
    const uint2 position = shape.position(cell);
    const Shares shares = shares_around(strip, shape, cell, position);
    left = shares.left;
    const i32 charge = entries(strip)[cell] & CHARGE;
    const Peak peak = {(i32)position.x, (i32)(shape.first_time + position.y), charge};
    return pack(shares.sums, peak, (i32)shape.pads, strip.settings, cluster);
}

// Adds the clusters around all remaining peaks of the tile. All lanes of a warp loop as long as its
// first one does: the warp adds their clusters together.
PORTABLE_INLINE void find_clusters(const Strip& strip, const Shape& shape, u32 row, const FoundClusters& found) {
#pragma unroll 1
    for (u32 i = threadIdx.x; i - threadIdx.x % LANES < strip.own; i += FIND_THREADS) {
        const u32 peak = i < strip.own ? strip.peaks[i] : NOISE;
        PackedCluster cluster;
        u32 left;
        const bool is_found = !(peak & NOISE) && form_cluster(strip, shape, peak, cluster, left);
        add_clusters(found, row, is_found, cluster);
    }
}

}  // namespace
