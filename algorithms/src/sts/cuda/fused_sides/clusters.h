// Clusters of a side whose digis are linked, and their order.
#pragma once
#include "../formulas/clusters.h"
#include "../formulas/turns.h"
#include "linking.h"

namespace {

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
__device__ __forceinline__ u32 follow_all(const Side& side, const Heads& heads, float offset,
                                          const ClusterTables& tables, Cluster* clusters, Done done) {
    __shared__ u32 next[2];
    __shared__ u32 latest;
    if (threadIdx.x < 2) next[threadIdx.x] = 0;
    if (threadIdx.x == 0) latest = 0;
    __syncthreads();
    const auto write = [&](u32 rank, const Cluster& cluster) {
        clusters[rank] = cluster;
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

}  // namespace
