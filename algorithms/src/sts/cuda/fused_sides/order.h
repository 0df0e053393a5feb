// The order of a side's clusters: see `time_bins.cu`.
#pragma once
#include "shared.h"

namespace {

struct Rank {
    __device__ __forceinline__ u32 operator()(u32 rank) const { return rank; }
};

// Writes `count` entries of clusters in order of time, with times in shared memory. A barrier
// before.
template <class TimeOf>
__device__ __forceinline__ void order_clusters(u32 count, Entry* entries, TimeOf time_of, Shared& shared) {
    const time_bins::ThreadEntries<THREADS, SORTED_ITEMS> thread_entries(count, time_of);
    __syncthreads();
    time_bins::clear(count, shared.order);
    __syncthreads();
    time_bins::sort_entries(thread_entries, count, Rank(), entries, shared.order);
}

// Sorts the entries of up to MAX_CLUSTERS clusters, which are in device memory.
__device__ __forceinline__ void order_more_clusters(u32 count, Entry* entries, const Cluster* clusters,
                                                    Shared& shared) {
    const auto time_of = [=](u32 rank) { return clusters[rank].time; };
    const time_bins::Others<THREADS, decltype(time_of)> all(count, time_of);
    __syncthreads();
    time_bins::clear(count, shared.long_order);
    __syncthreads();
    time_bins::sort_entries(all, count, Rank(), entries, shared.long_order);
}

}  // namespace
